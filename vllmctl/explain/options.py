"""Options, headers and profile settings that are no fields themselves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target
from vllmctl.explain.explanation import Explanation, Kind
from vllmctl.explain.field import explain_field
from vllmctl.explain.homes import find_homes, ordered_names
from vllmctl.explain.prose import prose
from vllmctl.explain.wording import joined, value_text
from vllmctl.fields.options import OptionSpec, field_options
from vllmctl.fields.sugar import BOTH, Sugar

if TYPE_CHECKING:
    from vllmctl.request.server.keys import ServerKey


def explain_option(name: str, target: Target, program: Sequence[OptionSpec]) -> Explanation | None:
    """Return what an option does; a field's option is explained as the field."""
    spec = next(_named(name, [*_field_specs(target), *program]), None)
    if spec is None:
        return None
    if spec.path:
        return explain_field(find_homes(spec.path, target), target)
    found = Explanation(spec.names[0], Kind.OPTION, target, _verdict(spec), bool(spec.sugar))
    words = prose(spec.names[0], "any")
    found.meaning = [f"{spec.help}.", *words.meaning]
    found.flag = ", ".join((*spec.names, *spec.off))
    found.related = list(spec.sugar.paths) if spec.sugar else []
    found.profile = f"[server] {spec.dest}" if spec.dest in _server_keys() else ""
    found.example = f'vllmctl chat "Hello" {words.example}' if words.example else ""
    return found


def explain_header(name: str, target: Target) -> Explanation | None:
    """Return what a request header does; ``None`` for one that no endpoint reads."""
    homes = {}
    for each in ordered_names(target):
        for header in endpoint(each, target).headers:
            if header["name"].lower() == name.lower():
                homes[each] = header
    if not homes:
        return None
    header = next(iter(homes.values()))
    verdict = f"Can be sent as a header to {_few(list(homes))}."
    found = Explanation(header["name"], Kind.HEADER, target, verdict, sendable=True)
    if header.get("stands_for"):
        found.meaning.append(f"It stands for the field {header['stands_for']}.")
        found.related = [header["stands_for"]]
    if header.get("note"):
        found.meaning.append(header["note"])
    found.flag = "--header"
    found.example = f"vllmctl chat \"Hello\" --header '{header['name']}: VALUE'"
    return found


def explain_setting(name: str, target: Target) -> Explanation | None:
    """Return what a key of a profile's ``[server]`` does."""
    key = name.removeprefix("server.")
    setting = _server_keys().get(key)
    if setting is None:
        return None
    verdict = "A setting of the connection, not a field: it stays here."
    found = Explanation(key, Kind.SETTING, target, verdict, sendable=False)
    found.meaning = [f"{setting.help}."]
    found.profile = f"[server] {key}"
    if setting.needs_trust:
        found.notes = ["A project's file may set it only once you trust that file."]
    return found


def _server_keys() -> "Mapping[str, ServerKey]":
    from vllmctl.request.server.keys import SERVER_KEYS

    return SERVER_KEYS


def _field_specs(target: Target) -> Iterator[OptionSpec]:
    there = list(ordered_names(target))
    for each in BOTH:
        if each in there:
            yield from field_options(endpoint(each, target))


def _named(name: str, specs: Sequence[OptionSpec]) -> Iterator[OptionSpec]:
    for spec in specs:
        if name in (*spec.names, *spec.off, *spec.hidden, *spec.hidden_off):
            yield spec


def _verdict(spec: OptionSpec) -> str:
    if spec.sugar is None:
        return "An option of the program, not a field of the request."
    return f"Not a field itself: it writes {_written(spec.sugar)}."


def _written(row: Sugar) -> str:
    first, *others = row.paths
    value = f" as {value_text(row.value)}" if row.value is not None else ""
    older = f", or {joined(others)} where the release has no {first}" if others else ""
    return f"{first}{value}{older}"


def _few(names: list[str]) -> str:
    return joined(names[:3], "and") + (f" and {len(names) - 3} more" if len(names) > 3 else "")
