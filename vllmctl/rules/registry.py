"""Where the rules' functions are found: by rule id.

A rule's facts (endpoints, releases, kind, text, fields) are in the catalogue. Here is its
logic, when the catalogue's expression does not say it all, and its mend. What the server
does without any rule of its own has its facts beside its function (``own_rule``).
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.catalog.target import index
from vllmctl.record import Record
from vllmctl.rules.case import Case, Fault
from vllmctl.rules.finding import Edit

Function = Callable[[Case], Iterable[Fault]]
Mend = Callable[[Case, str], tuple[Edit, ...] | None]

AT_HOME = ("chat.completions", "chat.completions.batch", "completions", "tokenize")
"""Where the functions and the mends know the fields; other endpoints name them otherwise."""

TEMPLATED = ("chat.completions", "tokenize")
"""Where messages become a prompt."""

FAMILIES = (
    "beam",
    "chat",
    "compiled",
    "length",
    "logprobs",
    "media",
    "prompt",
    "repetition",
    "sampling",
    "served",
    "stream",
    "structured",
    "template",
    "tokens",
    "tools",
    "transfer",
    "unicode",
)


class OwnRule(Record, frozen=True):
    """A rule that is none of the catalogue's: what the server does without saying so."""

    name: str
    fact: RuleFact
    endpoints: tuple[str, ...]


_functions: dict[str, Function] = {}
_mends: dict[str, Mend] = {}
_own: dict[str, OwnRule] = {}


def rule(*names: str) -> Callable[[Function], Function]:
    """Register the logic of catalogue rules."""

    def register(function: Function) -> Function:
        _functions.update(dict.fromkeys(names, function))
        return function

    return register


def mend(*names: str) -> Callable[[Mend], Mend]:
    """Register how faults of catalogue rules with an expression are mended."""

    def register(function: Mend) -> Mend:
        _mends.update(dict.fromkeys(names, function))
        return function

    return register


def own_rule(
    name: str,
    text: str,
    fields: Iterable[str],
    *,
    kind: str = "ignore",
    endpoints: tuple[str, ...] = ("chat.completions", "completions"),
    since: str = "",
    until: str | None = None,
) -> Callable[[Function], Function]:
    """Register a rule with its facts; without ``since`` it holds for all releases."""
    fact = RuleFact(name, text, kind, tuple(fields), None, since, until)

    def register(function: Function) -> Function:
        _own[name] = OwnRule(name, fact, endpoints)
        _functions[name] = function
        return function

    return register


def function_of(name: str) -> Function | None:
    """Return the function of a rule, if it has one."""
    load_families()
    return _functions.get(name)


def mend_of(name: str) -> Mend | None:
    """Return how a rule's faults are mended, if there is a way."""
    load_families()
    return _mends.get(name)


def own_rules(endpoint: Endpoint) -> tuple[RuleFact, ...]:
    """Return the facts of the rules beside the catalogue's that hold for ``endpoint``."""
    load_families()
    target = endpoint.target
    if target.engine != "vllm":
        return ()
    now = index(target.release, target.engine)
    return tuple(
        own.fact
        for own in _own.values()
        if endpoint.name in own.endpoints
        and (not own.fact.since or index(own.fact.since) <= now)
        and (own.fact.until is None or now <= index(own.fact.until))
    )


def all_own_rules() -> tuple[OwnRule, ...]:
    """Return the rules beside the catalogue's, for all endpoints and releases."""
    load_families()
    return tuple(_own.values())


@cache
def load_families() -> None:
    """Import the families, which register themselves."""
    for family in FAMILIES:
        import_module(f"vllmctl.rules.{family}")
