"""Reads the data files that ship with the program."""

from functools import cache
from pathlib import Path
from typing import Any

from jiter import from_json

_DATA = Path(__file__).with_name("data")


@cache
def read_index(engine: str) -> dict[str, Any]:
    """Return an engine's releases and where its endpoints are found."""
    return _read(f"{engine}/index.json")


@cache
def read_endpoint(engine: str, name: str) -> dict[str, Any]:
    """Return everything known of one endpoint, for all releases."""
    return _read(f"{engine}/{name}.json")


@cache
def read_engine(engine: str) -> dict[str, Any]:
    """Return an engine's own parameter classes, as they are inside the engine."""
    return _read(f"{engine}/engine.json")


@cache
def read_external() -> dict[str, Any]:
    """Return the shapes of types that the engines take from other libraries."""
    return _read("external.json")


def _read(path: str) -> dict[str, Any]:
    facts: dict[str, Any] = from_json((_DATA / path).read_bytes())
    return facts
