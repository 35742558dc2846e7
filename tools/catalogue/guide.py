"""Reads ``guide.toml``: what cannot be read from vLLM's routes."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Guide(NamedTuple):
    """Body classes and handlers by endpoint, and routes that the catalogue leaves out."""

    models: dict[str, list[str]]
    handlers: dict[str, str]
    left_out: frozenset[str]


@cache
def guide() -> Guide:
    """Return the guide."""
    text = Path(__file__).with_name("guide.toml").read_text(encoding="utf-8")
    given = tomllib.loads(text)
    return Guide(given["models"], given["handlers"], frozenset(given["left_out"]["routes"]))
