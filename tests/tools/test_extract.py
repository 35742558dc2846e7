"""What a release's routes and their handlers tell."""

from typing import Any

import pytest

from tools.catalogue.extract import extract
from tools.catalogue.facts import EndpointFacts, ReleaseFacts
from tools.catalogue.source_tree import SourceTree

INDEX = {
    "releases": ["0.9.0"],
    "endpoints": {
        name: {"path": path, "method": method, "since": "0.9.0", **more}
        for name, method, path, more in [
            ("ask", "POST", "/v1/ask", {"aliases": ["/ask"]}),
            ("embeddings", "POST", "/v1/embed", {}),
            ("embeddings.token", "POST", "/v1/embed", {}),
            ("hear", "POST", "/v1/hear", {}),
            ("show", "GET", "/v1/show/{id}", {}),
            ("scale", "POST", "/scale", {}),
            ("build", "POST", "/build", {}),
            ("gone", "POST", "/gone", {}),
            ("batch_file", "FILE", "a file", {}),
        ]
    },
}
PROTOCOL = """
    from typing import Annotated, Literal, TypeAlias
    from pydantic import BaseModel, ConfigDict, Field
    from vllm.sampling_params import SamplingParams

    class Part(BaseModel):
        text: str
        inner: "Part | None" = None

    class Base(BaseModel):
        model_config = ConfigDict(extra="forbid")
        user: str | None = None

    class WordsRequest(Base):
        input: str | list[str]
        size: int = Field(default=1, ge=1)
        stream: Literal[False] = False

    class PartsRequest(Base):
        input: list[Part]
        stream: Literal[True] = True
        params: SamplingParams | None = None

    AskRequest: TypeAlias = WordsRequest | PartsRequest

    class BatchRequestInput(BaseModel):
        url: str
        body: WordsRequest
"""
ROUTER = """
    from typing import Annotated
    from fastapi import APIRouter, Depends, Form, Query, Request
    from .protocol import AskRequest, WordsRequest, PartsRequest

    router = APIRouter()
    PATH = "/v1/ask"

    @router.post(PATH)
    @router.post("/ask")
    async def ask(request: AskRequest, raw_request: Request, engine=Depends(object)): ...

    @router.post("/v1/embed")
    async def create_embedding(request: WordsRequest): ...

    @router.post("/v1/embed")
    async def create_token_embedding(request: PartsRequest): ...

    @router.post("/v1/hear")
    async def hear(request: Annotated[WordsRequest, Form()]): ...

    @router.get("/v1/show/{id}")
    async def show(id: str, after: Annotated[int | None, Query(ge=0)] = None): ...

    def _payload(body):
        return body.get("drain"), body["size"]

    @router.post("/scale")
    async def scale(raw_request: Request):
        body = await raw_request.json()
        tags = raw_request.query_params.getlist("tags")
        return _payload(body), tags, body.get("mode")

    @router.post("/build")
    async def build(raw_request: Request):
        return WordsRequest(**await raw_request.json())

    @router.post("/v1/new")
    async def new(request: WordsRequest): ...

    @router.get("/health")
    async def health(): ...
"""
FILES = {
    "vllm/entrypoints/a/protocol.py": PROTOCOL,
    "vllm/entrypoints/a/router.py": ROUTER,
    "vllm/entrypoints/cli/serve.py": "@app.post('/cli')\ndef cli(): ...\n",
    "vllm/sampling_params.py": """
        import msgspec
        class SamplingParams(msgspec.Struct):
            n: int = 1
            thinking_token_budget: int | None = None
        class Helper: ...
    """,
}


@pytest.fixture
def facts(sources) -> ReleaseFacts:
    return extract(SourceTree("1.0.0", sources(FILES).files), INDEX)


@pytest.fixture
def endpoint(facts: ReleaseFacts):
    def get(name: str) -> EndpointFacts:
        return facts.endpoints[name]

    return get


def test_served_endpoints_are_named_as_in_the_index(facts: ReleaseFacts) -> None:
    expected = [*INDEX["endpoints"]]
    expected.remove("gone")
    assert list(facts.endpoints) == expected


def test_other_routes_are_uncharted_unless_the_guide_leaves_them_out(facts) -> None:
    assert facts.uncharted == ("POST /v1/new",)


def test_second_handler_of_a_route_is_told(sources) -> None:
    more = """
        @router.post("/v1/hear")
        async def hear_too(request): ...
    """
    files = {**FILES, "vllm/entrypoints/b/router.py": more}
    facts = extract(SourceTree("1.0.0", sources(files).files), INDEX)
    assert facts.uncharted[1:] == ("POST /v1/hear by hear_too (see handlers in guide.toml)",)


def test_other_paths_of_an_endpoint_are_its_aliases(endpoint) -> None:
    assert endpoint("ask").aliases == ("/ask",)


@pytest.mark.parametrize(
    ("name", "body", "unknown"),
    [
        ("ask", "json", "refused"),
        ("hear", "form", "refused"),
        ("show", None, None),
        ("scale", "json", None),
        ("build", "json", "refused"),
        ("batch_file", "jsonl", "ignored"),
    ],
)
def test_body_and_policy_come_from_what_the_handler_takes(endpoint, name, body, unknown) -> None:
    assert (endpoint(name).body, endpoint(name).unknown) == (body, unknown)


def test_typed_dictionaries_do_as_the_bodies_that_lead_to_them(sources) -> None:
    typed = "from typing import TypedDict\nclass Note(TypedDict): ...\nclass Mark(TypedDict): ...\n"
    protocol = PROTOCOL.replace("size: int =", "note: Note\n        size: int =")
    protocol = protocol.replace("url: str", "url: str\n        mark: Mark")
    protocol = protocol.replace(
        "from pydantic", "from vllm.typed import Note, Mark\n    from pydantic"
    )
    files = {**FILES, "vllm/entrypoints/a/protocol.py": protocol, "vllm/typed.py": typed}
    models = extract(SourceTree("1.0.0", sources(files).files), INDEX).models
    policies = {name: model.unknown for name, model in models.items()}
    assert policies == {
        "Mark": "ignored",
        "Note": "refused",
        "Part": "ignored",
        "SamplingParams": "ignored",
    }


def test_two_handlers_of_one_path_are_told_apart_by_the_guide(endpoint) -> None:
    assert "size" in endpoint("embeddings").fields
    assert "params" in endpoint("embeddings.token").fields


def test_bodies_of_one_endpoint_are_joined_field_by_field(endpoint) -> None:
    fields = endpoint("ask").fields
    assert list(fields) == ["user", "input", "size", "stream", "params"]
    assert [option["type"] for option in fields["input"].schema["anyOf"]] == [
        "string",
        "array",
        "array",
    ]
    assert fields["stream"].schema == {"enum": [False, True], "type": "boolean"}
    assert (fields["input"].required, fields["input"].variants) == (True, ())
    assert fields["params"].variants == ("PartsRequest",)


@pytest.mark.parametrize(
    ("endpoint_name", "name", "expected"),
    [
        ("show", "id", {"place": "path", "required": True, "schema": {"type": "string"}}),
        (
            "show",
            "after",
            {"place": "query", "schema": {"type": "integer", "minimum": 0, "nullable": True}},
        ),
        ("scale", "tags", {"place": "query", "schema": None}),
        ("scale", "mode", {"place": "body", "schema": None}),
        ("scale", "drain", {"place": "body", "schema": None}),
        ("scale", "size", {"place": "body", "schema": None}),
    ],
)
def test_parameters_and_keys_read_by_hand_are_fields(
    endpoint, endpoint_name: str, name: str, expected: dict[str, Any]
) -> None:
    found = endpoint(endpoint_name).fields[name]
    assert {key: getattr(found, key) for key in expected} == expected


def test_servers_own_parameters_are_none(endpoint) -> None:
    assert not endpoint("ask").fields.keys() & {"raw_request", "engine", "request"}


def test_nested_models_are_followed_and_bodies_are_not_among_them(facts) -> None:
    assert list(facts.models) == ["Part", "SamplingParams"]
    assert list(facts.models["Part"].fields) == ["text", "inner"]


def test_checking_classes_are_the_bodys_own_without_the_engines(endpoint) -> None:
    assert endpoint("ask").classes == {"WordsRequest", "PartsRequest", "Base", "Part"}


def test_engines_parameter_classes_are_told_apart(facts) -> None:
    assert list(facts.engine) == ["SamplingParams"]


def test_what_the_real_server_showed_is_put_in_from_its_release_on(sources) -> None:
    schemas = [
        extract(SourceTree(release, sources(FILES).files), INDEX)
        .engine["SamplingParams"]
        .fields["thinking_token_budget"]
        .schema
        for release in ("0.22.1", "0.23.0", "0.100.0")
    ]
    before = {"type": "integer", "nullable": True}
    assert schemas == [before, {**before, "strict": True}, {**before, "strict": True}]
