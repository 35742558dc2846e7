"""Targets: the mock server, which is as open to nonsense as any server."""

import json
from collections.abc import Iterable
from typing import Any

from tools.fuzz.target import Target
from tools.fuzz.targets.lints import TARGETS as LINTS
from vllmctl.mock.app import MockApp
from vllmctl.mock.faults import KINDS, parse_fault
from vllmctl.mock.options import MockOptions
from vllmctl.mock.wire import Request

_APP = MockApp(MockOptions(seed=1, reply="a short reply", max_model_len=512))
_PATHS = ("/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize")
_STATUSES = (200, 400, 404, 413, 415, 422, 500, 501)


def try_request(data: bytes) -> None:
    """Any body gets a response whose JSON can be read."""
    for path in _PATHS:
        headers = {"content-type": "application/json"}
        response = _APP.handle(Request("POST", path, "", headers, data))
        assert response.status in _STATUSES, response.status
        body = b"".join(piece for piece in response.body if isinstance(piece, bytes))
        for text in _jsons(body):
            json.loads(text)


def try_fault(data: bytes) -> None:
    """Every fault can be done to every answer, and a kind with any value is read or refused."""
    kind = list(KINDS)[sum(data) % len(KINDS)]
    app = MockApp(MockOptions(seed=1, reply="a short reply", faults=(parse_fault(kind),)))
    for path in _PATHS[:2]:
        response = app.handle(Request("POST", path, "", {}, data))
        list(response.body)


TARGETS = {
    "mock": Target(try_request, LINTS["lint"].seeds, LINTS["lint"].words, seconds=20),
    "mock-faults": Target(try_fault, LINTS["lint"].seeds, LINTS["lint"].words, seconds=20),
}


def _jsons(body: bytes) -> Iterable[Any]:
    if not body.startswith(b"data: "):
        return [body] if body[:1] in (b"{", b"[") else []
    events = (event.removeprefix(b"data: ") for event in body.split(b"\n\n"))
    return [event for event in events if event not in (b"", b"[DONE]")]
