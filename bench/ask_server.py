"""Sends bodies to a real server and writes down what it says.

Usage: python bench/bodies.py | python bench/ask_server.py --base-url URL > verdicts.jsonl

A row gets ``server_state`` when the server's model or flags decided, not the request alone.
"""

import argparse
import json
import re
import sys
from typing import Any

import httpx

SERVER_STATE = re.compile(
    r"out-of-vocab|out of vocabulary|max_model_len|maximum context length|greater than max allowed"
    r"|does not exist\. Valid aliases|not a multimodal model|--trust-request-mm-kwargs"
    r"|^Internal server error$"  # constraints that the engine's first backend does not take
    r"|the prompt length"
    r"|suffix is only supported|decoder prompt cannot be empty|deserialized as a torch tensor"
)
_HEADERS = {"content-type": "application/json"}
NEGATIVE = re.compile(r"-\d")


def verdict(client: httpx.Client, row: dict[str, Any]) -> dict[str, Any]:
    """Return ``row`` (a path, and a ``body`` or the ``text`` of one) with the server's answer."""
    text = row["text"] if "text" in row else json.dumps(row["body"])
    answer = client.post(row["path"], content=text.encode(), headers=_HEADERS)
    fault = _fault(answer)
    if fault is None:
        return {**row, "status": answer.status_code, "verdict": "accept"}
    message = fault.get("message", "")
    row = {
        **row,
        "status": answer.status_code,
        "message": message,
        "param": fault.get("param"),
        "verdict": "reject",
    }
    if SERVER_STATE.search(message) and not _is_about_signs(message):
        row["server_state"] = True
    return row


def _is_about_signs(message: str) -> bool:
    """An id below 0 is in nobody's vocabulary."""
    return "vocab" in message and bool(NEGATIVE.search(message))


def _fault(answer: httpx.Response) -> dict[str, Any] | None:
    """The error of an answer, also of one inside a stream."""
    if answer.status_code == 200:
        events = re.findall(r"^data: (\{\"error\".*\})$", answer.text, re.MULTILINE)
        return dict(json.loads(events[0])["error"]) if events else None
    try:
        fault = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {"message": answer.text}
    return fault if isinstance(fault, dict) else {"message": str(fault)}


def main() -> None:
    """Ask about each body on stdin."""
    parser = argparse.ArgumentParser(description="Ask a real server about bodies.")
    parser.add_argument("--base-url", required=True)
    asked = parser.parse_args()
    alone = httpx.Limits(max_keepalive_connections=0)  # the server drops connections after a 500
    with httpx.Client(base_url=asked.base_url, timeout=120, limits=alone) as client:
        for line in sys.stdin:
            row = json.loads(line)
            print(json.dumps(verdict(client, row)), flush=True)


if __name__ == "__main__":
    main()
