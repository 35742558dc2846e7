"""JSON Schema (draft 2020-12) of profile files, so that editors complete and check them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field, Model
from vllmctl.catalog.load import models_of, walk
from vllmctl.explain.body_schema import DRAFT, SchemaMaker
from vllmctl.request.profiles.field_check import SECTIONS
from vllmctl.request.server.keys import SERVER_KEYS

Json = dict[str, Any]

_FILE = {"type": "string", "pattern": "^@.", "description": "Read from a file"}
_TEXT = {"type": "string", "minLength": 1}
_DURATION = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$"},
    ]
}
_SWITCH = {"type": "boolean"}
_SERVER: Mapping[str, Json] = {
    "base_url": _TEXT,
    "model": _TEXT,
    "target": _TEXT,
    "api_key_env": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "api_key_cmd": {
        "anyOf": [_TEXT, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
    },
    "api_key_keyring": {"type": "string", "pattern": "^.+/[^/]+$"},
    "api_key": _TEXT,
    "headers": {"type": "object", "additionalProperties": {"type": "string"}},
    "connect_timeout": _DURATION,
    "idle_timeout": _DURATION,
    "timeout": _DURATION,
    "retries": {"type": "integer", "minimum": 0},
    "proxy": {"type": "string"},
    "insecure": _SWITCH,
    "ca_file": _TEXT,
    "cert_file": _TEXT,
    "key_file": _TEXT,
}
"""What ``vllmctl.request.server.keys`` checks, as far as JSON Schema can say it."""


def profile_schema(endpoints: Iterable[Endpoint]) -> Json:
    """Return the schema of ``vllmctl.toml``, ``config.toml`` and ``NAME.toml``.

    ``endpoints`` are those whose fields profiles hold, at the release that is meant.
    Unknown keys are refused, as the program does.
    """
    by_name = {of.name: of for of in endpoints}
    makers = {name: SchemaMaker(of) for name, of in by_name.items()}
    sections = {
        section: _section([by_name[name] for name in names if name in by_name], makers)
        for section, names in SECTIONS.items()
    }
    profile = _table({**_own_keys(), **sections, "server": _server()})
    named = {"type": "object", "additionalProperties": {"$ref": "#/$defs/profile"}}
    shapes = [shape for name, of in by_name.items() for shape in _as_in_profiles(makers[name], of)]
    return {
        "$schema": DRAFT,
        "title": "vllmctl profiles",
        **profile,
        "properties": {**profile["properties"], "profiles": named},
        "$defs": {"profile": profile, **dict(shapes)},
    }


def _own_keys() -> Json:
    names = {"type": "array", "items": _TEXT}
    return {
        "description": {"type": "string", "description": "One line for the list"},
        "extends": {"anyOf": [_TEXT, names], "description": "Profiles to apply before this one"},
    }


def _section(endpoints: list[Endpoint], makers: Mapping[str, SchemaMaker]) -> Json:
    """A table of fields; where endpoints differ, the value has to suit each of them."""
    fields: dict[str, list[Json]] = {}
    for of in endpoints:
        for name, field in of.fields.items():
            fields.setdefault(name, []).append(makers[of.name].field(field))
    return _table({name: _field(made) for name, made in fields.items()})


def _field(made: list[Json]) -> Json:
    """The value itself, or the file that holds it; what is deprecated is so wherever it is."""
    bare = [_bare(each) for each in made]
    different = [each for place, each in enumerate(bare) if each not in bare[:place]]
    value = different[0] if len(different) == 1 else {"allOf": different}
    words: Json = {"description": made[0]["description"]} if "description" in made[0] else {}
    if all(each.get("deprecated") for each in made):
        words["deprecated"] = True
    return {"anyOf": [value, _FILE], **words}


def _bare(schema: Json) -> Json:
    return {k: v for k, v in schema.items() if k not in ("description", "default", "deprecated")}


def _server() -> Json:
    return _table(
        {name: {**_SERVER[name], "description": key.help} for name, key in SERVER_KEYS.items()}
    )


def _table(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _as_in_profiles(maker: SchemaMaker, of: Endpoint) -> Iterator[tuple[str, Json]]:
    """The nested shapes; those of objects of one shape have no unknown parts in a profile."""
    single = {model.name for _, field in walk(of) for model in _only_model(of, field)}
    for name, made in maker.definitions.items():
        if name in single:
            parts = {key: _field([part]) for key, part in made["properties"].items()}
            yield name, {**made, "properties": parts, "additionalProperties": False}
        else:
            yield name, made


def _only_model(of: Endpoint, field: Field) -> tuple[Model, ...]:
    models = models_of(of, field)
    return models if len(models) == 1 else ()
