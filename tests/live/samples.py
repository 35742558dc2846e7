"""One sample of every request field, and how it is typed."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent.parent
TABLE = PROJECT / "tests" / "data" / "live" / "field_values.toml"
ENDPOINTS = {"chat": "chat.completions", "complete": "completions"}


@dataclass(frozen=True, slots=True)
class Sample:
    """A field's value, the command line that sends it, and the server's words if it refuses."""

    command: str
    path: str
    value: Any
    arguments: tuple[str, ...]
    refused: str

    def __str__(self) -> str:
        return f"{self.command} {self.path}"


def samples() -> Iterator[Sample]:
    """Yield every row of the table, shared rows once a command."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    for command in ENDPOINTS:
        rows = {**table["shared"], **table[command]}
        for path, row in rows.items():
            yield _sample(command, path, row)


def _sample(command: str, path: str, row: dict[str, Any]) -> Sample:
    prompt = [] if row.get("instead_of_prompt") else ["Hello"]
    flags = row["flags"] if "flags" in row else _flags(path, row["value"])
    short = [] if path.startswith("max_") else ["--max-tokens", "8"]
    arguments = (command, *prompt, *flags, *row.get("also", []), *short)
    return Sample(command, path, row.get("value"), arguments, row.get("refused", ""))


def _flags(path: str, value: Any) -> list[str]:
    flag = "--" + path.replace("_", "-")
    if value is True:
        return [flag]
    if value is False:
        parent, dot, leaf = flag.removeprefix("--").rpartition(".")
        return [f"--{parent}{dot}no-{leaf}"]
    if isinstance(value, str):
        return [flag, value]
    return [flag, json.dumps(value)]
