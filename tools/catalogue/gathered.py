"""Turns a gathered catalogue, one big file an engine, into the data files that ship.

This is how the data began; a release that comes out later is taken in by ``update``. The
files depend on the gathered catalogue and ``corrections.json`` alone, byte for byte.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tools.catalogue.corrections import Corrections, for_gathered
from tools.catalogue.facts import references
from tools.catalogue.gathered_fields import Histories, Json
from tools.catalogue.type_texts import Names


def engine_files(engine: str, gathered: Json) -> dict[str, Json]:
    """Return every data file of one engine by name."""
    return Maker(gathered, for_gathered(engine)).files()


class Maker:
    """Makes the facts of one engine's endpoints from its gathered catalogue."""

    def __init__(self, gathered: Json, corrections: Corrections) -> None:
        self._gathered = gathered
        self._corrections = corrections
        externals = {name.split(".")[-1]: name for name in sorted(_externals(gathered))}
        externals |= corrections.externals
        names = Names({*gathered["models"], *_body_classes(gathered)}, externals)
        self._histories = Histories(names, gathered["versions"], corrections.limits)

    def files(self) -> dict[str, Json]:
        """Return every file by name."""
        endpoints = {f"{name}.json": self.endpoint(name) for name in self._gathered["endpoints"]}
        return {"index.json": self.index(), **endpoints, "engine.json": self.engine()}

    def index(self) -> Json:
        """Return the releases, oldest first, and where each endpoint is found."""
        endpoints = {}
        for name, facts in self._gathered["endpoints"].items():
            place = {key: facts[key] for key in ("path", "method", "since")}
            place |= _until(facts)
            if facts.get("aliases"):
                place["aliases"] = [alias["path"] for alias in facts["aliases"]]
            endpoints[name] = place
        return {
            "releases": self._gathered["versions"],
            "newest": self._gathered["newest"],
            "endpoints": endpoints,
        }

    def engine(self) -> Json:
        """Return the engine's own parameter classes and what is known of its answers."""
        return {
            **_present(self._gathered, "announced", "response_renames"),
            "models": self._models(self._gathered.get("sampling_params", {})),
        }

    def endpoint(self, name: str) -> Json:
        """Return everything that is known of one endpoint, for all releases."""
        facts = self._gathered["endpoints"][name]
        models = {model: self._gathered["models"][model] for model in self._models_of(facts)}
        return {
            "path": facts["path"],
            "method": facts["method"],
            "body": self._corrections.bodies.get(name, facts["body"]),
            "description": facts["description"],
            "since": facts["since"],
            **_until(facts),
            "unknown": _unknown_policy(facts.get("unknown_fields", {})),
            "headers": self._headers(name),
            "renames": self._renames(name),
            "fields": self._fields(facts["fields"], name),
            "models": self._models(models),
            "rules": self._rules(name),
        }

    def _models(self, models: Mapping[str, Json]) -> Json:
        return {
            name: {
                "kind": facts["kind"],
                "since": facts["since"],
                **_until(facts),
                "unknown": self._corrections.unknown.get(
                    name, [[facts["since"], facts["unknown_fields"]]]
                ),
                **_present(facts, "description"),
                "fields": self._fields(facts["fields"]),
            }
            for name, facts in models.items()
        }

    def _fields(self, fields: Mapping[str, Json], endpoint: str = "") -> Json:
        return {
            facts.get("alias", name): self._field(name, facts, endpoint)
            for name, facts in fields.items()
        }

    def _field(self, name: str, facts: Json, endpoint: str) -> Json:
        field: Json = {"states": self._histories.states(name, facts, endpoint), **_until(facts)}
        if facts.get("alias"):
            field["attribute"] = name
        keys = ("ranges", "deprecated_since", "effect", "internal", "variants", "in")
        return field | _present(facts, *keys) | _present(facts, "description", "source")

    def _models_of(self, facts: Json) -> list[str]:
        """Names of the models that an endpoint's fields lead to, in any release."""
        found: dict[str, None] = {}
        fields = list(facts["fields"].values())
        while fields:
            for name in references(self._histories.schemas(fields.pop(0))):
                if name not in found and name in self._gathered["models"]:
                    found[name] = None
                    fields += self._gathered["models"][name]["fields"].values()
        return sorted(found)

    def _renames(self, endpoint: str) -> list[Json]:
        return [
            {
                **{key: rename[key] for key in ("from", "to", "how")},
                **_present(rename, "note", "server_translates_since"),
                **{
                    k: v
                    for k, v in rename["endpoints"][endpoint].items()
                    if v not in (None, "current")
                },
            }
            for rename in self._gathered.get("renames", ())
            if endpoint in rename["endpoints"]
        ]

    def _headers(self, endpoint: str) -> list[Json]:
        return [
            {"name": header["name"], **_present(header, "stands_for", "note")}
            for header in self._gathered.get("headers", ())
            if endpoint in header["endpoints"]
        ]

    def _rules(self, endpoint: str) -> Json:
        rules = {}
        has_body = self._gathered["endpoints"][endpoint]["body"] is not None
        for name, rule in self._gathered["rules"].items():
            span = self._rule_span(name, rule, endpoint)
            if span is None or ("*" in rule["endpoints"] and not has_body):
                continue
            check = rule.get("check_for", {}).get(endpoint, rule.get("check"))
            rules[name] = {
                "kind": rule["kind"],
                "text": rule["text"],
                "fields": rule["fields"],
                "since": span["since"],
                **_until(span),
                **_present(rule | span, "gaps"),
                **_present(rule, "status", "source"),
                **({"check": check} if check else {}),
            }
        return rules

    def _rule_span(self, name: str, rule: Json, endpoint: str) -> Json | None:
        """From when to when a rule holds for an endpoint, if it does."""
        gathered = _gathered_span(rule, endpoint)
        corrected = self._corrections.rules.get(name, {}).get(endpoint)
        if corrected is None:
            return gathered
        return {"until": "current", **(gathered or {}), **corrected}


def _gathered_span(rule: Json, endpoint: str) -> Json | None:
    """A list of endpoints means the rule's whole span."""
    endpoints = rule["endpoints"]
    if isinstance(endpoints, list):
        return rule if endpoint in endpoints else None
    span: Json | None = endpoints.get(endpoint, endpoints.get("*"))
    return span


def _until(facts: Json) -> Json:
    return {} if facts["until"] == "current" else {"until": facts["until"]}


def _present(facts: Json, *keys: str) -> Json:
    return {key: facts[key] for key in keys if facts.get(key) not in (None, "", [], False)}


def _unknown_policy(policies: Mapping[str, str]) -> list[list[str]]:
    """``[[release, "ignored"], …]``, without what is merely logged."""
    kept: list[list[str]] = []
    for release, text in policies.items():
        policy = text.split(",")[0]
        if not kept or kept[-1][1] != policy:
            kept.append([release, policy])
    return kept


def _body_classes(gathered: Json) -> Iterator[str]:
    """Yield the names of the endpoints' bodies, in any release."""
    for facts in gathered["endpoints"].values():
        for classes in (facts.get("models") or {}).values():
            yield from classes


def _externals(facts: Any) -> set[str]:
    if isinstance(facts, dict):
        own = {facts["x-external"]} if "x-external" in facts else set()
        return own.union(*(_externals(value) for value in facts.values()))
    if isinstance(facts, list):
        return set().union(*(_externals(item) for item in facts))
    return set()
