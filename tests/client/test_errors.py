"""Every shape of an error body becomes one clear message with the next step."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.replay import made_response
from vllmctl.client.error_body import said_in, said_in_body
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.validation import path_of
from vllmctl.client.wire import CutError
from vllmctl.errors import HttpStatusError

URL = "http://localhost:8000/v1/chat/completions"


def refused(
    body: Any, status: int = 400, reason: str = "", asked: Asked | None = None, **headers: str
) -> HttpStatusError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return refusal(made_response([data], names, status, reason), asked or Asked(URL))


def vllm(message: str, param: str | None = None, kind: str = "BadRequestError") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": 400}}


SAME = "top_p must be in (0, 1], got 1.5."


@pytest.mark.parametrize(
    "body",
    [
        vllm(SAME, "top_p"),
        vllm(f"{SAME} (parameter=top_p, value=1.5)", "top_p"),
        {"object": "error", "message": SAME, "type": "BadRequestError", "param": None, "code": 400},
        {"error": SAME},
        {"detail": SAME},
        {"detail": {"error": {"message": SAME}}},
        {"message": SAME},
        {"code": 400, "details": SAME},
        [{"error": {"message": SAME, "code": "400"}}],
        {"error": {"message": json.dumps(vllm(SAME, "top_p")), "type": "upstream"}},
        {
            "error": {
                "message": f"litellm.BadRequestError: OpenAIException - {json.dumps(vllm(SAME))}"
            }
        },
        SAME.encode(),
        b"\xef\xbb\xbf" + json.dumps(vllm(SAME)).encode(),
    ],
)
def test_every_shape_says_the_same(body: Any) -> None:
    error = refused(body)
    assert error.message == f"400 Bad Request: {SAME}"
    assert error.server_message == SAME
    assert (error.status, error.exit_code) == (400, 4)
    if not isinstance(body, bytes):
        assert error.param == "top_p"


ENTRIES = (
    "2 validation errors:\n"
    "  {'type': 'float_parsing', 'loc': 'body.temperature', 'msg': 'Input should be a valid "
    "number, unable to parse string as a number', 'input': 'hot'}\n"
    "  {'type': 'missing', 'loc': 'body.tools.0.function.name', 'msg': 'Field required', "
    "'input': '<dict of 1 items>'}"
)


@pytest.mark.parametrize(
    ("message", "param", "words"),
    [
        (
            ENTRIES,
            "temperature",
            "\n  temperature: Input should be a valid number, unable to parse string as a number "
            "(got hot)\n  tools[0].function.name: required, and missing",
        ),
        (
            "2 validation errors:\n"
            "  {'type': 'string_type', 'loc': 'body.stop', 'msg': 'Input should be a valid "
            "string', 'input': 'None'}\n"
            "  {'type': 'list_type', 'loc': 'body.stop', 'msg': 'Input should be a valid list', "
            "'input': 'None'}",
            "stop",
            " stop: Input should be a valid string, or a valid list (got null)",
        ),
        (
            "1 validation error:\n  {'type': 'json_invalid', 'loc': 'body.18', 'msg': 'JSON decode "
            "error', 'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting value'}}",
            None,
            " the body is not JSON: Expecting value, at character [18]",
        ),
        (
            "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed",
            None,
            " Unsupported Media Type: Only 'application/json' is allowed",
        ),
        (
            "2 validation errors for ValidatorIterator\n0.ChatCompletionContentPartTextParam.text\n"
            "  Field required [type=missing, input_value={'x': 1}, input_type=dict]\n"
            "    For further information visit https://errors.pydantic.dev/2.14/v/missing\n"
            "0.ChatCompletionContentPartImageParam.type\n"
            "  Input should be 'image_url' [type=literal_error, input_value='x', input_type=str]\n",
            "[0].text",
            " [0].text: required, and missing",
        ),
        (
            "1 validation error:\n  {'type': 'x', 'loc': ('body', 'a', 0, 'b'), 'msg': \"it's\", "
            "'input': <object at 0x1>}",
            "a[0].b",
            " a[0].b: it's",
        ),
    ],
)
def test_validation_errors_become_lines(message: str, param: str | None, words: str) -> None:
    sent = f"body.{param}" if param == "temperature" else None
    error = refused(vllm(message, sent, "Bad Request"))
    assert error.message == f"400 Bad Request:{words}"
    assert error.param == param
    assert error.server_message == message.strip()


def test_a_list_of_details_is_unpacked() -> None:
    entry = {"type": "missing", "loc": ["body", "messages"], "msg": "Field required", "input": {}}
    error = refused({"detail": [entry]}, 422)
    assert error.message == "422 Unprocessable Entity: messages: required, and missing"
    assert error.param == "messages"


def test_a_long_list_is_cut_short() -> None:
    entries = [{"loc": ["body", f"field_{n}"], "msg": "wrong"} for n in range(9)]
    lines = refused({"detail": entries}, 422).message.splitlines()
    assert len(lines) == 8
    assert lines[-1] == "  … and 3 more"


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("body.messages.0.ChatCompletionUserMessageParam.content", "messages[0].content"),
        (("body", "messages", 0, "typed-dict", "role"), "messages[0].role"),
        (["body", "prompt", "list[int]", 3], "prompt[3]"),
        ("body.stream_options.include_usage", "stream_options.include_usage"),
        (("body", "stop", "str"), "stop"),
        ("body", ""),
        (("query", "limit"), "limit"),
        ("temperature", "temperature"),
    ],
)
def test_a_location_becomes_a_path(location: Any, path: str) -> None:
    assert path_of(location) == path


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 500, "500 Internal Server Error"),
        (b"Internal Server Error", 500, "500 Internal Server Error"),
        (b"\xff\xfe broken", 400, "400 Bad Request: \ufffd\ufffd broken"),
        (b"{'error'", 400, "400 Bad Request: {'error'"),
        (b"[]", 400, "400 Bad Request: []"),
        (b"null", 400, "400 Bad Request: null"),
        (b'{"error": {}}', 400, "400 Bad Request"),
        (b'{"detail": "Not Found"}', 404, "404 Not Found"),
        (b'{"error": "Unauthorized"}', 401, "401 Unauthorized"),
        (b"gone", 599, "599: gone"),
    ],
)
def test_odd_bodies(body: bytes, status: int, message: str) -> None:
    assert refused(body, status).message == message


def test_a_page_of_a_proxy_is_one_line() -> None:
    page = b"<!DOCTYPE html><html><head><title>host | 522: Timed &amp; out</title></head>" * 50
    error = refused(page, 502, server="cloudflare", content_type="text/html")
    assert error.message == "502 Bad Gateway from cloudflare, not vLLM: host | 522: Timed & out"
    assert "is vLLM up" in error.hint


def test_a_login_page_is_no_server() -> None:
    error = refused(b"<html><body>Please <b>sign in</b></body></html>", 403)
    assert error.message == "403 Forbidden from a proxy, not vLLM: Please sign in"
    assert URL in error.hint


@pytest.mark.parametrize(
    ("status", "body", "hint"),
    [
        (401, {"error": "Unauthorized"}, "VLLMCTL_API_KEY"),
        (404, {"detail": "Not Found"}, f"no POST {URL}"),
        (405, {"detail": "Method Not Allowed"}, "takes no POST"),
        (413, b"<html>413 Request Entity Too Large</html>", "client_max_body_size"),
        (429, {"error": "slow down"}, "--retries"),
        (503, b"", "--retries"),
        (504, b"<html><title>504 Gateway Time-out</title></html>", "read timeout"),
        (500, vllm("'function'"), "the server's log"),
        (500, vllm("EngineCore encountered an issue.", None, "EngineDeadError"), "started again"),
        (400, vllm("This model's maximum context length is 2048 tokens."), "--max-tokens"),
        (400, vllm("max_tokens=100000 cannot be greater than max_model_len=2048."), "--max-tokens"),
        (
            400,
            vllm("truncate_prompt_tokens=9 cannot be greater than max_model_len = 8."),
            "the model takes 8 tokens",
        ),
        (
            400,
            vllm(
                "This model's maximum context length is 128000 tokens. However, you requested "
                "65535 output tokens and your prompt contains at least 62466 input tokens, for a "
                "total of at least 128001 tokens."
            ),
            "--max-tokens 65534 is the most that fits; without it",
        ),
        (
            400,
            vllm(
                "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum "
                "context length is 1000 tokens and your request has 600 input tokens (500 > 400)."
            ),
            "--max-tokens 400 is",
        ),
        (
            400,
            vllm(
                "This model's maximum context length is 8192 tokens. However, you requested 9001 "
                "tokens (9000 in the messages, 1 in the completion)."
            ),
            "shorten the prompt, or let the server cut it",
        ),
        (
            400,
            vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
            "started with --enable-auto-tool-choice",
        ),
        (400, vllm("Requested sample logprobs of 21, which is greater than max allowed: 20"), "20"),
        (
            400,
            vllm("Chat template is passed, but --trust-request-chat-template is not set."),
            "when the server is started",
        ),
        (400, vllm("tiny is not a multimodal model"), "text only"),
        (400, vllm("You must set `--enable-prompt-embeds`"), "when the server is started"),
    ],
)
def test_the_next_step(status: int, body: Any, hint: str) -> None:
    assert hint in refused(body, status).hint


def test_a_wait_that_the_server_asks_for_is_told() -> None:
    assert "to wait 90 s" in refused({"error": "busy"}, 503, retry_after="90").hint


def test_an_unknown_model_names_the_nearest_that_is_served() -> None:
    asked = Asked(URL, model="qwen3", served=lambda: ["Qwen3", "llama"])
    body = vllm("The model `qwen3` does not exist.", "model", "NotFoundError")
    assert "did you mean Qwen3?" in refused(body, 404, asked=asked).hint
    assert "Qwen3, llama" in refused(body, 404, asked=asked).hint
    assert "`vllmctl models`" in refused(body, 404).hint
    told = vllm("The model `x` does not exist. Valid aliases: Qwen3, llama.", "model")
    assert refused(told, 404, asked=asked).hint.startswith("did you mean Qwen3? -m/--model")


def test_the_models_are_not_asked_for_without_need() -> None:
    def fail() -> list[str]:
        raise AssertionError("nobody needs the models")

    assert refused(vllm(SAME), asked=Asked(URL, served=fail)).status == 400


def test_a_path_that_is_not_there_names_where_the_address_came_from() -> None:
    asked = Asked(URL, url_source="VLLMCTL_BASE_URL")
    assert "VLLMCTL_BASE_URL" in refused({"detail": "Not Found"}, 404, asked=asked).hint


def test_a_redirect_that_is_not_followed_says_where_to() -> None:
    error = refused(b"", 308, location="https://other/v1")
    assert "to https://other/v1" in error.message
    assert "--base-url" in error.hint


def test_a_refusal_that_is_cut_or_endless_is_still_one() -> None:
    def cut() -> Iterator[bytes]:
        yield b"upstream "
        raise CutError("cut")

    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 100_000

    error = refusal(made_response(cut(), {}, 502, ""), Asked())
    assert error.message == "502 Bad Gateway: upstream"
    assert refusal(made_response(endless(), {}, 500, ""), Asked()).status == 500


def test_the_request_id_is_in_every_refusal() -> None:
    assert "request id r1" in refused(vllm(SAME)).hint


@pytest.mark.parametrize(
    "value", [{"choices": [{}]}, {"usage": {}}, {"id": "x"}, {"error": None}, {}, [], "x", 5, None]
)
def test_what_is_no_error_is_none(value: Any) -> None:
    assert said_in(value) is None


@pytest.mark.parametrize("text", ["{'type': '" * 3000, "{" * 5000, "1 validation error:" * 2000])
def test_hostile_bodies_are_survived(text: str) -> None:
    assert said_in_body(json.dumps(vllm(text)).encode(), {}).message
    assert said_in_body(text.encode(), {}).message
