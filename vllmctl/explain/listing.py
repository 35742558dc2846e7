"""The fields of an endpoint as rows of a table."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.retired import replacement
from vllmctl.catalog.target import index
from vllmctl.explain.defaults import default_text
from vllmctl.explain.history import change_text
from vllmctl.explain.paths import Spot, spots
from vllmctl.explain.prose import prose
from vllmctl.explain.wording import limits, short_type, type_text
from vllmctl.fields.faces import faces
from vllmctl.fields.groups import Group
from vllmctl.fields.options import face_of, flag_of
from vllmctl.record import Record


class FieldRow(Record, frozen=True):
    """One field of an endpoint; ``instead`` is what a removed one became."""

    path: str
    group: Group
    field: Field
    is_here: bool
    help: str
    default: str
    instead: str = ""

    @property
    def type(self) -> str:
        """The type for a narrow column."""
        return short_type(self.field.schema)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``fields --format json`` prints."""
        field = self.field
        return {
            "name": self.path,
            "group": self.group.key,
            "type": type_text(field.schema),
            "limits": limits(field.schema),
            "default": self.default,
            "required": field.required,
            "since": field.since or None,
            "until": field.until,
            "is_here": self.is_here,
            "deprecated_since": field.deprecated_since,
            "effect": field.effect,
            "description": self.help,
            "flag": flag_of(self.path) if "[]" not in self.path else None,
            "instead": self.instead or None,
            "changes": [
                {"release": change["at"], "what": change_text(change)} for change in field.changes
            ],
            "schema": field.schema,
        }


class Wanted(Record, frozen=True):
    """Which rows are wanted.

    ``nested`` adds what is inside objects; ``removed`` shows what the release lacks and
    older ones had, in place of what it has; ``since`` keeps what came with that release or
    later; ``search`` keeps what has the word in its name, group or description, in whatever
    release and depth.
    """

    nested: bool = False
    removed: bool = False
    since: str | None = None
    search: str = ""


def list_fields(of: Endpoint, wanted: Wanted) -> list[FieldRow]:
    """Return the rows of an endpoint in the order of the help page."""
    order = {path: place for place, path in enumerate(faces())}
    rows = [_row(of, spot) for spot in spots(of).values() if _is_wanted(of, spot, wanted)]
    rows = [row for row in rows if not wanted.search or _has(row, wanted.search)]
    groups = {group: place for place, group in enumerate(Group)}

    def place(row: FieldRow) -> tuple[int, int]:
        top = row.path.partition(".")[0].removesuffix("[]")
        return groups[row.group], order.get(row.path, order.get(top, len(order)))

    return sorted(rows, key=place)


def _is_wanted(of: Endpoint, spot: Spot, wanted: Wanted) -> bool:
    if wanted.since and not _is_since(of, spot.field, wanted.since):
        return False
    if wanted.removed:
        return not spot.is_here and _is_gone(of, spot.field)
    if wanted.search:
        return True
    return spot.is_here and (wanted.nested or "." not in spot.path)


def _is_since(of: Endpoint, field: Field, release: str) -> bool:
    engine = of.target.engine
    return bool(field.since) and index(field.since, engine) >= index(release, engine)


def _is_gone(of: Endpoint, field: Field) -> bool:
    engine = of.target.engine
    now = index(of.target.release, engine)
    return field.until is not None and index(field.until, engine) < now


def _has(row: FieldRow, word: str) -> bool:
    folded = word.lower().replace("-", "_")
    face = faces().get(row.path)
    texts = (row.path, row.help, row.field.description, face.help if face else "", row.group.key)
    return any(folded in text.lower() or word.lower() in text.lower() for text in texts)


def _row(of: Endpoint, spot: Spot) -> FieldRow:
    path, field = spot.path, spot.field
    became = None if spot.is_here else replacement(of, path)
    face = face_of(path.partition("[")[0], field)
    written = _written_default(of, path)
    return FieldRow(
        path=path,
        group=face.group,
        field=field,
        is_here=spot.is_here,
        help=field.description or faces()[path].help if path in faces() else field.description,
        default=default_text(field, of.target, written) if "." not in path else _inner(field),
        instead=(became.to or "") if became else "",
    )


def _written_default(of: Endpoint, path: str) -> str:
    default: Mapping[str, str] = prose(path, of.target.engine).default
    return default.get(of.name, default.get("", ""))


def _inner(field: Field) -> str:
    from vllmctl.explain.wording import value_text

    if field.required:
        return "none: it must be given"
    return "not set" if field.default is None else value_text(field.default)


def groups_of(rows: list[FieldRow]) -> Iterator[tuple[Group, list[FieldRow]]]:
    """Yield the rows by group, in order."""
    for group in Group:
        members = [row for row in rows if row.group is group]
        if members:
            yield group, members
