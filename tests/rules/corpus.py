"""What the real server said, as the tests read it."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"

Row = dict[str, Any]


@cache
def lines(path: str) -> tuple[Row, ...]:
    """Return the rows of a file of the tests' data, packed or not."""
    file = DATA / path
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return tuple(json.loads(line) for line in data.decode().splitlines())
