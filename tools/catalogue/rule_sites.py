"""Tells which of the catalogue's rules a release still enforces.

``rule_sites.json`` says, for every rule, how to find it in the sources: ``messages`` are
patterns of what a refusal says (``owner`` and ``path`` narrow where), ``code`` pairs a
pattern of paths with one of source text, for what happens without a word.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tools.catalogue.facts import EndpointFacts
from tools.catalogue.modules import Sources
from tools.catalogue.raise_sites import Site, raise_sites

RULE_SITES = Path(__file__).with_name("rule_sites.json")

_FEW_PLACES = 6
_WHERE_CODE_TELLS = re.compile(
    r"vllm/((entrypoints|renderers)/|(sampling_params|tasks)\.py$"
    r"|v1/(structured_output|engine)/\w+\.py$|v1/core/sched/request_queue\.py$"
    r"|(transformers_utils/)?tokenizers/mistral\.py$)"
)
_NOT_THE_SERVER = re.compile(r"/cli/|entrypoints/llm\.py$")


@dataclass(slots=True)
class Enforced:
    """``rules`` tells where each rule was found (``path:line``), ``owners`` in which classes.

    ``others`` are the refusals that belong to no rule.
    """

    rules: dict[str, list[str]] = field(default_factory=dict)
    owners: dict[str, set[str]] = field(default_factory=dict)
    others: list[Site] = field(default_factory=list)

    def add(self, rule: str, place: str, owner: str) -> None:
        """Note that ``rule`` was found at ``place``."""
        self.rules.setdefault(rule, []).append(place)
        self.owners.setdefault(rule, set()).add(owner)

    def places(self, rule: str) -> list[str]:
        """Return where a rule was found, each place once."""
        return sorted(set(self.rules[rule]))[:_FEW_PLACES]

    def holds(self, rule: str, endpoint: EndpointFacts, body_classes: frozenset[str]) -> bool:
        """Whether a rule may hold for an endpoint.

        What only classes of bodies check (``body_classes`` names all of them) holds for the
        endpoints that take those bodies; anything else for every endpoint.
        """
        owners = self.owners.get(rule, set())
        return bool(owners - body_classes or owners & endpoint.classes)


@dataclass(slots=True)
class _Signs:
    """How one rule is found."""

    messages: list[re.Pattern[str]]
    owner: re.Pattern[str]
    path: re.Pattern[str]
    code: list[tuple[re.Pattern[str], re.Pattern[str]]]

    def are_at(self, site: Site) -> bool:
        return (
            any(pattern.search(site.message) for pattern in self.messages)
            and bool(self.owner.search(site.owner))
            and bool(self.path.search(site.path))
        )


def _all_signs() -> dict[str, _Signs]:
    return _signs_in(RULE_SITES)


@cache
def _signs_in(path: Path) -> dict[str, _Signs]:
    given = json.loads(path.read_text(encoding="utf-8"))
    return {rule: _compiled(signs) for rule, signs in given.items()}


def can_be_found(rule: str) -> bool:
    """Whether it is known how to find a rule in the sources."""
    return rule in _all_signs()


def _compiled(signs: Mapping[str, Any]) -> _Signs:
    return _Signs(
        [re.compile(text) for text in signs.get("messages", ())],
        re.compile(signs.get("owner", "")),
        re.compile(signs.get("path", "")),
        [(re.compile(path), re.compile(text)) for path, text in signs.get("code", ())],
    )


def enforced(sources: Sources) -> Enforced:
    """Return the rules that a release enforces, and its refusals that belong to no rule."""
    found = Enforced()
    for site in raise_sites(sources):
        rules = [rule for rule, signs in _all_signs().items() if signs.are_at(site)]
        for rule in rules:
            found.add(rule, f"{site.path}:{site.line}", site.owner.partition(".")[0])
        if not rules:
            found.others.append(site)
    _add_silent_ones(found, sources)
    return found


def _add_silent_ones(found: Enforced, sources: Sources) -> None:
    for path, text in sources.files.items():
        if not _WHERE_CODE_TELLS.match(path) or _NOT_THE_SERVER.search(path):
            continue
        for rule, signs in _all_signs().items():
            for where, pattern in signs.code:
                sign = pattern.search(text) if where.search(path) else None
                if sign:
                    found.add(rule, f"{path}:{text.count(chr(10), 0, sign.start()) + 1}", "")
