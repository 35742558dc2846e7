"""The reference of the rules: what servers refuse, ignore, change, or decide by themselves."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.docs.markdown import code, heading, page, text
from vllmctl.catalog.facts import RuleFact
from vllmctl.catalog.files import read_endpoint, read_index
from vllmctl.explain.sections import SAYS, span
from vllmctl.fields.sugar import BOTH
from vllmctl.rules.registry import all_own_rules

_ENGINE = "vllm"
_MOST_NAMED = 4
_KINDS = {
    "reject": "The server answers with an error; `vllmctl lint` calls it an `error`.",
    "ignore": "The server answers 200 and leaves it out; `lint` calls it `ignored`.",
    "normalize": "The server takes it and changes or reads it its own way; `lint` warns or notes.",
    "server": "It depends on how the server was started, or on its model.",
}


@dataclass(slots=True)
class Rule:
    """A rule, and the endpoints that have it."""

    fact: RuleFact
    endpoints: list[str] = field(default_factory=list)


def pages() -> dict[str, str]:
    """Return the page by its path in the site."""
    rules = every_rule()
    count = f"{len(rules)} rules of vLLM's servers, with their first and last release. "
    use = "`vllmctl explain CODE` prints the same, `vllmctl lint` applies them."
    blocks = [heading(1, "Rules"), count + use]
    for kind, meaning in _KINDS.items():
        members = [rule for rule in rules.values() if rule.fact.kind == kind]
        blocks += [heading(2, _title(kind), kind), meaning, *_sorted(members)]
    return {"reference/rules.md": page(*blocks)}


def every_rule() -> dict[str, Rule]:
    """Return the rules of all endpoints and releases by id, the catalogue's and our own."""
    rules: dict[str, Rule] = {}
    for endpoint, fact in _facts():
        rules.setdefault(fact.id, Rule(fact)).endpoints.append(endpoint)
    return rules


def _facts() -> Iterator[tuple[str, RuleFact]]:
    known = read_index(_ENGINE)["endpoints"]
    for name in (*BOTH, *(each for each in known if each not in BOTH)):
        for id_, rule in read_endpoint(_ENGINE, name)["rules"].items():
            fields = tuple(rule["fields"])
            span_ = (rule["since"], rule.get("until"))
            fact = RuleFact(id_, rule["text"], rule["kind"], fields, None, *span_)
            yield name, fact._replace(status=rule.get("status"))
    for own in all_own_rules():
        for name in own.endpoints:
            yield name, own.fact


def _title(kind: str) -> str:
    return SAYS[kind].capitalize() if kind != "server" else "Up to the server"


def _sorted(rules: list[Rule]) -> Iterator[str]:
    """The rules of chat and completions first, then those of other endpoints only."""
    main = [rule for rule in rules if set(BOTH) & set(rule.endpoints)]
    others = [rule for rule in rules if rule not in main]
    for rule in sorted(main, key=_id) + sorted(others, key=_id):
        yield heading(3, code(rule.fact.id), rule.fact.id)
        yield text(rule.fact.text)
        yield _facts_of(rule)


def _id(rule: Rule) -> str:
    return rule.fact.id


def _facts_of(rule: Rule) -> str:
    fact = rule.fact
    parts = [_endpoints(rule.endpoints), span(fact.since, fact.until)]
    if fact.fields:
        parts.append(f"fields {', '.join(map(code, fact.fields))}")
    if fact.status:
        parts.append(f"status {fact.status}")
    return f"{' · '.join(parts)}\n{{ .facts }}"


def _endpoints(names: list[str]) -> str:
    shown = names[:_MOST_NAMED]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
