"""JSON paths: where a value is in a body, as text and as keys."""

import json
import re
from collections.abc import Iterable

Keys = tuple[int | str, ...]

_STEP = re.compile(r"\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]|([^.\[\]]+)")


def path_text(keys: Iterable[int | str]) -> str:
    """Return the path of keys: ``messages[0].content``, ``logit_bias["5"]``."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        elif key.replace("-", "_").isidentifier():
            text += f".{key}" if text else key
        else:
            text += f"[{json.dumps(key, ensure_ascii=False)}]"
    return text


def keys_of(path: str) -> Keys:
    """Return the keys of a path."""
    return tuple(
        int(number) if number else json.loads(quoted) if quoted else name
        for number, quoted, name in _STEP.findall(path)
    )
