"""The OpenAI SDK talks to the mock as it does to a server."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.mock.asking import HELLO, serving

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
ASKS: Any = [{"role": "user", "content": "The weather in Rome, please"}]


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    with (
        serving(api_key="sesame", reply="Good day to you.", max_model_len=2048) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="sesame", max_retries=0) as client,
    ):
        yield client


def test_lists_models(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["mock"]


def test_chats(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="mock", messages=HELLO)  # type: ignore[arg-type]
    message = answer.choices[0].message
    assert message.content == "\n\nGood day to you."
    assert message.model_extra and message.model_extra["reasoning"]
    assert answer.usage and answer.usage.total_tokens > answer.usage.prompt_tokens


def test_streams_a_chat(client: openai.OpenAI) -> None:
    stream: Any = client.chat.completions.create(
        model="mock",
        messages=HELLO,
        stream=True,
        stream_options={"include_usage": True},
    )  # type: ignore[call-overload]
    text, usage = "", None
    for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
    assert text == "\n\nGood day to you."
    assert usage.completion_tokens > 5


def test_calls_tools_in_a_stream(client: openai.OpenAI) -> None:
    with client.chat.completions.stream(model="mock", messages=ASKS, tools=[TOOL]) as stream:
        call = stream.get_final_completion().choices[0].message.tool_calls
    assert call
    assert call[0].function.name == "get_weather"
    assert "city" in json.loads(call[0].function.arguments)


def test_completes_with_logprobs(client: openai.OpenAI) -> None:
    answer = client.completions.create(
        model="mock", prompt="Well:", logprobs=1, max_tokens=3, extra_body={"top_k": 5}
    )
    logprobs = answer.choices[0].logprobs
    assert logprobs and logprobs.tokens == ["Good", " day", " to"]


def test_parses_structured_output(client: openai.OpenAI) -> None:
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }
    form: Any = {"type": "json_schema", "json_schema": {"name": "ok", "schema": schema}}
    answer = client.chat.completions.create(model="mock", messages=ASKS, response_format=form)
    assert set(json.loads(answer.choices[0].message.content or "")) == {"ok"}


def test_raises_for_refusals(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as wrong:
        client.chat.completions.create(model="mock", messages=ASKS, temperature=9)
    assert wrong.value.param == "temperature"
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="other", messages=ASKS)
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="x").models.list()


def test_raises_for_an_error_inside_a_stream(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="mock", messages=ASKS, stream=True, logprobs=True, top_logprobs=99
    )
    with pytest.raises(openai.APIError, match="greater than max allowed"):
        list(stream)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("429", openai.RateLimitError),
        ("503", openai.InternalServerError),
        ("html-502", openai.InternalServerError),
        ("cut-rst", openai.APIConnectionError),
    ],
)
def test_raises_what_it_raises_for_a_broken_server(fault: str, error: type[Exception]) -> None:
    with serving(fault=fault) as url:
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0)
        with pytest.raises(error):
            client.chat.completions.create(model="mock", messages=ASKS)
