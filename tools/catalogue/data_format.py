"""Writes data files in the catalogue's compact form: a line for each field, rule and rename."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def write(folder: Path, files: Mapping[str, Json]) -> list[str]:
    """Write the files whose text changed; return their names."""
    changed = []
    for name, facts in files.items():
        path = folder / name
        text = dump(facts)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


def dump(facts: Json) -> str:
    """Return ``facts`` as JSON; the same facts always give the same text."""
    return _lines(facts, 0) + "\n"


def _lines(facts: Json, depth: int) -> str:
    """Objects of objects are spread over lines, their members are not."""
    indent = " " * (depth + 1)
    members = ",\n".join(f"{indent}{_json(k)}: {_member(v, depth + 1)}" for k, v in facts.items())
    return f"{{\n{members}\n{' ' * depth}}}"


def _member(value: Any, depth: int) -> str:
    return _lines(value, depth) if _has_facts(value) else _json(value)


def _has_facts(value: Any) -> bool:
    """Whether it is a set of facts or a model, not one field, rule or place."""
    if not isinstance(value, dict) or "states" in value or "text" in value:
        return False
    return any(isinstance(inner, dict) for inner in value.values())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
