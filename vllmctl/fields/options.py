"""From facts, faces and sugar to the options of a command; knows no command-line library."""

from collections.abc import Iterator
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.load import walk
from vllmctl.fields.faces import Face, faces
from vllmctl.fields.groups import Group
from vllmctl.fields.kinds import Form, Kind, kind_of
from vllmctl.fields.sugar import SUGAR, Sugar
from vllmctl.record import Record

_TEXT = Kind(Form.TEXT)


class OptionSpec(Record):
    """One option of a command.

    ``names`` are shown, the long one first; ``off`` are the names that say no to a switch;
    ``hidden`` are taken too. ``switch`` options take no value. ``path`` is the body path of a
    field's flag; ``sugar`` the row behind a sugar flag; settings of the program have neither.
    ``offers`` says what the shell may offer where ``choices`` are not all there is (see
    ``vllmctl.cli.completing``).
    """

    dest: str
    names: tuple[str, ...]
    help: str
    group: Group
    switch: bool = False
    off: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    hidden_off: tuple[str, ...] = ()
    metavar: str = ""
    common: bool = False
    example: str = ""
    choices: tuple[str, ...] = ()
    path: str = ""
    kind: Kind = _TEXT
    word: Any = None
    escapes: bool = False
    sugar: Sugar | None = None
    offers: str = ""


def field_options(endpoint: Endpoint) -> list[OptionSpec]:
    """Return the flags of every field of ``endpoint`` and of its sugar, in help order."""
    rows = faces()
    order = {path: place for place, path in enumerate(rows)}
    last = len(order)

    def place(item: tuple[str, Field]) -> int:
        return order.get(item[0], order.get(item[0].split(".")[0], last))

    flags = [_field_option(path, field, rows) for path, field in sorted(walk(endpoint), key=place)]
    return [*_sugar_options(endpoint), *flags]


def face_of(path: str, field: Field, rows: dict[str, Face] | None = None) -> Face:
    """Return the row of ``path``, or one made from its parent's row and the facts."""
    rows = rows if rows is not None else faces()
    if path in rows:
        return rows[path]
    parent = rows.get(path.split(".", maxsplit=1)[0])
    return Face(path, parent.group if parent else Group.OTHER, field.description.rstrip("."))


def flag_of(path: str) -> str:
    """Return the long flag of a body path: ``stream_options.include_usage`` and so on."""
    return "--" + path.replace("_", "-")


def _field_option(path: str, field: Field, rows: dict[str, Face]) -> OptionSpec:
    face = face_of(path, field, rows)
    kind = kind_of(field.schema)
    long = flag_of(path)
    aliases = (*face.aliases, *_singular(long, kind.form))
    switch = kind.form is Form.BOOLEAN
    snake = "--" + path
    parent, _, leaf = path.rpartition(".")
    off = flag_of(f"{parent}.no_{leaf}") if parent else flag_of("no_" + path)
    return OptionSpec(
        dest="field_" + path.replace(".", "__"),
        names=(long, *face.short),
        help=face.help or field.description.rstrip("."),
        group=face.group,
        switch=switch,
        off=(off,) if switch else (),
        hidden=tuple(dict.fromkeys((*aliases, *((snake,) if snake != long else ())))),
        hidden_off=(off.replace("-", "_").replace("__", "--", 1),) if switch else (),
        metavar=kind.metavar,
        common=face.common,
        example=face.example,
        choices=kind.choices,
        path=path,
        kind=kind,
        word=face.word,
        escapes=face.escapes,
        offers=face.offers,
    )


def _singular(long: str, form: Form) -> tuple[str, ...]:
    """Maps may be given key by key, under the singular of their name."""
    return (long.removesuffix("s"),) if form is Form.MAP and long.endswith("s") else ()


def _sugar_options(endpoint: Endpoint) -> Iterator[OptionSpec]:
    for row in SUGAR:
        if endpoint.name in row.endpoints:
            yield OptionSpec(
                dest="sugar_" + row.name.strip("-").replace("-", "_"),
                names=(row.name, *row.aliases),
                help=row.help,
                group=row.group,
                switch=row.kind == "switch",
                off=(row.off,) if row.off else (),
                metavar=row.metavar,
                common=row.common,
                sugar=row,
            )
