"""Asks a real server again what it says to every body of a recording, and rewrites it.

    python -m tools.catalogue.record_types http://127.0.0.1:8000 RECORDING.jsonl

A line holds ``path`` and ``body``, and afterwards also ``status``, ``param`` (the place
that the server blames) and ``type`` (pydantic's names of the faults, empty when the server
refused for another reason, or not at all).
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import httpx

_KINDS = re.compile(r"'type': '(\w+)', 'loc'|\[type=(\w+),")


def main() -> None:
    """Read the arguments, ask, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="where the server listens")
    parser.add_argument("recording", type=Path, help="a JSONL file, rewritten in place")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.recording.read_text("utf-8").splitlines()]
    with httpx.Client(base_url=arguments.url, timeout=60, trust_env=False) as client:
        lines = [json.dumps(ask(client, row), ensure_ascii=False) + "\n" for row in rows]
    arguments.recording.write_text("".join(lines), encoding="utf-8")


def ask(client: httpx.Client, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with the server's present answer."""
    response = client.post(row["path"], json=row["body"], headers={"Connection": "close"})
    error = {} if response.status_code == httpx.codes.OK else _error(response)
    kinds = {name for pair in _KINDS.findall(error.get("message") or "") for name in pair}
    return {
        "path": row["path"],
        "body": row["body"],
        "status": response.status_code,
        "param": error.get("param"),
        "type": sorted(kinds - {"", "value_error"}),
    }


def _error(response: httpx.Response) -> dict[str, Any]:
    try:
        found = response.json().get("error")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    main()
