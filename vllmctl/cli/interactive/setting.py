"""``/set`` and ``/unset``: from what is typed to other options, as flags would give them.

A setting is an option of ``vllmctl chat``, so names, types and checks are those of its flags.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from vllmctl.cli.argv import read
from vllmctl.cli.connecting import FLAGS
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.talk import ONCE, Talk, has_system, replaced
from vllmctl.cli.settings import HELP
from vllmctl.cli.suggest import suggestion
from vllmctl.errors import UsageError
from vllmctl.fields.options import OptionSpec
from vllmctl.nearest import nearest
from vllmctl.record import replace
from vllmctl.request.sessions import Session

_ASSIGNMENT = re.compile(r"([^\s=:]+)(\s*:?=\s*|\s+|$)(.*)", re.S)
_ONE_ANSWER = "that is for a single answer, and here come many"
_EACH = "each answer would take the place of the last; `vllmctl chat --session` saves one"
NOT_HERE = {
    "dry_run": "/body prints what would be sent",
    "output": "> FILE takes all answers",
    "save_html": _EACH,
    "save_svg": _EACH,
    "extract": _ONE_ANSWER,
    "extract_all": _ONE_ANSWER,
    "parse": _ONE_ANSWER,
    "only_reasoning": _ONE_ANSWER,
}
"""Options that make no sense turn by turn, and what to do instead."""

_AT_START = {
    "session": "/save NAME keeps the conversation",
    "continue": "it is for the start",
    "interactive": "this is it",
    "save_profile": "`vllmctl profiles save` does that",
    "no_stdin": "it is for the start",
    "field_messages": "/clear begins a new conversation",
    **{spec.dest: "/help lists the commands" for spec in HELP},
}
FORMATS = ("text", "markdown")
"""How answers may be printed."""


def require_talkable(given: Given) -> None:
    """Raise ``UsageError`` for options that make no sense turn by turn."""
    for dest, hint in NOT_HERE.items():
        if given.has(dest):
            raise UsageError(f"--{dest.replace('_', '-')} does not go with --interactive", hint)
    shape = "json" if given.has("json") else given.last("format")
    if shape not in (None, *FORMATS):
        raise UsageError(f"--format {shape} does not go with --interactive", _ONE_ANSWER)


def assigned(talk: Talk, text: str, typed: str = "") -> Talk:
    """Return ``talk`` with the setting in ``text``: ``KEY VALUE``, ``KEY=VALUE``, ``KEY:=JSON``.

    A text that starts with a hyphen is flags, as many as there are. ``typed`` is named as the
    origin in place of ``/set``. Raises ``UsageError``.
    """
    if text.startswith("-"):
        return _with_flags(talk, text)
    match = _ASSIGNMENT.fullmatch(text)
    if match is None:
        raise UsageError(f"/set: expected a name and a value, got {text!r}")
    name, sign, value = match.groups()
    found = spec_named(name, talk.given.specs)
    if sign.strip() == ":=" or (found is None and _may_be_option(name, sign, talk.given)):
        return _with_option(talk, f"{name}{sign.strip() or '='}{value}")
    if found is None:
        raise UsageError(f"there is no setting {name}", nearest_setting(name, talk.given))
    spec, flag = found
    given = [f"{flag}={_unquoted(value)}" if value or sign.strip() else flag]
    values, _, _ = read(given, talk.given.specs, lambda _: "")
    return _with(talk, spec, values[spec.dest], typed or f"/set {name}")


def asks(text: str, specs: Sequence[OptionSpec]) -> str:
    """Return the name in ``text`` if it is only a name, which asks to be shown, else nothing."""
    match = _ASSIGNMENT.fullmatch(text)
    if match is None or match[2] or text.startswith("-"):
        return ""
    found = spec_named(match[1], specs)
    says_no = found is not None and found[1] in (*found[0].off, *found[0].hidden_off)
    return "" if says_no else match[1]


def without(talk: Talk, name: str) -> Talk:
    """Return ``talk`` without what was set as ``name``; profiles may still set it."""
    found = spec_named(name, talk.given.specs)
    if found is None:
        return replace(talk, given=_without_path(talk.given, name))
    spec = found[0]
    _require_allowed(spec)
    given = talk.given
    for path in paths_of(spec):
        given = _without_path(given, path)
    values = {dest: value for dest, value in given.values.items() if dest != spec.dest}
    waiting = {dest: value for dest, value in talk.waiting.items() if dest != spec.dest}
    session = talk.session if spec.dest != "system" else _without_system(talk.session)
    return replace(talk, given=replaced(given, values), waiting=waiting, session=session)


def with_unset(talk: Talk, path: str) -> Talk:
    """Return ``talk`` with ``path`` taken away whoever sets it, as ``--unset`` does."""
    unset = [*talk.given.all("unset"), path]
    return replace(talk, given=_put(talk.given, "unset", unset))


def more(talk: Talk, dest: str, text: str, typed: str) -> Talk:
    """Return ``talk`` with one more ``text`` for an option that repeats."""
    text = _unquoted(text)
    if dest in ONCE:
        waiting = {**talk.waiting, dest: [*talk.waiting.get(dest, []), text]}
        named = Given(talk.given.values, talk.given.specs, {**talk.given.typed, dest: typed})
        return replace(talk, given=named, waiting=waiting)
    return replace(talk, given=_put(talk.given, dest, [*talk.given.all(dest), text], typed))


def spec_named(name: str, specs: Sequence[OptionSpec]) -> tuple[OptionSpec, str] | None:
    """Return the option that ``name`` is a long flag of (hyphens or not), and that flag."""
    wanted = _plain(name)
    shown = ((spec, flag) for spec in specs for flag in (*spec.names, *spec.off))
    hidden = ((spec, flag) for spec in specs for flag in (*spec.hidden, *spec.hidden_off))
    for spec, flag in (*shown, *hidden):
        if flag.startswith("--") and _plain(flag) == wanted:
            return spec, flag
    return None


def setting_names(specs: Sequence[OptionSpec]) -> Iterator[tuple[str, OptionSpec]]:
    """Yield the names that ``/set`` takes, each with its option, the common ones first."""
    for spec in sorted(specs, key=lambda spec: not spec.common):
        if spec.dest not in (*NOT_HERE, *_AT_START):
            yield spec.path or spec.names[0].strip("-"), spec


def nearest_setting(name: str, given: Given) -> str:
    """Return what to write in place of ``name``, which is no setting."""
    if name.startswith("-"):
        return "name the field or option itself; /set lists what is set"
    near = nearest(name, [known for known, _ in setting_names(given.specs)])
    if near:
        return f"did you mean {near}?"
    hint = suggestion(f"--{name}", given.specs, "chat")
    if hint.startswith("use "):
        return hint.replace("--", "")
    return f"/set {name}=VALUE sends any field, known or not"


def names_of(name: str, specs: Sequence[OptionSpec]) -> tuple[str, ...]:
    """Return the names under which what ``name`` sets is listed: body paths, else settings."""
    found = spec_named(name, specs)
    if found is None:
        return (name.replace("-", "_"),)
    dest = "headers" if found[0].dest == "header" else FLAGS.get(found[0].dest, found[0].dest)
    return paths_of(found[0]) or (dest,)


def paths_of(spec: OptionSpec) -> tuple[str, ...]:
    """Return the body paths that an option writes."""
    if spec.sugar is not None:
        return spec.sugar.paths
    return (spec.path,) if spec.path else ()


def is_within(path: str, whole: str) -> bool:
    """Whether ``path`` is ``whole`` or a part of it."""
    return path == whole or path.startswith((whole + ".", whole + "["))


def _with_flags(talk: Talk, text: str) -> Talk:
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise UsageError(f"/set: {str(fault).lower()}") from None
    specs = talk.given.specs
    values, rest, _ = read(words, specs, lambda typed: suggestion(typed, specs, "chat"))
    if rest:
        raise UsageError(f"/set: {rest[0]!r} is no flag")
    for spec in specs:
        for value in [values[spec.dest]] if spec.dest in values else []:
            if spec.dest == "option":
                for option in value:
                    talk = _with_option(talk, option)
            else:
                talk = _with(talk, spec, value, f"/set {spec.names[0]}")
    return talk


def _with(talk: Talk, spec: OptionSpec, value: Any, typed: str) -> Talk:
    """Return ``talk`` with ``value`` for ``spec`` in place of whatever set the same before."""
    _require_allowed(spec)
    if spec.dest in ONCE:
        return replace(talk, waiting={**talk.waiting, spec.dest: value})
    given = talk.given
    for path in paths_of(spec):
        given = _without_path(given, path)
    if spec.sugar is not None and value is False and not spec.off:
        return replace(talk, given=given)
    return replace(talk, given=_put(given, spec.dest, value, typed))


def _with_option(talk: Talk, option: str) -> Talk:
    path = option.partition("=")[0].rstrip(": ").replace("-", "_")
    if path == "messages":
        raise UsageError("messages cannot be set here", _AT_START["field_messages"])
    given = _without_path(talk.given, path)
    return replace(talk, given=_put(given, "option", [*given.all("option"), option]))


def _put(given: Given, dest: str, value: Any, typed: str = "") -> Given:
    values = {**given.values, dest: value}
    names = {**given.typed, dest: typed} if typed else given.typed
    return Given(values, given.specs, names)


def _without_path(given: Given, path: str) -> Given:
    """Return ``given`` without the flags and options that set ``path`` or a part of it."""
    gone = {s.dest for s in given.specs if any(is_within(one, path) for one in paths_of(s))}
    values = {dest: value for dest, value in given.values.items() if dest not in gone}
    for dest in ("option", "unset"):
        if dest in values:
            values[dest] = [text for text in values[dest] if not _sets(text, path)]
    return replaced(given, values)


def _sets(option: str, path: str) -> bool:
    return is_within(option.partition("=")[0].rstrip(": ").replace("-", "_"), path)


def _without_system(session: Session) -> Session:
    rest = session.messages[1:] if has_system(session) else session.messages
    return replace(session, messages=rest)


def _require_allowed(spec: OptionSpec) -> None:
    hint = {**NOT_HERE, **_AT_START}.get(spec.dest)
    if hint is not None:
        raise UsageError(f"{spec.names[0]} cannot be set here", hint)


def _may_be_option(name: str, sign: str, given: Given) -> bool:
    """Whether it is meant for ``-o``: with ``=``, or a part of a field that is known."""
    head, dot, _ = name.partition(".")
    return bool(sign.strip()) or bool(dot and sign and spec_named(head, given.specs))


def _unquoted(value: str) -> str:
    """Return ``value`` without the quotes that a shell would have taken away."""
    if value[:1] in ("'", '"') and len(value) > 1 and value[-1] == value[0]:
        inner = value[1:-1]
        if value[0] not in inner:
            return inner
    return value


def _plain(name: str) -> str:
    return name.strip("-").replace("-", "_").lower()
