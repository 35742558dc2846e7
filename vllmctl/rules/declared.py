"""Rules that the catalogue's expressions state in full."""

from collections.abc import Iterable, Mapping
from typing import Any

from vllmctl.catalog.facts import RuleFact
from vllmctl.rules.case import Case, Fault
from vllmctl.rules.expression import Expression, Test, blamed, compile_test, lookup, needed
from vllmctl.rules.registry import AT_HOME, Function, mend_of
from vllmctl.rules.words import shown


def declared(fact: RuleFact, *, before_types: bool) -> Function:
    """Return the function of a rule that has an expression.

    ``before_types`` tells that the server looks at the body as it was sent.
    """
    expression = fact.check
    assert expression is not None
    holds: Test | None = None

    def function(case: Case) -> Iterable[Fault]:
        nonlocal holds
        if holds is None:
            holds = compile_test(expression)
        body = case.sent if before_types else case.value
        if not holds(body):
            return ()
        mend = mend_of(fact.id) if case.endpoint.name in AT_HOME else None
        path = _path(expression, fact.fields, body)
        message = f"{_said(fact, path)}, {_given(path, fact.fields, case.sent)}"
        return (Fault(path, message, mend(case, path) if mend else None),)

    return function


def fires_on_nothing(fact: RuleFact) -> bool:
    """Whether the expression holds for an empty body: a field is missing."""
    if fact.check is None or needed(fact.check):
        return False
    return compile_test(fact.check)({})


def _said(fact: RuleFact, path: str) -> str:
    """The rule's own text, with the field in front when it does not name it."""
    text = fact.text.rstrip(".")
    named = any(part in text for part in path.split("."))
    return text if named else f"{path}: {text[0].lower()}{text[1:]}"


def _path(expression: Expression, fields: tuple[str, ...], body: Mapping[str, Any]) -> str:
    """The value to blame: of the rule's own field when it is one of several."""
    if "." in fields[0] and lookup(body, fields[0]) is not None:
        return fields[0]
    paths = list(blamed(expression, body))
    own = [path for path in paths if path.partition(".")[0] == fields[0].partition(".")[0]]
    sent = [field for field in fields if lookup(body, field) is not None]
    return next(iter((*own, *paths, *sent, *fields)))


def _given(path: str, fields: tuple[str, ...], body: Mapping[str, Any]) -> str:
    others = [name for name in fields if name.partition(".")[0] != path.partition(".")[0]]
    named = [name for name in others if lookup(body, name) is not None]
    first = f"got {path} {shown(lookup(body, path))}" if lookup(body, path) is not None else ""
    given = [first, *(f"{name} {shown(lookup(body, name))}" for name in named)]
    return " and ".join(part for part in given if part) or f"and {path} is not there"
