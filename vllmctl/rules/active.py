"""The rules that hold for an endpoint at a release, with their logic."""

from collections.abc import Iterator

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.record import Record
from vllmctl.rules.declared import declared, fires_on_nothing
from vllmctl.rules.expression import needed
from vllmctl.rules.registry import AT_HOME, Function, function_of, own_rules
from vllmctl.rules.served import if_refused
from vllmctl.rules.stages import is_before_types, is_skipped_by_beam


class ActiveRule(Record, frozen=True):
    """A rule that holds for the endpoint.

    ``names`` are its fields; ``needs`` those without which it has nothing to say. A rule
    ``on_nothing`` may speak of a field that is missing.
    """

    fact: RuleFact
    function: Function
    names: frozenset[str]
    needs: frozenset[str]
    on_nothing: bool
    before_types: bool
    without_beam: bool
    of_messages: bool

    def is_lost(self, faulty: frozenset[str]) -> bool:
        """Whether the rule has no values to look at, for their types are wrong."""
        return not (self.before_types or faulty.isdisjoint(self.names))

    def may_speak(self, known: frozenset[str]) -> bool:
        """Whether a body with the fields ``known`` can be at fault."""
        if self.on_nothing:
            return True
        return self.needs <= known if self.needs else not self.names.isdisjoint(known)


def active_rules(endpoint: Endpoint) -> Iterator[ActiveRule]:
    """Yield the rules of the endpoint that have logic, the catalogue's first."""
    for fact in (*endpoint.rules.values(), *own_rules(endpoint)):
        logic = _logic(fact, endpoint)
        if logic is not None:
            function, needs = logic
            names = frozenset(map(top_of, fact.fields))
            yield ActiveRule(
                fact=fact,
                function=function,
                names=names,
                needs=needs,
                on_nothing=not names or fires_on_nothing(fact),
                before_types=is_before_types(fact.id),
                without_beam=is_skipped_by_beam(fact.id),
                of_messages=names == {"messages"},
            )


def top_of(path: str) -> str:
    """Return the field that a path starts with."""
    return path.partition(".")[0].partition("[")[0]


def _logic(fact: RuleFact, endpoint: Endpoint) -> tuple[Function, frozenset[str]] | None:
    """A rule's function, and the fields without which it has nothing to say."""
    function = function_of(fact.id)
    served = endpoint.target.served
    if function is None and served is not None and fact.id in served.refused:
        function = if_refused(fact)
    is_home = endpoint.name in AT_HOME
    if fact.check is not None and (function is None or not is_home):
        return declared(fact, before_types=is_before_types(fact.id)), needed(fact.check)
    return None if function is None else (function, frozenset())
