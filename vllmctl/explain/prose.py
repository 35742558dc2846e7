"""What no extractor knows, read from the table ``prose.toml``."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from vllmctl.record import Record, field

_TABLE = Path(__file__).with_name("prose.toml")


class Prose(Record):
    """Hand-written words on one name, for one engine.

    ``meaning`` adds to the catalogue's line; ``disagreements`` say what documents claim and
    what the server does; ``default`` replaces what the facts say of a value left out, by
    endpoint (``""`` is any); ``example`` is the arguments of an example command; ``unsent``
    says why it cannot be sent, ``sent`` how it can though it is no declared field,
    ``instead`` what to send instead.
    """

    meaning: list[str] = field(factory=list)
    disagreements: list[str] = field(factory=list)
    default: dict[str, str] = field(factory=dict)
    example: str = ""
    unsent: str = ""
    sent: str = ""
    instead: str = ""


def prose(name: str, engine: str) -> Prose:
    """Return the words on ``name``; empty ones where nothing was written."""
    words = Prose()
    for row in _rows().get(name, ()):
        if row.get("engine", "vllm") in (engine, "any"):
            _add(words, row)
    return words


def names(engine: str) -> Iterator[str]:
    """Yield the names that the table knows for ``engine``."""
    for name, rows in _rows().items():
        if any(row.get("engine", "vllm") in (engine, "any") for row in rows):
            yield name


def _add(words: Prose, row: Mapping[str, Any]) -> None:
    words.meaning += _listed(row.get("meaning", ()))
    words.disagreements += _listed(row.get("disagreement", ()))
    words.example = row.get("example", words.example)
    words.unsent = row.get("unsent", words.unsent)
    words.sent = row.get("sent", words.sent)
    words.instead = row.get("instead", words.instead)
    default = row.get("default", {})
    words.default |= {"": default} if isinstance(default, str) else default


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in tomllib.loads(_TABLE.read_text(encoding="utf-8"))["about"]:
        for name in row["names"]:
            rows.setdefault(name, []).append(row)
    return rows
