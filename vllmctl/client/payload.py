"""JSON from the server, read fast and leniently."""

import json
from typing import Any

from jiter import from_json


def parse(data: bytes) -> Any:
    """Return the JSON value in ``data``.

    What is not UTF-8, and lone halves of surrogate pairs, become U+FFFD. Raises
    ``ValueError`` when it is no JSON.
    """
    try:
        return from_json(data)
    except ValueError:
        pass
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    value = json.loads(text)
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
