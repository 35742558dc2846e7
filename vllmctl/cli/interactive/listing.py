"""What is set at the moment, and by whom."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from vllmctl.cli.connecting import FLAGS
from vllmctl.cli.interactive.setting import (
    is_within,
    names_of,
    nearest_setting,
    paths_of,
    spec_named,
)
from vllmctl.cli.interactive.talk import ONCE, Talk, has_system, text_of
from vllmctl.cli.preparing import Prepared
from vllmctl.errors import UsageError
from vllmctl.request.paths import get
from vllmctl.request.server.secret import is_secret_header, masked, masked_url
from vllmctl.texts import shown

_ELSEWHERE = {"option", "body", "unset", "interactive", "session", "continue", "header", "api_key"}
"""Options whose effect is listed, not they themselves."""
_LONGEST = 2000


class Line(NamedTuple):
    """A value, and where it came from."""

    value: str
    origin: str


def lines_of(talk: Talk, prepared: Prepared) -> dict[str, Line]:
    """Return everything that is set by its name: fields, settings, and what waits."""
    return {
        **dict(_fields(prepared)),
        **dict(_settings(talk)),
        **dict(_connection(prepared)),
        **{dest: Line(_plain(talk.waiting[dest]), "next message") for dest in talk.waiting},
    }


def about(name: str, talk: Talk, lines: dict[str, Line]) -> dict[str, Line]:
    """Return those of ``lines`` that ``name`` stands for.

    Raises ``UsageError`` for what is no setting.
    """
    wanted = names_of(name, talk.given.specs)
    found = {key: line for key, line in lines.items() if any(is_within(key, w) for w in wanted)}
    if not found and spec_named(name, talk.given.specs) is None:
        raise UsageError(f"there is no setting {name}", nearest_setting(name, talk.given))
    return found


def described(name: str, talk: Talk) -> str:
    """Return a line about the setting ``name``, which is not set."""
    found = spec_named(name, talk.given.specs)
    if found is None:
        return f"{name} is not set"
    spec = found[0]
    takes = "true or false" if spec.switch else ", ".join(spec.choices) or spec.metavar
    return f"{name} is not set; it takes {takes}: {spec.help}"


def in_full(lines: dict[str, Line]) -> list[str]:
    """Return ``lines`` as text, each with its origin."""
    return [f"{name}: {value}  ({origin})" for name, (value, origin) in lines.items()]


def listed(lines: dict[str, Line]) -> list[str]:
    """Return ``lines`` as text, each in one row."""
    short = {name: line._replace(value=_short(line.value)) for name, line in lines.items()}
    return in_full(short)


def differences(before: dict[str, Line], after: dict[str, Line]) -> Iterator[str]:
    """Yield a line for each value that is not what it was, or comes from elsewhere."""
    for name, line in after.items():
        if name not in before or before[name].value != line.value:
            yield f"{name}: {line.value}"
        elif before[name].origin != line.origin:
            yield f"{name}: {line.value} as before, now from {line.origin}"
    for name in before:
        if name not in after:
            yield f"{name}: no longer set"


def _fields(prepared: Prepared) -> Iterator[tuple[str, Line]]:
    body, origins = prepared.request.body, prepared.request.origins
    order = list(body)
    for path in sorted(origins, key=lambda one: _place(order, one)):
        if _head(path) in body and _head(path) != "messages":
            yield path, Line(shown(get(body, path), _LONGEST), str(origins[path]))


def _settings(talk: Talk) -> Iterator[tuple[str, Line]]:
    given = talk.given
    for spec in given.specs:
        is_listed = not paths_of(spec) and spec.dest not in (*_ELSEWHERE, *FLAGS, *ONCE)
        if is_listed and given.has(spec.dest):
            yield spec.dest, Line(_plain(given.values[spec.dest]), given.name_of(spec.dest))
    if has_system(talk.session) and not given.has("system"):
        yield "system", Line(text_of(talk.session.messages[0]), "the conversation")


def _connection(prepared: Prepared) -> Iterator[tuple[str, Line]]:
    for name, setting in prepared.settings.items():
        value = setting.value
        if name == "api_key" or (name.startswith("headers.") and is_secret_header(name[8:])):
            value = masked(str(value))
        elif isinstance(value, str):
            value = masked_url(value)
        if name != "model":  # it is in the body
            yield name, Line(_plain(value), str(setting.origin))


def _plain(value: Any) -> str:
    """Return ``value`` as it would be typed."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else shown(value)


def _short(text: str) -> str:
    first, _, rest = text.partition("\n")
    return f"{first[:59]}…" if rest or len(first) > 60 else first


def _head(path: str) -> str:
    return path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]


def _place(order: list[str], path: str) -> tuple[int, str]:
    head = _head(path)
    return (order.index(head) if head in order else len(order)), path
