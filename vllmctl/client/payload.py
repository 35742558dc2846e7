"""JSON from the server, read fast and leniently."""

import json
import re
from typing import Any

from jiter import from_json


def parse(data: bytes) -> Any:
    """Return the JSON value in ``data``.

    What is not UTF-8, and lone halves of surrogate pairs, become U+FFFD. Raises
    ``ValueError`` when it is no JSON, or nests in more than 200 levels.
    """
    try:
        return from_json(data)
    except ValueError:
        pass
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        plain = json.dumps(json.loads(text), ensure_ascii=False)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    return from_json(re.sub("[\ud800-\udfff]", "\ufffd", plain).encode())
