"""What one server told of itself: its models and limits, and what it has refused before."""

from collections.abc import Callable, Iterator, Mapping
from time import localtime, strftime
from typing import Any

from vllmctl.catalog.facts import RuleFact
from vllmctl.catalog.served import Refusal, Served
from vllmctl.nearest import nearest
from vllmctl.record import replace
from vllmctl.rules.case import Case, Fault, Faults, put
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.registry import own_rule, rule
from vllmctl.rules.words import listed, shown

_CHAT = ("chat.completions",)
_LENGTHS = ("max_tokens", "max_completion_tokens")


def told(case: Case) -> Served | None:
    """Return what is known of the very server that gets the request."""
    return case.endpoint.target.served


def limit_of(case: Case, rule_id: str) -> int | None:
    """Return the number that the server named when it refused what a rule speaks of."""
    served = told(case)
    refusal = served.refused.get(rule_id) if served else None
    return refusal.limit if refusal else None


def with_memory(finding: Finding, refusal: Refusal) -> Finding:
    """Add to a finding that the server itself has refused such a request before.

    While the same process runs it is sure to do so again; else that is likely.
    """
    when = strftime("%Y-%m-%d %H:%M", localtime(refusal.at))
    level, since = Level.ERROR, "it has run since"
    if not refusal.is_current:
        level, since = Level.WARNING, "it may have been started anew since"
    message = f"{finding.message}; this server refused it on {when}, and {since}"
    return replace(finding, level=level, message=message)


def if_refused(fact: RuleFact) -> Callable[[Case], Iterator[Fault]]:
    """Return the logic of a rule that has none but a server's memory: its fields are sent."""

    def function(case: Case) -> Iterator[Fault]:
        sent = [name for name in fact.fields if case.is_set(name)]
        if sent:
            yield Fault(sent[0], f"{sent[0]}: {fact.text.rstrip('.')}", None, Level.NOTE)

    return function


@rule("model.unknown")
def unknown_model(case: Case) -> Faults:
    """Names, aliases and adapters that the server lists; an empty name is the first one."""
    served, name = told(case), case.value.get("model")
    if not served or not served.models or not isinstance(name, str) or not name:
        return
    if name not in served.models:
        near = nearest(name, served.models) or (
            served.models[0] if len(served.models) == 1 else None
        )
        message = f"this server serves {listed(served.models)}, not {shown(name)}"
        yield Fault("model", message, put("model", near) if near else None, Level.ERROR)


@rule("context.max_tokens_over")
def longer_than_context(case: Case) -> Faults:
    """More than fits, whatever the prompt is."""
    name = _LENGTHS[1] if case.is_set(_LENGTHS[1]) else _LENGTHS[0]
    yield from _over(case, name, "context.max_tokens_over")


@rule("truncate.too_large")
def cut_to_more(case: Case) -> Faults:
    """More than fits is nothing to cut to."""
    yield from _over(case, "truncate_prompt_tokens", "truncate.too_large")


def _over(case: Case, name: str, rule_id: str) -> Faults:
    served, value = told(case), case.number(name)
    if served is None or value is None:
        return
    most = served.max_model_len or limit_of(case, rule_id)
    if most is not None and value > most:
        message = f"{name} {value} is more than the {most} tokens of this server's model"
        level = Level.ERROR if served.max_model_len else Level.NOTE
        yield Fault(name, message, put(name, most), level)


@own_rule(
    "messages.text_model",
    "Media need a model that takes them.",
    ("messages",),
    kind="server",
    endpoints=_CHAT,
)
def text_model(case: Case) -> Faults:
    """Only a server that has refused media is known to take none."""
    served = told(case)
    if served and "messages.text_model" in served.refused:
        for path, _ in _media(case):
            yield Fault(path, f"{path} is no text, and the model takes text only")


@own_rule(
    "messages.local_media",
    "Files of the server's own machine need --allowed-local-media-path.",
    ("messages",),
    kind="server",
    endpoints=_CHAT,
)
def local_media(case: Case) -> Faults:
    """An address that begins with file://."""
    for path, part in _media(case):
        given = part.get(str(part.get("type")))
        url = given.get("url") if isinstance(given, dict) else given
        if isinstance(url, str) and url.startswith("file:"):
            message = f"{path} is a file of the server's: it needs --allowed-local-media-path"
            yield Fault(path, message)


def _media(case: Case) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts of messages that are media, with their paths."""
    from vllmctl.rules.parts import modality, parts

    for path, part, _ in parts(case):
        if modality(part):
            yield path, part
