"""Takes a new release into the catalogue's data."""

import copy
from collections.abc import Mapping
from typing import Any

from tools.catalogue.facts import EndpointFacts, FieldFacts, ModelFacts, ReleaseFacts, reachable
from tools.catalogue.rule_sites import Enforced, can_be_found
from tools.catalogue.schemas import exact_text, settled
from tools.catalogue.shipped import Clock, Shipped
from tools.catalogue.spans import end, keep

Json = dict[str, Any]

_FIELD_KEYS = (
    "states",
    "until",
    "attribute",
    "ranges",
    "deprecated_since",
    "effect",
    "internal",
    "variants",
    "in",
    "description",
    "source",
)
_MODEL_KEYS = ("kind", "since", "until", "ranges", "unknown", "description", "fields")
_ENDPOINT_KEYS = (
    "path",
    "method",
    "body",
    "description",
    "since",
    "until",
    "ranges",
    "unknown",
    "headers",
    "renames",
    "fields",
    "models",
    "rules",
)
_RULE_KEYS = (
    "kind",
    "text",
    "fields",
    "since",
    "until",
    "ranges",
    "gaps",
    "status",
    "source",
    "check",
)
_PLACE_KEYS = ("path", "method", "since", "until", "ranges", "aliases")


def updated(shipped: Shipped, facts: ReleaseFacts, enforced: Enforced) -> dict[str, Json]:
    """Return every data file by name as it is with the release of ``facts`` taken in.

    The release must be newer than all that ``shipped`` knows.
    """
    return _Update(copy.deepcopy(shipped), facts, enforced).files()


class _Update:
    def __init__(self, shipped: Shipped, facts: ReleaseFacts, enforced: Enforced) -> None:
        self._shipped = shipped
        self._facts = facts
        self._enforced = enforced
        self._release = facts.release
        self._last = shipped.releases[-1]
        self._before = Clock(shipped.releases, self._last)
        self._body_classes = facts.body_classes
        self._models = self._updated_models(self._known_models(), facts.models)

    def files(self) -> dict[str, Json]:
        names = [*self._shipped.endpoints, *self._facts.endpoints]
        endpoints = {name: self._endpoint(name) for name in dict.fromkeys(names)}
        return {
            "index.json": self._index(endpoints),
            **{f"{name}.json": facts for name, facts in endpoints.items()},
            "engine.json": {
                **self._shipped.engine,
                "models": self._updated_models(self._shipped.engine["models"], self._facts.engine),
            },
        }

    def _index(self, endpoints: Mapping[str, Json]) -> Json:
        return {
            **self._shipped.index,
            "releases": [*self._shipped.releases, self._release],
            "newest": self._release,
            "endpoints": {name: self._place(name, facts) for name, facts in endpoints.items()},
        }

    def _place(self, name: str, facts: Json) -> Json:
        """What the index repeats of an endpoint, and the other paths that lead to it."""
        here = self._facts.endpoints.get(name)
        known = self._shipped.index["endpoints"].get(name, {})
        place = {**facts, "aliases": list(here.aliases) if here else known.get("aliases", [])}
        return {key: place[key] for key in _PLACE_KEYS if place.get(key)}

    def _endpoint(self, name: str) -> Json:
        known = self._shipped.endpoints.get(name) or _new_endpoint(self._release)
        here = self._facts.endpoints.get(name)
        if here is None:
            end(known, self._last)
            for member in (*known["fields"].values(), *known["rules"].values()):
                end(member, self._last)
        else:
            self._renew_endpoint(known, here)
        return _in_order(known, _ENDPOINT_KEYS)

    def _renew_endpoint(self, known: Json, here: EndpointFacts) -> None:
        keep(known, self._release)
        known |= {"path": here.path, "method": here.method, "body": here.body}
        self._note_policy(known, here.unknown)
        known["fields"] = self._updated_fields(known["fields"], here.fields)
        names = {*known["models"], *reachable(here.fields, self._facts.models)}
        known["models"] = {name: self._models[name] for name in sorted(names)}
        for rule, facts in known["rules"].items():
            if can_be_found(rule) and self._before.has(facts):
                self._renew_rule(rule, facts, here)
        known["rules"] = {
            rule: _in_order(facts, _RULE_KEYS) for rule, facts in known["rules"].items()
        }

    def _renew_rule(self, rule: str, facts: Json, here: EndpointFacts) -> None:
        if self._enforced.holds(rule, here, self._body_classes):
            facts["source"] = self._enforced.places(rule)
        else:
            end(facts, self._last)

    def _known_models(self) -> dict[str, Json]:
        """Every nested model; the files tell the same of those that they share."""
        endpoints = self._shipped.endpoints.values()
        return {name: facts for each in endpoints for name, facts in each["models"].items()}

    def _updated_models(
        self, known: Mapping[str, Json], here: Mapping[str, ModelFacts]
    ) -> dict[str, Json]:
        names = sorted({*known, *here})
        return {name: self._model(known.get(name), here.get(name)) for name in names}

    def _model(self, known: Json | None, here: ModelFacts | None) -> Json:
        facts: Json = known if known is not None else _new_model(self._release)
        if here is None:
            end(facts, self._last)
            for field in facts["fields"].values():
                end(field, self._last)
        else:
            keep(facts, self._release)
            facts["kind"] = here.kind
            self._note_policy(facts, here.unknown)
            facts["fields"] = self._updated_fields(facts["fields"], here.fields)
        return _in_order(facts, _MODEL_KEYS)

    def _note_policy(self, facts: Json, now: str | None) -> None:
        """What is done with unknown fields gets a release where it is not as before."""
        before = [policy for _, policy in facts["unknown"]]
        if now is not None and before[-1:] != [now]:
            facts["unknown"].append([self._release, now])

    def _updated_fields(
        self, known: Mapping[str, Json], here: Mapping[str, FieldFacts]
    ) -> dict[str, Json]:
        """Fields in the order of the release, after them those that are gone."""
        fields = {name: self._field(known.get(name), facts) for name, facts in here.items()}
        for name, gone in known.items():
            if name not in here:
                end(gone, self._last)
                fields[name] = _in_order(gone, _FIELD_KEYS)
        return fields

    def _field(self, known: Json | None, here: FieldFacts) -> Json:
        facts: Json = known if known is not None else {"states": [], "description": ""}
        if facts["states"]:
            keep(facts, self._release)
        if here.schema is not None or known is None:
            self._add_state(facts, here)
        self._note_deprecation(facts, here)
        _set(facts, "attribute", here.attribute)
        _set(facts, "variants", list(here.variants))
        _set(facts, "in", here.place if here.place != "body" else None)
        if here.internal:
            facts["internal"] = True
        facts["source"] = here.source
        return _in_order(facts, _FIELD_KEYS)

    def _add_state(self, facts: Json, here: FieldFacts) -> None:
        """Note what is not as before; a first state says only what is not ordinary."""
        ordinary: Json = {"required": False, "default_note": ""}
        before = ordinary | self._before.state(facts)
        now = {
            "schema": here.schema or {},
            "required": here.required,
            "default": here.default,
            "default_note": here.default_note,
        }
        changed = {
            key: value
            for key, value in now.items()
            if key not in before or _text(before[key]) != _text(value)
        }
        if changed:
            facts["states"].append({"since": self._release, **changed})

    def _note_deprecation(self, facts: Json, here: FieldFacts) -> None:
        if here.deprecated:
            facts.setdefault("deprecated_since", self._release)
        else:
            facts.pop("deprecated_since", None)


def _new_endpoint(release: str) -> Json:
    return {
        "description": "",
        "since": release,
        "unknown": [],
        "headers": [],
        "renames": [],
        "fields": {},
        "models": {},
        "rules": {},
    }


def _new_model(release: str) -> Json:
    return {"since": release, "unknown": [], "fields": {}}


def _text(value: Any) -> str:
    """Schemas may write one thing in two ways."""
    return exact_text(settled(value) if isinstance(value, dict) else value)


def _set(facts: Json, key: str, value: Any) -> None:
    facts.pop(key, None)
    if value:
        facts[key] = value


def _in_order(facts: Json, keys: tuple[str, ...]) -> Json:
    """The known keys in their order, after them those that others have put there."""
    return {key: facts[key] for key in keys if key in facts} | facts
