"""The nearest names to one that is none."""

from difflib import get_close_matches

from vllmctl.catalog.target import Target
from vllmctl.explain.names import field_names, other_names, rule_names
from vllmctl.explain.wording import joined

_MOST = 3


def similar(name: str, target: Target) -> str:
    """Return up to three names like ``name``, in words, or an empty text."""
    candidates = [*_names(target), *(_rules(target) if "." in name else ())]
    known = {_fold(candidate): candidate for candidate in reversed(candidates)}
    key = _fold(name)
    near = get_close_matches(key, known, n=_MOST, cutoff=0.7)
    near += [folded for folded in known if len(key) > 3 and key in folded]
    return joined([known[folded] for folded in dict.fromkeys(near)][:_MOST])


def _names(target: Target) -> list[str]:
    """The names that people ask for, the most usual first."""
    paths = [path for path, _ in field_names(target)]
    leaves = [path.rpartition(".")[2] for path in paths]
    return [*paths, *leaves, *(name for name, _ in other_names(target))]


def _rules(target: Target) -> list[str]:
    return [name for name, _ in rule_names(target)]


def _fold(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
