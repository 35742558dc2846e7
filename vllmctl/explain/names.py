"""The names that ``vllmctl explain`` knows, each with a line about it."""

from collections.abc import Iterator

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint, endpoint_names, engine_models
from vllmctl.catalog.target import Target
from vllmctl.explain.defaults import KEYS
from vllmctl.explain.findings import findings
from vllmctl.explain.paths import spots
from vllmctl.explain.prose import names
from vllmctl.fields.options import face_of
from vllmctl.fields.sugar import BOTH

Known = tuple[str, str]


def field_names(target: Target) -> Iterator[Known]:
    """Yield the paths of chat and completions; lists are written without brackets."""
    for of in _main(target):
        for path, spot in spots(of).items():
            yield path, face_of(path, spot.field).help


def other_names(target: Target) -> Iterator[Known]:
    """Yield what people ask for that is no field of a body: parameters, keys, habits."""
    for model in engine_models(target).values():
        yield from ((name, field.description) for name, field in model.fields.items())
    yield from ((key.name, "") for key in KEYS if key.engine == target.engine)
    yield from ((name, "") for name in names(target.engine))


def rule_names(target: Target) -> Iterator[Known]:
    """Yield the ids of rules, and the codes of lint that stand for no rule."""
    from vllmctl.rules.registry import own_rules

    for of in _main(target):
        yield from ((rule.id, rule.text) for rule in (*of.rules.values(), *own_rules(of)))
    yield from findings().items()


def _main(target: Target) -> list[Endpoint]:
    return [endpoint(each, target) for each in BOTH if each in endpoint_names(target)]
