"""The nearest valid name for a misspelt one."""

from collections.abc import Iterable


def nearest(name: str, candidates: Iterable[str], *, cutoff: float = 0.7) -> str | None:
    """Return the candidate most like ``name``, or ``None`` when none is alike.

    Case, hyphens and underscores do not count as differences.
    """
    from difflib import get_close_matches

    folded = {_fold(candidate): candidate for candidate in candidates}
    key = _fold(name)
    if key in folded:
        return folded[key]
    matches = get_close_matches(key, folded, n=1, cutoff=cutoff)
    return folded[matches[0]] if matches else None


def _fold(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
