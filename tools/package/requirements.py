"""What pyproject.toml says of other packages."""

import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent.parent
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^]]*\])?\s*>=\s*(?P<lowest>[\w.]+)")


DEVELOPERS = {"dev", "docs"}
"""The extras that add nothing to the program."""


def lowest() -> list[str]:
    """Return pip constraints that hold every dependency at the oldest release allowed.

    Raises ValueError for a dependency without a lower bound.
    """
    return [_lowest(requirement) for requirement in _project()["dependencies"]]


def extras() -> dict[str, list[str]]:
    """Return the requirements of every extra by its name."""
    found: dict[str, list[str]] = _project()["optional-dependencies"]
    return found


def supported() -> list[str]:
    """Return the releases of Python that the project names, such as 3.11."""
    named = (re.search(r"Python :: (3\.\d+)$", line) for line in _project()["classifiers"])
    return [match[1] for match in named if match]


def _lowest(requirement: str) -> str:
    match = _REQUIREMENT.match(requirement)
    if not match:
        raise ValueError(f"{requirement}: no lower bound")
    return f"{match['name']}=={match['lowest']}"


def _project() -> dict[str, Any]:
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project
