"""Asks a real server again what ``test_recorded_types`` replays."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tools.catalogue.record_types import ask

RECORDING = Path(__file__).parents[1] / "data" / "catalog" / "types-0.32.0.jsonl"


@pytest.mark.live
def test_the_server_still_says_what_was_recorded(live_url: str) -> None:
    with httpx.Client(base_url=live_url, timeout=60, trust_env=False) as client:
        if client.get("/version").json()["version"].split("+")[0] != "0.32.0":
            pytest.skip("the recording is of another release")
        changed = [row for row in rows() if ask(client, row) != row]
    assert changed == []


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORDING.read_text("utf-8").splitlines()]
