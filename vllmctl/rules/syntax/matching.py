"""Regular expressions against texts, by an engine that takes linear time."""

from functools import lru_cache
from typing import Any


def is_match(pattern: str, text: str) -> bool:
    """Whether a part of ``text`` matches; a pattern of another dialect always does."""
    from pydantic_core import ValidationError

    engine = _engine(pattern)
    if engine is None:
        return True
    try:
        engine.validate_python(text)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=1000)
def _engine(pattern: str) -> Any:
    from pydantic_core import SchemaError, SchemaValidator

    try:
        return SchemaValidator({"type": "str", "pattern": pattern})
    except SchemaError:
        return None
