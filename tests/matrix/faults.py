"""The faults with what is expected of them, and servers that do them."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vllmctl.mock.faults import parse_fault
from vllmctl.mock.options import MockOptions
from vllmctl.mock.server import MockServer

REPLY = "Every fault, and still an answer: one, two, three, four, five, six, seven."
KEY = "sk-matrix-0123456789"
FORMATS = ("text", "json", "jsonl", "sse", "raw")
_TABLE = Path(__file__).parent.parent / "data" / "hostile" / "faults.toml"


@dataclass(frozen=True)
class Expected:
    """What one way of asking has to end in."""

    code: int
    text: str
    says: str = ""


@dataclass(frozen=True)
class Fault:
    """One fault, the flags it needs, and what is expected with and without streaming."""

    kind: str
    value: str
    flags: tuple[str, ...]
    stream: Expected
    whole: Expected

    @property
    def name(self) -> str:
        return f"{self.kind}={self.value}" if self.value else self.kind

    def expected(self, *, streams: bool) -> Expected:
        return self.stream if streams else self.whole


def faults() -> list[Fault]:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return [_fault(kind, value, row) for kind, rows in table.items() for value, row in rows.items()]


def server(fault: Fault) -> MockServer:
    """A server that does the fault to every answer, and asks for the key."""
    plan = parse_fault(fault.name)
    return MockServer(MockOptions(reply=REPLY, reasoning="", api_key=KEY, faults=(plan,), seed=1))


def ways() -> Iterator[tuple[str, bool, str]]:
    """Command, whether it streams, and format."""
    for command in ("chat", "complete"):
        for streams in (True, False):
            for name in FORMATS:
                yield command, streams, name


def arguments(fault: Fault, url: str, command: str, *, streams: bool, format: str) -> list[str]:
    flag = "--stream" if streams else "--no-stream"
    base = [command, "hi", "--base-url", url, "-m", "mock", "--target", "vllm", "-v", "--include"]
    return [*base, flag, "--max-tokens", "99", "--format", format, *fault.flags]


def _fault(kind: str, value: str, row: dict[str, Any]) -> Fault:
    stream, whole = (Expected(**row[name]) for name in ("stream", "whole"))
    return Fault(kind, value, tuple(row.get("with", ())), stream, whole)
