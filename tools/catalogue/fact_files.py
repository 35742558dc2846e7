"""Reads a JSON file of facts."""

import json
from pathlib import Path
from typing import Any

from tools.catalogue.source_tree import ReleaseError


def read_facts(path: Path) -> dict[str, Any]:
    """Return the facts at ``path``.

    Raises:
        ReleaseError: there is no such file, or it is no JSON.
    """
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from error
    return facts
