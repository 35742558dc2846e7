"""What is not a generation: pages, refusals of every shape, names and keys."""

import re
import time
from typing import Any

import pytest

from tests.mock.asking import CHAT, HELLO, app, ask, chat, complete


def test_names_its_models() -> None:
    page = ask("/v1/models", of=app(model=("tiny", "other"), max_model_len=99)).json
    assert [(one["id"], one["root"], one["max_model_len"]) for one in page["data"]] == [
        ("tiny", "tiny", 99),
        ("other", "tiny", 99),
    ]


@pytest.mark.parametrize("asked", ["tiny", "other", "", None])
def test_answers_in_the_first_name(asked: str | None) -> None:
    assert chat(app(model=("tiny", "other")), model=asked).json["model"] == "tiny"


def test_does_not_know_other_models() -> None:
    reply = chat(app(model=("tiny", "other")), model="gpt")
    error = reply.json["error"]
    assert (reply.status, error["type"], error["param"]) == (404, "NotFoundError", "model")
    assert error["message"].endswith("Valid aliases: tiny, other.")


@pytest.mark.parametrize("path", ["/health", "/ping"])
def test_is_well(path: str) -> None:
    reply = ask(path)
    assert (reply.status, reply.data) == (200, b"")


def test_tells_its_version() -> None:
    assert ask("/version", of=app(target="vllm==0.32.0")).json == {"version": "0.32.0"}


def test_counts_tokens_and_ends() -> None:
    mock = app(model="counted")
    answer = complete(mock, max_tokens=5).json
    page = ask("/metrics", of=mock).data.decode()
    labels = 'engine="0",model_name="counted"'
    assert f"vllm:generation_tokens_total{{{labels}}} 5.0" in page
    prompt = answer["usage"]["prompt_tokens"]
    assert f"vllm:prompt_tokens_total{{{labels}}} {float(prompt)}" in page
    assert f'vllm:request_success_total{{{labels},finished_reason="length"}} 1.0' in page
    assert ask("/load", of=mock).json == {"server_load": 0}


def test_tells_when_it_started() -> None:
    before = time.time()
    mock = app(model="started")
    pages = [ask("/metrics", of=mock).data.decode() for _ in range(2)]
    (started,) = {float(re.findall(r"(?m)^process_start_time_seconds (\S+)$", p)[0]) for p in pages}
    assert before <= started <= time.time()


def test_describes_the_fields_of_its_target() -> None:
    def fields(target: str) -> Any:
        page = ask("/openapi.json", of=app(target=target)).json
        operation = page["paths"][CHAT]["post"]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        name = schema["$ref"].removeprefix("#/components/schemas/")
        assert page["info"]["version"] == target.removeprefix("vllm==")
        return page["components"]["schemas"][name]["properties"]

    assert "structured_outputs" in fields("vllm==0.32.0")
    assert "guided_json" in fields("vllm==0.10.2")


def test_describes_each_body_that_it_takes() -> None:
    page = ask("/openapi.json", of=app(target="vllm==0.32.0")).json
    body = page["paths"]["/tokenize"]["post"]["requestBody"]["content"]["application/json"]
    names = [link["$ref"].rpartition("/")[2] for link in body["schema"]["anyOf"]]
    assert {name: page["components"]["schemas"][name]["required"] for name in names} == {
        "TokenizeCompletionRequest": ["prompt"],
        "TokenizeChatRequest": ["messages"],
    }


def test_asks_for_its_key_where_vllm_does() -> None:
    mock = app(api_key="sesame")
    refused = ask("/v1/models", of=mock)
    assert (refused.status, refused.json) == (401, {"error": "Unauthorized"})
    for scheme in ("Bearer", "bearer"):
        headers = {"authorization": f"{scheme} sesame"}
        assert ask("/v1/models", of=mock, headers=headers).status == 200
    assert ask("/v1/models", of=mock, headers={"authorization": "Bearer x"}).status == 401
    assert ask("/health", of=mock).status == 200
    assert ask("/tokenize", {"prompt": "a"}, of=mock).status == 200


@pytest.mark.parametrize("path", ["/", "/v1/embeddings", "/v1/models/mock", "/nope"])
def test_has_no_other_pages(path: str) -> None:
    reply = ask(path)
    assert (reply.status, reply.json) == (404, {"detail": "Not Found"})


def test_refuses_other_methods() -> None:
    reply = ask(CHAT)
    assert (reply.status, reply.json) == (405, {"detail": "Method Not Allowed"})
    assert reply.headers["allow"] == "POST"


def test_sends_a_slash_at_the_end_away() -> None:
    reply = ask("/v1/models/", headers={"host": "mock:1"})
    assert (reply.status, reply.headers["location"]) == (307, "http://mock:1/v1/models")


def test_echoes_the_request_id() -> None:
    reply = ask(CHAT, {"messages": HELLO}, headers={"x-request-id": "mine"})
    assert reply.headers["x-request-id"] == "mine"
    assert reply.json["id"] == "chatcmpl-mine"
    assert chat(request_id="own").json["id"] == "chatcmpl-own"


JSON_ERROR = (
    "1 validation error:\n  {'type': 'json_invalid', 'loc': 'body.9', 'msg': 'JSON decode error', "
    "'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting value'}}"
)
NO_OBJECT = (
    "1 validation error:\n  {'type': 'model_attributes_type', 'loc': 'body', 'msg': 'Input should "
    "be a valid dictionary or object to extract fields from', 'input': '<list of 0 items>'}"
)
NO_BODY = (
    "1 validation error:\n  "
    "{'type': 'missing', 'loc': 'body', 'msg': 'Field required', 'input': 'None'}"
)


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        (b'{"model":', JSON_ERROR, "body.9"),
        (b"[]", NO_OBJECT, "body"),
        (b"", NO_BODY, "body"),
        (b"null", NO_BODY, "body"),
    ],
)
def test_words_what_is_no_body_as_vllm_does(body: bytes, message: str, param: str) -> None:
    error = ask(CHAT, body).json["error"]
    assert error == {"message": message, "type": "Bad Request", "param": param, "code": 400}


@pytest.mark.parametrize("body", [b'{"a": "\xff"}', b"[" * 100_000])
def test_refuses_what_cannot_be_read(body: bytes) -> None:
    reply = ask(CHAT, body)
    assert (reply.status, reply.json) == (400, {"detail": "There was an error parsing the body"})


def test_takes_json_only() -> None:
    reply = ask(CHAT, {"messages": HELLO}, headers={"content-type": "text/plain"})
    assert "Only 'application/json' is allowed" in reply.json["error"]["message"]
    fine = ask(CHAT, {"messages": HELLO}, headers={"content-type": "application/json; x=y"})
    assert fine.status == 200


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ({}, ["prompt", "messages"]),
        ({"prompt": 5}, ["prompt", "messages"]),
        ({"messages": "x"}, ["prompt", "messages"]),
        ({"add_special_tokens": "x"}, ["prompt", "add_special_tokens", "messages"]),
    ],
)
def test_tokenize_wants_a_prompt_or_messages(body: Any, params: list[str]) -> None:
    error = ask("/tokenize", body).json["error"]
    assert all(f"body.{name}" in error["message"] for name in params)
    assert error["param"] == f"body.{params[0]}"


def test_tokenize_takes_the_body_that_fits() -> None:
    alone = ask("/tokenize", {"prompt": "a"})
    both = ask("/tokenize", {"prompt": "a", "messages": "no list"})
    assert (both.status, both.json) == (200, alone.json)


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        ({"messages": []}, "Cannot apply chat template to an empty conversation", None),
        ({"messages": HELLO, "continue_final_message": True}, "are not compatible", None),
        ({"messages": HELLO, "chat_template": "{{"}, "end of", None),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "TextEncodeInput", None),
        ({"prompt": "\ud800"}, "TextEncodeInput", None),
        (
            {"messages": HELLO, "mm_processor_kwargs": {"a": 1}},
            "--trust-request-mm-kwargs",
            "mm_processor_kwargs",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "file", "file": {}}]}]},
            "Unsupported chat content part type: 'file'",
            "type",
        ),
    ],
    ids=str,
)
def test_tokenize_refuses_what_makes_no_prompt(
    body: dict[str, Any], message: str, param: str | None
) -> None:
    error = ask("/tokenize", body).json["error"]
    assert message in error["message"]
    assert (error["code"], error["param"]) == (400, param)


def test_detokenize_takes_no_id_that_is_too_wide() -> None:
    error = ask("/detokenize", {"tokens": [2**32]}).json["error"]
    assert error["message"] == "number too large to fit in target type"


def test_detokenize_wants_token_ids() -> None:
    assert ask("/detokenize", {"tokens": [-1]}).json["error"]["param"] == "body.tokens.0"
    assert ask("/detokenize", {"tokens": [99999]}).json == {"prompt": ""}
