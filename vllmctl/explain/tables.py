"""The rows of a listing and of a comparison as sections of a page."""

from collections.abc import Iterator, Sequence

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.explain.compare import Changed, Comparison, Gone
from vllmctl.explain.listing import FieldRow, groups_of
from vllmctl.explain.sections import SAYS, Section, TableRow, span

_SHORT = {"not set": "-", "none: it must be given": "required"}


def listing_title(of: Endpoint, rows: Sequence[FieldRow]) -> str:
    """Return the line above a listing."""
    count = f"{len(rows)} fields" if len(rows) != 1 else "1 field"
    columns = "; name, type, default, first release" if rows else ""
    return f"{of.name} at {of.target.label}: {count if rows else 'no fields'}{columns}"


def listing(rows: list[FieldRow]) -> Iterator[tuple[str, list[TableRow]]]:
    """Yield each group's title and its rows: name, type, default, releases."""
    for group, members in groups_of(rows):
        yield group.value, [TableRow(_cells(row), row.help) for row in members]


def _cells(row: FieldRow) -> tuple[str, str, str, str]:
    field = row.field
    releases = span(field.since, field.until).removeprefix("since ") if field.since else ""
    if row.instead:
        releases += f", now {row.instead}"
    elif field.deprecated_since:
        releases += ", deprecated"
    return row.path, row.type, _SHORT.get(row.default, row.default), releases


def comparison(found: Comparison) -> Iterator[Section]:
    """Yield what a migration has to change, what breaks first at the top."""
    title = f"{found.new.name}: from {found.old.target.label} to {found.new.target.label}"
    yield Section(title, [_policy(found)])
    yield Section("Removed", rows=[(gone.path, _gone(gone)) for gone in found.gone], wide=True)
    changed = [row for each in found.changed for row in _changed(each)]
    yield Section("Changed", rows=changed, wide=True)
    yield Section("New rules", rows=[_rule(rule) for rule in found.rules_added])
    yield Section("Rules that are gone", rows=[_rule(rule) for rule in found.rules_gone])
    yield Section("New", rows=[(new.path, new.description) for new in found.added], wide=True)


def _policy(found: Comparison) -> str:
    before, after = found.unknown
    text = f"Unknown fields are {after}, as before"
    if before != after:
        text = f"Unknown fields were {before}; now they are {after}"
    if after == "ignored" and found.gone:
        return f"{text}: one that was removed is taken and goes without effect."
    return f"{text}."


def _gone(gone: Gone) -> str:
    instead = f"use {gone.to}" if gone.to else "nothing takes its place"
    return f"{instead}. {gone.note}" if gone.note else instead


def _changed(changed: Changed) -> Iterator[tuple[str, str]]:
    for place, what in enumerate(changed.what):
        yield "" if place else changed.path, what


def _rule(rule: RuleFact) -> tuple[str, str]:
    return SAYS[rule.kind], f"{rule.text} [{rule.id}]"
