"""Constraints that the server's backend compiles: are they fit for it."""

from typing import TYPE_CHECKING, Any

from vllmctl.rules.case import Case, Fault, Faults, drop
from vllmctl.rules.constraint import guided_constraint, live_constraint
from vllmctl.rules.expression import depth
from vllmctl.rules.finding import Level
from vllmctl.rules.registry import rule
from vllmctl.rules.words import shown

if TYPE_CHECKING:
    from vllmctl.rules.syntax.verdict import Verdict

_NESTING = "so.nesting"
_AROUND_SCHEMA = 16
"""Levels that a structural tag may add to those of a schema."""


@rule("so.choice_empty")
def choice_empty(case: Case) -> Faults:
    """Nothing to choose from."""
    found = live_constraint(case)
    if found and found.get("choice") == []:
        path = found.path("choice")
        yield Fault(path, f"{path} must not be empty")


@rule("so.grammar_empty")
def grammar_blank(case: Case) -> Faults:
    """A blank text is no grammar (but a blank regex is one)."""
    yield from _blank(case, "grammar")


@rule("so.json_empty")
def json_blank(case: Case) -> Faults:
    """A blank text is no schema."""
    yield from _blank(case, "json")


@rule("so.structural_tag_empty")
def structural_tag_blank(case: Case) -> Faults:
    """A blank text is no tag."""
    yield from _blank(case, "structural_tag")


def _blank(case: Case, kind: str) -> Faults:
    found = live_constraint(case)
    text = found.get(kind) if found else None
    if found and isinstance(text, str) and not text.strip():
        yield Fault(found.path(kind), f"{found.path(kind)} must not be blank")


@rule("so.json_object_true")
def json_object_off(case: Case) -> Faults:
    """To ask for no object, ask for nothing."""
    found = live_constraint(case)
    if found and found.get("json_object") is False:
        path = found.path("json_object")
        message = f"{path} can only be true; leave it out for an answer without constraint"
        yield Fault(path, message, drop("structured_outputs"))


@rule("so.regex_nul")
def nul(case: Case) -> Faults:
    """No character of any text."""
    found = live_constraint(case)
    if found and "\0" in str(found.get("regex") or ""):
        yield Fault(found.path("regex"), f"{found.path('regex')} must not hold a NUL character")


@rule(_NESTING)
def nesting(case: Case) -> Faults:
    """So deep and no deeper."""
    found = live_constraint(case)
    if found is None:
        return
    for kind in ("json", "structural_tag"):
        most = deepest(case, kind)
        if depth(found.get(kind)) > most:
            path = found.path(kind)
            yield Fault(path, f"{path} nests deeper than {most} levels")


def deepest(case: Case, kind: str) -> int:
    """Return how deep a constraint of a kind may nest."""
    check: Any = case.endpoint.rules[_NESTING].check
    _either, (_depth_of, _path, levels), *_others = check
    return int(levels) + (_AROUND_SCHEMA if kind == "structural_tag" else 0)


@rule("so.compile")
def compiles(case: Case) -> Faults:
    """What neither backend takes is refused.

    An engine keeps the backend of the first constraint that it gets, mostly xgrammar: what
    only the other one takes ends in an internal error there.
    """
    found = live_constraint(case) if case.since("0.11.0") else guided_constraint(case)
    if found is None or len(found.kinds) != 1:
        return
    (kind,) = found.kinds
    path, verdict = found.path(kind), _verdict(kind, found.get(kind))
    if verdict is not None and verdict.reason:
        level = Level.ERROR if case.since("0.11.0") else Level.WARNING
        yield Fault(path, f"{path} does not compile: {verdict.reason}", None, level)
    elif verdict is not None and verdict.native:
        message = f"{path} fails on servers whose backend is xgrammar: {verdict.native}"
        yield Fault(path, message, None, Level.WARNING)


def fits_xgrammar(case: Case) -> bool:
    """Whether the answer's constraint, if there is one, goes to xgrammar."""
    found = live_constraint(case)
    if found is None or len(found.kinds) != 1:
        return True
    (kind,) = found.kinds
    verdict = _verdict(kind, found.get(kind))
    return verdict is None or not verdict.xgrammar


def _verdict(kind: str, value: object) -> "Verdict | None":
    """What the backends say to a value; blank ones have a rule of their own."""
    if kind == "json" and not (isinstance(value, str) and not value.strip()):
        from vllmctl.rules.syntax.schema import judge_schema

        return judge_schema(value)
    if kind == "regex" and isinstance(value, str) and "\0" not in value:
        from vllmctl.rules.syntax.regex import judge_regex

        return judge_regex(value)
    if kind == "grammar" and isinstance(value, str) and value.strip():
        from vllmctl.rules.syntax.grammar import judge_grammar

        return judge_grammar(value)
    return None


@rule("structured_outputs.structural_tag_invalid")
def structural_tag(case: Case) -> Faults:
    """Compiled before anything else is looked at."""
    given = case.sent.get("structured_outputs")
    tag = given.get("structural_tag") if isinstance(given, dict) else None
    if tag is None:
        return
    path = "structured_outputs.structural_tag"
    if not isinstance(tag, str):
        yield Fault(path, f"{path} must be JSON in a string, got {shown(tag)}")
        return
    reason = _tag_refusal(tag)
    if reason:
        yield Fault(path, f"{path} does not compile: {reason}")


@rule("response_format.structural_tag_invalid")
def structural_tag_format(case: Case) -> Faults:
    """The same, as an object."""
    given = case.sent.get("response_format")
    if isinstance(given, dict) and given.get("type") == "structural_tag":
        reason = _tag_refusal(given)
        if reason:
            yield Fault("response_format", f"response_format does not compile: {reason}")


def _tag_refusal(tag: object) -> str:
    from vllmctl.rules.syntax.structural_tag import structural_tag_refusal

    return structural_tag_refusal(tag)
