"""Regular expressions against what a model wrote, by an engine that takes linear time.

Python's own may take years for a pattern such as ``(a+)+b``, and the text is the model's.
"""

import re
from collections.abc import Iterator
from typing import Any

from vllmctl.rules.syntax.matching import is_match

_ANCHOR = r"(\\.|\[\^?\]?(?:\\.|[^\\\]])*+\])|[\^$]"
"""An anchor, or else in a group what only looks like one: an escape or a set."""


def matches_whole(pattern: Any, text: str) -> bool:
    """Whether ``pattern`` matches all of ``text``; a pattern of another dialect always does.

    To xgrammar a dot is any character, and anchors say nothing, wherever they stand.
    """
    if not isinstance(pattern, str):
        return True
    pattern = re.sub(_ANCHOR, lambda found: found[1] or "", pattern, flags=re.DOTALL)
    return is_match(f"^(?s:{pattern})$", text)


def with_linear_patterns(kind: Any) -> Any:
    """Return the validator class ``kind`` with ``pattern`` judged by this engine."""
    from jsonschema import validators

    extend: Any = validators.extend
    return extend(kind, {"pattern": _pattern})


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not is_match(pattern, instance):
        from jsonschema import ValidationError

        yield ValidationError(f"{instance!r} does not match {pattern!r}")
