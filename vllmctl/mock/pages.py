"""The answers that need no generation: models, version, tokens, the API's own description."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.catalog.bodies import bodies
from vllmctl.catalog.facts import Endpoint, Field, Model
from vllmctl.catalog.load import endpoint, endpoint_names
from vllmctl.catalog.target import Target
from vllmctl.mock import tokenizer
from vllmctl.mock.options import MockOptions
from vllmctl.mock.plan import thinks
from vllmctl.mock.prompt import chat_prompt


def models_page(options: MockOptions, started: int) -> dict[str, Any]:
    """Return the list of ``/v1/models``."""
    return {"object": "list", "data": [_model(name, options, started) for name in options.models]}


def _model(name: str, options: MockOptions, started: int) -> dict[str, Any]:
    permission = {
        "id": f"modelperm-{uuid.uuid4().hex[:16]}",
        "object": "model_permission",
        "created": started,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
    return {
        "id": name,
        "object": "model",
        "created": started,
        "owned_by": "vllm",
        "root": options.models[0],
        "parent": None,
        "max_model_len": options.max_model_len,
        "permission": [permission],
    }


def tokenize_page(body: Mapping[str, Any], options: MockOptions) -> dict[str, Any]:
    """Return the answer of ``/tokenize`` for a body whose types were checked."""
    if "messages" in body:
        text = chat_prompt(body, thinking=thinks(body, options))
    else:
        text = body["prompt"]
    ids = tokenizer.encode(text)
    return {
        "count": len(ids),
        "max_model_len": options.max_model_len,
        "tokens": ids,
        "token_strs": tokenizer.token_strings(ids) if body.get("return_token_strs") else None,
    }


def detokenize_page(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of ``/detokenize``."""
    return {"prompt": tokenizer.decode(body["tokens"])}


def openapi_page(target: Target, paths: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of the served ``paths`` with the target's own fields."""
    served = [
        facts
        for facts in (endpoint(name, target) for name in endpoint_names(target))
        if facts.path in paths
    ]
    schemas: dict[str, Any] = {}
    operations: dict[str, dict[str, Any]] = {}
    for facts in served:
        operations.setdefault(facts.path, {})[facts.method.lower()] = _operation(facts, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "vllmctl mock", "version": target.release},
        "paths": operations,
        "components": {"schemas": schemas},
    }


def _operation(facts: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": facts.name.replace(".", "_"),
        "responses": {"200": {"description": "Successful Response"}},
    }
    if facts.body == "json" and facts.fields:
        own = "".join(part.capitalize() for part in facts.name.split(".")) + "Request"
        wanted = {body.name or own: body for body in bodies(facts)}
        for name, body in wanted.items():
            fields = {key: field for key, field in facts.fields.items() if key in body.fields}
            schemas[name] = _object_schema(fields, body.required)
        schemas.update((model.name, _model_schema(model)) for model in facts.models.values())
        links = [{"$ref": f"#/components/schemas/{name}"} for name in wanted]
        schema = links[0] if len(links) == 1 else {"anyOf": links}
        content = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _model_schema(model: Model) -> dict[str, Any]:
    required = [name for name, field in model.fields.items() if field.required]
    return _object_schema(model.fields, required)


def _object_schema(fields: Mapping[str, Field], required: Sequence[str]) -> dict[str, Any]:
    properties = {
        name: {**_open_schema(field.schema), "title": name} for name, field in fields.items()
    }
    return {
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
    }


def _open_schema(schema: Any) -> Any:
    """Turn the facts' schema into JSON Schema: references point into the page, null is a type."""
    if isinstance(schema, list):
        return [_open_schema(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {
        key: _open_schema(value)
        for key, value in schema.items()
        if key != "nullable" and not key.startswith("x-")
    }
    if "$ref" in plain:
        plain["$ref"] = str(plain["$ref"]).replace("#/models/", "#/components/schemas/")
    return {"anyOf": [plain, {"type": "null"}]} if schema.get("nullable") else plain
