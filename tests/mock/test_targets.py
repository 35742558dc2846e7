"""The mock is the release that it was asked to be."""

from typing import Any

import pytest

from tests.mock.asking import NO_THINKING, app, chat, content


def test_the_first_releases_refuse_unknown_fields() -> None:
    body: dict[str, Any] = {"model": "mock", "structured_outputs": {"choice": ["a"]}}
    error = chat(app(target="vllm==0.6.3"), **body).json["error"]
    assert error["param"] == "body.structured_outputs"
    assert "extra_forbidden" in error["message"]


@pytest.mark.parametrize("target", ["vllm==0.10.2", "vllm==0.33.0"])
def test_later_releases_ignore_unknown_fields(target: str) -> None:
    assert chat(app(target=target), temperatur=0.1).status == 200


def test_a_field_of_a_later_release_has_no_effect() -> None:
    reply = chat(app(target="vllm==0.10.2"), structured_outputs={"choice": ["red"]}, **NO_THINKING)
    assert content(reply) != "red"


def test_a_rule_of_a_later_release_does_not_hold() -> None:
    assert chat(app(target="vllm==0.33.0"), tools=[]).status == 400
    assert chat(app(target="vllm==0.10.2"), tools=[]).status == 200


@pytest.mark.parametrize(("target", "status"), [("vllm==0.33.0", 400), ("vllm==0.6.3", 200)])
def test_the_text_of_a_part_is_looked_at_since_it_has_to_be_one(target: str, status: int) -> None:
    parts = [{"type": "text", "text": 5}]
    messages = [{"role": "user", "content": parts}]
    assert chat(app(target=target), model="mock", messages=messages).status == status


@pytest.mark.parametrize("target", ["vllm==0.33.0", "vllm==0.6.3", "furiosa"])
def test_no_release_of_a_model_of_texts_takes_images(target: str) -> None:
    parts = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,eA=="}}]
    messages = [{"role": "user", "content": parts}]
    reply = chat(app(target=target), model="mock", messages=messages)
    assert reply.json["error"]["message"] == "mock is not a multimodal model"


@pytest.mark.parametrize(
    ("target", "name"), [("vllm==0.10.2", "reasoning_content"), ("vllm==0.32.0", "reasoning")]
)
def test_reasoning_has_the_name_of_its_time(target: str, name: str) -> None:
    mock = app(target=target)
    assert chat(mock).json["choices"][0]["message"][name]
    assert any(name in event["choices"][0]["delta"] for event in chat(mock, stream=True).events)


@pytest.mark.parametrize("target", ["vllm==0.4.2", "vllm==0.8.5", "furiosa"])
def test_answers_for_any_release(target: str) -> None:
    assert chat(app(target=target), model="mock").status == 200
