"""Turns the gathered catalogues into the compact facts that the program ships with.

    python tools/make_catalogue.py CATALOG.json [--furiosa FURIOSA.json] [--out DIRECTORY]

Writes one folder an engine with ``index.json`` and one file an endpoint. The output
depends on the input alone, byte for byte.
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from catalogue_types import Names, Schema, parse_type, with_limits

Facts = dict[str, Any]

DATA = Path(__file__).parents[1] / "vllmctl" / "catalog" / "data"
CORRECTIONS = Path(__file__).with_name("catalogue_corrections.json")

_NOT_A_VALUE = re.compile(r"random id|Literal\[|RequestOutputKind\.")
"""A default that the server makes up, or that is no JSON value."""


def main() -> None:
    """Read the arguments and write every engine's files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path, help="the vLLM catalogue")
    parser.add_argument("--furiosa", type=Path, help="the Furiosa-LLM catalogue")
    parser.add_argument("--out", type=Path, default=DATA, help="where the engine folders go")
    arguments = parser.parse_args()
    write_engine("vllm", read(arguments.catalog), arguments.out)
    if arguments.furiosa:
        write_engine("furiosa", read(arguments.furiosa), arguments.out)


def read(path: Path) -> Facts:
    """Return the catalogue at ``path``."""
    facts: Facts = json.loads(path.read_text(encoding="utf-8"))
    return facts


def write_engine(engine: str, catalog: Facts, out: Path) -> None:
    """Write the index and the endpoint files of one engine under ``out / engine``."""
    folder = out / engine
    folder.mkdir(parents=True, exist_ok=True)
    corrections = read(CORRECTIONS).get(engine, [])
    for path, facts in engine_files(catalog, corrections).items():
        (folder / path).write_text(dump(facts), encoding="utf-8")


def engine_files(catalog: Facts, corrections: Sequence[Facts] = ()) -> dict[str, Facts]:
    """Return every file of one engine by name."""
    maker = Maker(catalog, corrections)
    files = {f"{name}.json": maker.endpoint(name) for name in catalog["endpoints"]}
    return {"index.json": maker.index(), **files, "engine.json": maker.engine()}


def dump(facts: Facts) -> str:
    """Return ``facts`` as JSON with a line for each field, rule and rename."""
    return _lines(facts, 0) + "\n"


def _lines(facts: Facts, depth: int) -> str:
    """Objects of objects are spread over lines, their members are not."""
    indent = " " * (depth + 1)
    members = ",\n".join(f"{indent}{_json(k)}: {_member(v, depth + 1)}" for k, v in facts.items())
    return f"{{\n{members}\n{' ' * depth}}}"


def _member(value: Any, depth: int) -> str:
    return _lines(value, depth) if _has_facts(value) else _json(value)


def _has_facts(value: Any) -> bool:
    """Whether it is a set of facts or a model, not one field, rule or place."""
    if not isinstance(value, dict) or "states" in value or "text" in value:
        return False
    return any(isinstance(inner, dict) for inner in value.values())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Maker:
    """Makes the facts of one engine's endpoints from its catalogue."""

    def __init__(self, catalog: Facts, corrections: Sequence[Facts] = ()) -> None:
        self._catalog = catalog
        self._corrections = {correction["field"]: correction for correction in corrections}
        self._order = {release: place for place, release in enumerate(catalog["versions"])}
        externals = {name.split(".")[-1]: name for name in sorted(_externals(catalog))}
        self._names = Names(catalog["models"], externals)

    def index(self) -> Facts:
        """Return the releases, oldest first, and where each endpoint is found."""
        endpoints = {}
        for name, facts in self._catalog["endpoints"].items():
            place = {key: facts[key] for key in ("path", "method", "since")}
            place |= _until(facts)
            if facts.get("aliases"):
                place["aliases"] = [alias["path"] for alias in facts["aliases"]]
            endpoints[name] = place
        return {
            "releases": self._catalog["versions"],
            "newest": self._catalog["newest"],
            "endpoints": endpoints,
        }

    def engine(self) -> Facts:
        """Return the engine's own parameter classes and what is known of its answers."""
        return {
            **_present(self._catalog, "announced", "response_renames"),
            "models": self._models(self._catalog.get("sampling_params", {})),
        }

    def endpoint(self, name: str) -> Facts:
        """Return everything that is known of one endpoint, for all releases."""
        facts = self._catalog["endpoints"][name]
        models = {model: self._catalog["models"][model] for model in self._models_of(facts)}
        return {
            "path": facts["path"],
            "method": facts["method"],
            "body": facts["body"],
            "description": facts["description"],
            "since": facts["since"],
            **_until(facts),
            "unknown": _unknown_policy(facts.get("unknown_fields", {})),
            "headers": self._headers(name),
            "renames": self._renames(name),
            "fields": self._fields(facts["fields"]),
            "models": self._models(models),
            "rules": self._rules(name),
        }

    def _models(self, models: Mapping[str, Facts]) -> Facts:
        return {
            name: {
                "kind": facts["kind"],
                "since": facts["since"],
                **_until(facts),
                "unknown": facts["unknown_fields"],
                **_present(facts, "description"),
                "fields": self._fields(facts["fields"]),
            }
            for name, facts in models.items()
        }

    def _fields(self, fields: Mapping[str, Facts]) -> Facts:
        return {
            facts.get("alias", name): self._field(name, facts) for name, facts in fields.items()
        }

    def _field(self, name: str, facts: Facts) -> Facts:
        history = self._corrected(name, self._history(facts))
        field: Facts = {"states": list(_states(history)), **_until(facts)}
        if facts.get("alias"):
            field["attribute"] = name
        keys = ("ranges", "deprecated_since", "effect", "internal", "variants", "in")
        return field | _present(facts, *keys) | _present(facts, "description", "source")

    def _corrected(self, name: str, history: list[tuple[str, Facts]]) -> list[tuple[str, Facts]]:
        """Put in what the real server showed, from the release on where it holds."""
        correction = self._corrections.get(name)
        if correction is None:
            return history
        first = max(correction["since"], history[0][0], key=self._order.__getitem__)
        before = [(at, state) for at, state in history if self._order[at] < self._order[first]]
        after = [(at, state) for at, state in history if self._order[at] > self._order[first]]
        now = [state for at, state in history if self._order[at] <= self._order[first]][-1]
        return before + [
            (at, {**state, "schema": _with_correction(state["schema"], correction)})
            for at, state in [(first, now), *after]
        ]

    def _history(self, facts: Facts) -> list[tuple[str, Facts]]:
        """Walk back from the newest state through the changes."""
        changes: dict[str, dict[str, Any]] = {}
        for change in facts.get("changes", ()):
            changes.setdefault(change["at"], {})[change["what"]] = change["from"]
        known: Facts = {
            "type": facts["type"],
            "limits": facts.get("limits", {}),
            "default": "required" if facts.get("required") else facts.get("default"),
        }
        newest, history = dict(known), []
        for at, before in reversed(changes.items()):
            history.append((at, self._state(known, newest, facts)))
            known = {**known, **before}
        history.append((facts["since"], self._state(known, newest, facts)))
        return history[::-1]

    def _state(self, known: Facts, newest: Facts, facts: Facts) -> Facts:
        schema: Schema = facts.get("schema") or parse_type(facts["type"], self._names)
        if facts.get("by_variant"):
            schema = self._any_variant(facts)
        if known["type"] != newest["type"]:
            schema = parse_type(known["type"], self._names)
        if known["type"] != newest["type"] or known["limits"] != newest["limits"]:
            schema = with_limits(schema, _first_variant(known["limits"]))
        required = known["default"] == "required"
        default = None if required else _first_variant(known["default"])
        note = default if isinstance(default, str) and _NOT_A_VALUE.match(default) else ""
        return {
            "schema": schema,
            "required": required,
            "default": None if note else default,
            "default_note": note,
        }

    def _any_variant(self, facts: Facts) -> Schema:
        """The union of what the endpoint's different bodies take under one name."""
        texts = dict.fromkeys(v["type"] for v in facts["by_variant"].values())
        if len(texts) == 1:
            return dict(facts["schema"])
        return with_limits(parse_type(" / ".join(texts), self._names), facts.get("limits", {}))

    def _models_of(self, facts: Facts) -> list[str]:
        """Names of the models that an endpoint's fields lead to, in any release."""
        found: dict[str, None] = {}
        fields = list(facts["fields"].values())
        while fields:
            for _, state in self._history(fields.pop(0)):
                for name in _references(state["schema"]):
                    if name not in found and name in self._catalog["models"]:
                        found[name] = None
                        fields += self._catalog["models"][name]["fields"].values()
        return sorted(found)

    def _renames(self, endpoint: str) -> list[Facts]:
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
            for rename in self._catalog.get("renames", ())
            if endpoint in rename["endpoints"]
        ]

    def _headers(self, endpoint: str) -> list[Facts]:
        return [
            {"name": header["name"], **_present(header, "stands_for", "note")}
            for header in self._catalog.get("headers", ())
            if endpoint in header["endpoints"]
        ]

    def _rules(self, endpoint: str) -> Facts:
        rules = {}
        has_body = self._catalog["endpoints"][endpoint]["body"] is not None
        for name, rule in self._catalog["rules"].items():
            span = _rule_span(rule, endpoint)
            if span is None or ("*" in rule["endpoints"] and not has_body):
                continue
            check = rule.get("check_for", {}).get(endpoint, rule.get("check"))
            rules[name] = {
                "kind": rule["kind"],
                "text": rule["text"],
                "fields": rule["fields"],
                "since": span["since"],
                **_until(span),
                **_present(rule, "gaps", "status", "source"),
                **({"check": check} if check else {}),
            }
        return rules


def _states(history: list[tuple[str, Facts]]) -> Iterator[Facts]:
    """Yield what a field was from release to release; later states hold the changes only."""
    previous: Facts = {"required": False, "default_note": ""}
    for at, state in history:
        changed = {k: v for k, v in state.items() if k not in previous or previous[k] != v}
        if changed:
            yield {"since": at, **changed}
        previous = state


def _with_correction(schema: Schema, correction: Facts) -> Schema:
    if schema.get("type") == correction["type"]:
        return {**schema, **correction["add"]}
    return schema


def _rule_span(rule: Facts, endpoint: str) -> Facts | None:
    """From when to when a rule holds for an endpoint; a list of names means the whole span."""
    endpoints = rule["endpoints"]
    if isinstance(endpoints, list):
        return rule if endpoint in endpoints else None
    span: Facts | None = endpoints.get(endpoint, endpoints.get("*"))
    return span


def _until(facts: Facts) -> Facts:
    return {} if facts["until"] == "current" else {"until": facts["until"]}


def _present(facts: Facts, *keys: str) -> Facts:
    return {key: facts[key] for key in keys if facts.get(key) not in (None, "", [], False)}


def _first_variant(value: Any) -> Any:
    """The source joins what differs between an endpoint's bodies with `` / ``; take the first."""
    if isinstance(value, str) and " / " in value:
        return json.loads(value.split(" / ")[0])
    return value


def _unknown_policy(policies: Mapping[str, str]) -> list[list[str]]:
    """``[[release, "ignored"], …]``, without what is merely logged."""
    kept: list[list[str]] = []
    for release, text in policies.items():
        policy = text.split(",")[0]
        if not kept or kept[-1][1] != policy:
            kept.append([release, policy])
    return kept


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix("#/models/")
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _externals(facts: Any) -> set[str]:
    if isinstance(facts, dict):
        own = {facts["x-external"]} if "x-external" in facts else set()
        return own.union(*(_externals(value) for value in facts.values()))
    if isinstance(facts, list):
        return set().union(*(_externals(item) for item in facts))
    return set()


if __name__ == "__main__":
    main()
