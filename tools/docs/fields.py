"""The reference of the request fields: a page for each group, and a list of all of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from tools.docs.markdown import anchor, code, fenced, heading, listed, page, table, text
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.explain.explain import Question, explain
from vllmctl.explain.explanation import Explanation, Place, Ruling
from vllmctl.explain.listing import FieldRow, Wanted, list_fields
from vllmctl.explain.sections import SAYS, span
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec, field_options
from vllmctl.fields.sugar import BOTH, CHAT, COMPLETE

COMMANDS = {CHAT: "chat", COMPLETE: "complete"}
FOLDER = "reference/fields"
_REMOVED = "removed"

Rows = dict[str, dict[str, FieldRow]]
"""Rows by path, and by endpoint for each path."""


def pages() -> dict[str, str]:
    """Return the pages by their path in the site."""
    rows, gone = _rows(Wanted(nested=True)), _rows(Wanted(removed=True))
    found = {f"{FOLDER}/index.md": _index(rows)}
    for group, members in _by_group(rows).items():
        found[_path(group)] = _group_page(group, members)
    found[f"{FOLDER}/{_REMOVED}.md"] = _removed_page(gone)
    return found


def page_of(group: Group) -> str:
    """Return the file of a group's page inside the folder."""
    return f"{group.key}.md"


def _path(group: Group) -> str:
    return f"{FOLDER}/{page_of(group)}"


def _rows(wanted: Wanted) -> Rows:
    found: Rows = {}
    for name in BOTH:
        for row in list_fields(endpoint(name, newest()), wanted):
            found.setdefault(row.path, {})[name] = row
    return found


def _by_group(rows: Rows) -> dict[Group, Rows]:
    groups: dict[Group, Rows] = {group: {} for group in Group}
    for path, homes in rows.items():
        top = rows[path.partition(".")[0].partition("[")[0]]
        groups[_first(top).group][path] = homes
    return {group: members for group, members in groups.items() if members}


def _first(homes: dict[str, FieldRow]) -> FieldRow:
    return next(iter(homes.values()))


def _is_top(path: str) -> bool:
    return "." not in path


def _index(rows: Rows) -> str:
    lines = []
    for group, members in _by_group(rows).items():
        for path, homes in members.items():
            if _is_top(path):
                row = _first(homes)
                link = f"[{code(path)}]({page_of(group)}#{anchor(path)})"
                where = " and ".join(COMMANDS[name] for name in homes)
                lines.append([link, text(row.help), text(row.type), where, _releases(row)])
    return page(
        heading(1, "All fields"),
        f"Every field that chat and completions take at {newest()}. "
        f"`vllmctl explain NAME` prints the same, for any release. What is gone is under "
        f"[Removed fields]({_REMOVED}.md).",
        table(("Field", "What it does", "Type", "Command", "Since"), lines),
    )


def _releases(row: FieldRow) -> str:
    note = ", deprecated" if row.field.deprecated_since else ""
    return f"{row.field.since}{note}"


def _group_page(group: Group, members: Rows) -> str:
    tops = [path for path in members if _is_top(path)]
    blocks = [heading(1, group.value)]
    blocks += [block for path in tops for block in _field(path, members)]
    sugar = list(_sugar(group))
    if sugar:
        blocks += [heading(2, "Short forms", "short-forms"), *sugar]
    return page(*blocks)


def _field(path: str, members: Rows) -> Iterator[str]:
    found = explain(Question(path, newest()))
    yield heading(2, code(path), path)
    yield text(" ".join([*found.meaning, *found.notes]))
    yield table(("", ""), _facts(found, members[path]))
    if found.example:
        yield fenced(found.example, "sh")
    yield from _bullets("Rules", [_rule(rule) for rule in found.rules])
    yield from _bullets("Where documents disagree with the server", map(text, found.disagreements))
    yield from _bullets(
        "History", [f"{event.release}: {text(event.text)}" for event in found.history]
    )
    inner = [p for p in members if p.startswith((f"{path}.", f"{path}["))]
    if inner:
        yield "**Parts**"
        head = ("Part", "Type", "Default", "Since", "What it is")
        yield table(head, _parts(path, inner, members))


def _facts(found: Explanation, homes: dict[str, FieldRow]) -> Iterator[tuple[str, str]]:
    places = [place for place in found.places if place.endpoint in homes]
    yield "Commands", " and ".join(code(COMMANDS[name]) for name in homes)
    if found.flag:
        yield "Flag", ", ".join(code(name) for name in _flags(found.name))
    if found.profile:
        yield "Profile key", code(found.profile)
    yield from _each("Type", places, lambda place: text(place.type))
    yield from _each("Limits", places, lambda place: text(", ".join(place.limits)))
    if len({place.default for place in places}) == 1 and found.decided_by:
        parties = enumerate(found.decided_by, 1)
        yield "Decided by", "<br>".join(f"{n}. {text(party)}" for n, party in parties)
    else:
        yield from _each("Default", places, lambda place: text(place.default))
    yield from _each("Releases", places, lambda place: span(place.since, place.until))
    if found.related:
        yield "Related", ", ".join(map(code, found.related))


def _each(
    label: str, places: Sequence[Place], words: Callable[[Place], str]
) -> Iterator[tuple[str, str]]:
    """One row, or one a command where they differ."""
    texts = {COMMANDS[place.endpoint]: words(place) for place in places}
    if len(set(texts.values())) == 1:
        only = next(iter(texts.values()))
        if only:
            yield label, only
        return
    for command, words_of in texts.items():
        if words_of:
            yield f"{label} ({command})", words_of


def _flags(path: str) -> list[str]:
    """All names of a field's flag, those that are not shown in help too."""
    names: dict[str, None] = {}
    for spec in _specs():
        if spec.path == path:
            names |= dict.fromkeys((*spec.names, *spec.off, *spec.hidden))
    return list(names)


def _specs() -> Iterator[OptionSpec]:
    for name in BOTH:
        yield from field_options(endpoint(name, newest()))


def _rule(ruling: Ruling) -> str:
    fact = ruling.fact
    where = f" ({COMMANDS[ruling.endpoints[0]]})" if len(ruling.endpoints) == 1 else ""
    link = f"[{code(fact.id)}](../rules.md#{anchor(fact.id)})"
    return f"*{SAYS[fact.kind]}*: {text(fact.text)}{where} {link}"


def _bullets(title: str, items: Iterable[str]) -> Iterator[str]:
    items = list(items)
    if items:
        yield f"**{title}**"
        yield listed(items)


def _marked(path: str, shown: str) -> str:
    """A part's name in a table, which links find."""
    return f"{code(shown)}{{ #{anchor(path)} }}"


def _parts(of: str, paths: Sequence[str], members: Rows) -> Iterator[Sequence[str]]:
    for path in paths:
        shown = path.removeprefix(of).removeprefix(".")
        row = _first(members[path])
        default = "required" if row.field.required else text(row.default)
        words = " ".join([text(row.help), *(f"Flag {code(name)}." for name in _flags(path)[:1])])
        yield _marked(path, shown), text(row.type), default, row.field.since, words


def _sugar(group: Group) -> Iterator[str]:
    specs = {spec.names[0]: spec for spec in _specs() if spec.sugar and spec.group is group}
    for name, spec in specs.items():
        found = explain(Question(name, newest()))
        yield heading(3, code(name), name)
        names = ", ".join(map(code, (*spec.names, *spec.off)))
        yield f"{text(' '.join([*found.meaning, found.verdict]))} Names: {names}."
        if found.example:
            yield fenced(found.example, "sh")


def _removed_page(gone: Rows) -> str:
    rows = []
    for path, homes in gone.items():
        row = _first(homes)
        commands = ", ".join(COMMANDS[each] for each in homes)
        words = " ".join(explain(Question(path, newest())).notes)
        releases = span(row.field.since, row.field.until)
        rows.append([_marked(path, path), commands, releases, text(words)])
    return page(
        heading(1, "Removed fields"),
        f"These fields were in older releases. {newest()} takes a request with them and "
        "does not do what was asked; `vllmctl lint --fix` writes what takes their place.",
        table(("Field", "Commands", "Releases", "What became of it"), rows),
    )
