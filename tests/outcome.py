"""What a command left, and the streams that caught it."""

import io
import json
from dataclasses import dataclass
from typing import Any


@dataclass
class Outcome:
    """Exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON values of stdout, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def stream() -> io.TextIOWrapper:
    """A stream that is as strict about characters as a real one."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def written(stream: io.TextIOWrapper) -> str:
    """What was written to a ``stream``."""
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
