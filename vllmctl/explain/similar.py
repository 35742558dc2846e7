"""The nearest names to one that is none."""

from difflib import get_close_matches

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint, endpoint_names, engine_models
from vllmctl.catalog.target import Target
from vllmctl.explain.defaults import KEYS
from vllmctl.explain.paths import spots
from vllmctl.explain.prose import names
from vllmctl.explain.wording import joined
from vllmctl.fields.sugar import BOTH

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
    paths = [spot.path for of in _main(target) for spot in spots(of).values()]
    members = [name for model in engine_models(target).values() for name in model.fields]
    keys = [key.name for key in KEYS if key.engine == target.engine]
    return [*paths, *_leaves(paths), *members, *keys, *names(target.engine)]


def _rules(target: Target) -> list[str]:
    return [rule for of in _main(target) for rule in of.rules]


def _main(target: Target) -> list[Endpoint]:
    return [endpoint(each, target) for each in BOTH if each in endpoint_names(target)]


def _leaves(paths: list[str]) -> list[str]:
    return [path.rpartition(".")[2] for path in paths]


def _fold(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
