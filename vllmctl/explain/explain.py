"""What a name means, whatever it is a name of."""

from collections.abc import Callable, Sequence

from vllmctl.catalog.target import ENGINES, Target, newest
from vllmctl.errors import UsageError
from vllmctl.explain.elsewhere import explain_answer_key, explain_foreign, explain_generation_key
from vllmctl.explain.endpoint import explain_endpoint
from vllmctl.explain.engine import explain_class, explain_member, explain_written
from vllmctl.explain.explanation import Explanation
from vllmctl.explain.field import explain_field, not_on
from vllmctl.explain.homes import find_elsewhere, find_homes, inner_paths
from vllmctl.explain.options import explain_header, explain_option, explain_setting
from vllmctl.explain.prose import prose
from vllmctl.explain.rule import explain_finding, explain_rule
from vllmctl.explain.similar import similar
from vllmctl.fields.options import OptionSpec
from vllmctl.fields.sugar import BOTH
from vllmctl.record import Record, replace

_MOST_SHOWN = 6
_ANY_NAMES = ("object or", "object of strings")
_PLACES = ("body.", "request.", "SamplingParams.", "extra_body.")


class Question(Record, frozen=True):
    """A name, and what it is asked for.

    ``endpoint`` narrows the answer to one endpoint; ``program`` are the options of the
    program that are no fields.
    """

    name: str
    target: Target
    endpoint: str | None = None
    program: Sequence[OptionSpec] = ()


Answer = Callable[[Question], Explanation | None]


def explain(question: Question) -> Explanation:
    """Return what is known of a name.

    It may be a field or a place inside one, in any release; a member or a class of the
    engine's parameters; a rule; an option, header or profile setting; a key of
    ``generation_config.json``; a name that other servers use.

    Raises:
        UsageError: nothing is called so, or several things are; the hint has the nearest.
    """
    asked = replace(question, name=_bare(question.name))
    found = explain_rule(asked.name, asked.target) or explain_finding(asked.name, asked.target)
    found = found or _first_answer(replace(asked, name=_without_place(asked.name)))
    found = found or _first_answer(asked)
    if found:
        return found
    near = similar(asked.name.lstrip("-"), asked.target)
    hint = f"did you mean {near}?" if near else "vllmctl fields --search WORD looks for a word"
    raise UsageError(f"nothing is called {question.name!r}", hint)


def _first_answer(asked: Question) -> Explanation | None:
    return next((found for answer in _ANSWERS if (found := answer(asked))), None)


def _bare(name: str) -> str:
    """The name without what a shell, a page or a habit puts around it."""
    name = name.strip().strip("`\"'").removesuffix("=")
    return name if name.lower().startswith(("-", "x-")) else name.replace("-", "_")


def _without_place(name: str) -> str:
    """The name without what messages and programs put in front: ``body.top_p``."""
    return next((name.removeprefix(each) for each in _PLACES if name.startswith(each)), name)


def _by_flag(asked: Question) -> Explanation | None:
    if not asked.name.startswith("-"):
        return None
    return explain_option(asked.name, asked.target, asked.program) or _by_field(
        Question(asked.name.lstrip("-").replace("-", "_"), asked.target, asked.endpoint)
    )


def _by_field(asked: Question) -> Explanation | None:
    homes = find_homes(asked.name, asked.target, asked.endpoint)
    if homes:
        return _with_other_meaning(explain_field(homes, asked.target))
    homes = find_homes(asked.name, asked.target) if asked.endpoint else []
    return not_on(str(asked.endpoint), explain_field(homes, asked.target)) if homes else None


def _with_other_meaning(found: Explanation) -> Explanation:
    """A field of other endpoints only may mean something on chat as well."""
    if any(place.endpoint in BOTH for place in found.places):
        return found
    foreign = explain_foreign(found.name, found.target)
    if foreign:
        words = " ".join([foreign.verdict, *foreign.meaning])
        found.notes.append(f"On chat.completions and completions: {words}")
    inner = inner_paths(found.name, found.target)
    if inner:
        more = " and others" if len(inner) > _MOST_SHOWN else ""
        found.notes.append(f"In chat bodies: {', '.join(inner[:_MOST_SHOWN])}{more}.")
    return found


def _by_leaf(asked: Question) -> Explanation | None:
    homes = find_elsewhere(asked.name, asked.target)
    return explain_field(homes, asked.target) if homes else None


def _inside_free_object(asked: Question) -> Explanation | None:
    """A name in an object that takes any, such as chat_template_kwargs."""
    head, _, rest = asked.name.partition(".")
    found = _by_field(replace(asked, name=head)) if rest else None
    if found is None or not all(place.type.startswith(_ANY_NAMES) for place in found.places):
        return None
    found.name = asked.name
    found.verdict = f"{head} takes any name; what {rest} does there is up to what reads it."
    found.meaning += prose(asked.name, asked.target.engine).meaning
    found.related.insert(0, head)
    return found


def _of_other_engine(asked: Question) -> Explanation | None:
    """The same name at another engine; this one has no such thing."""
    for engine in ENGINES:
        if engine == asked.target.engine:
            continue
        there = newest(engine)
        found = _by_field(Question(asked.name, there)) or explain_member(asked.name, there)
        found = found or explain_rule(asked.name, there)
        if found:
            found.verdict = f"Of {engine}, not known to {asked.target}. {found.verdict}"
            found.sendable = False
            return found
    return None


_ANSWERS: tuple[Answer, ...] = (
    _by_flag,
    _by_field,
    lambda asked: explain_member(asked.name, asked.target),
    lambda asked: explain_class(asked.name, asked.target),
    lambda asked: explain_written(asked.name, asked.target),
    lambda asked: explain_generation_key(asked.name, asked.target),
    lambda asked: explain_header(asked.name, asked.target),
    lambda asked: explain_setting(asked.name, asked.target),
    lambda asked: explain_endpoint(asked.name, asked.target),
    _by_leaf,
    _inside_free_object,
    _of_other_engine,
    lambda asked: explain_answer_key(asked.name, asked.target),
    lambda asked: explain_foreign(asked.name.lstrip("-"), asked.target),
    lambda asked: explain_option(f"--{asked.name}", asked.target, asked.program),
)
