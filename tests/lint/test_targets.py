"""Releases, ranges of releases, and translations between them."""

import json
from typing import Any

import pytest

from tests.lint.helpers import chat, lint, lint_json

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
THOUGHTS = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b", "reasoning_content": "hm"},
    {"role": "user", "content": "c"},
]


def _fixed(body: dict[str, Any], target: str) -> tuple[Any, str]:
    answer = lint(json.dumps(body), "--fix", "--target", target)
    return json.loads(answer.out), answer.err


def test_one_body_has_three_answers_at_three_releases() -> None:
    body = chat(guided_json={"type": "object", "properties": {"a": {}}}, min_p=0.1, zzz=1)
    old, middle, new = (
        {f["path"]: f["level"] for f in lint_json(body, "--target", target).json["findings"]}
        for target in ("vllm==0.6.3", "vllm==0.11.2", "vllm==0.33.0")
    )
    assert old == {"zzz": "error"}
    assert middle == {"zzz": "ignored"}
    assert new == {"guided_json": "ignored", "zzz": "ignored"}


def test_finding_of_a_range_tells_its_releases() -> None:
    answer = lint_json(chat(guided_regex="a+"), "--target", "vllm>=0.11,<0.14")
    assert answer.json["target"] == "vllm>=0.11,<0.14"
    (finding,) = answer.json["findings"]
    assert finding["code"] == "field.removed"
    assert finding["releases"] == [{"first": "0.12.0", "last": "0.13.0"}]
    assert "0.13.0" not in finding["message"]


def test_finding_of_all_the_range_is_one() -> None:
    answer = lint_json(chat(top_p=2), "--target", "vllm>=0.20")
    (finding,) = answer.json["findings"]
    assert finding["releases"][0]["first"] == "0.20.0"
    assert "0.20.0" not in lint(json.dumps(chat(top_p=2)), "--target", "vllm>=0.20").out


def test_text_of_a_range_tells_the_releases() -> None:
    text = lint(json.dumps(chat(guided_regex="a+")), "--target", "vllm>=0.11,<0.14").out
    assert "(0.12.0 to 0.13.0)" in text


def test_endpoint_that_some_releases_lack_is_told_for_them() -> None:
    answer = lint('{"model": "m", "query": "a", "documents": ["b"]}', "--json", "--endpoint",
                  "rerank", "--target", "vllm>=0.6,<0.9")  # fmt: skip
    lacking = [f for f in answer.json["findings"] if f["code"] == "endpoint.not_here"]
    assert lacking
    assert lacking[0]["releases"][0]["first"] == "0.6.0"


def test_fix_wants_one_release() -> None:
    answer = lint(json.dumps(chat()), "--fix", "--target", "vllm>=0.11,<0.14")
    assert answer.code == 2
    assert "one release" in answer.err


def test_range_of_one_release_is_that_release() -> None:
    assert lint_json(chat(), "--target", "vllm>=0.33.0").json["target"] == "vllm==0.33.0"


@pytest.mark.parametrize("target", ["vllm==9.9.9.9x", "nope==1", "vllm>=99"])
def test_target_that_is_none_is_a_usage_error(target: str) -> None:
    assert lint(json.dumps(chat()), "--target", target).code == 2


def test_target_of_the_environment_counts_below_the_flag() -> None:
    body = json.dumps(chat())
    variables = {"VLLMCTL_TARGET": "vllm==0.11.2"}
    assert lint(body, "--json", variables=variables).json["target"] == "vllm==0.11.2"
    flag = lint(body, "--json", "--target", "vllm==0.12.0", variables=variables)
    assert flag.json["target"] == "vllm==0.12.0"


@pytest.mark.parametrize(
    ("body", "target", "after"),
    [
        ({"guided_regex": "a"}, "vllm==0.33.0", {"structured_outputs": {"regex": "a"}}),
        ({"structured_outputs": {"regex": "a"}}, "vllm==0.10.2", {"guided_regex": "a"}),
        ({"structured_outputs": {"json": SCHEMA}}, "vllm==0.6.3", {"guided_json": SCHEMA}),
        ({"max_tokens": 5}, "vllm==0.33.0", {"max_completion_tokens": 5}),
        ({"max_completion_tokens": 5}, "vllm==0.6.3", {"max_tokens": 5}),
        ({"top_k": 0}, "vllm==0.8.5", {"top_k": -1}),
        ({"top_k": -1}, "vllm==0.33.0", {"top_k": -1}),
        ({"max_new_tokens": 5}, "furiosa", {"max_completion_tokens": 5}),
        ({"guided_choice": ["a"]}, "furiosa", {"structured_outputs": {"choice": ["a"]}}),
    ],
)  # fmt: skip
def test_body_is_translated_to_the_target(
    body: dict[str, Any], target: str, after: dict[str, Any]
) -> None:
    assert _fixed(chat(**body), target)[0] == chat(**after)


@pytest.mark.parametrize("target", ["vllm==0.11.1", "vllm==0.18.0", "vllm==0.33.0"])
def test_thoughts_of_earlier_turns_get_their_newer_name(target: str) -> None:
    messages = _fixed({"messages": THOUGHTS}, target)[0]["messages"]
    assert messages[1] == {"role": "assistant", "content": "b", "reasoning": "hm"}


def test_thoughts_get_their_older_name_and_are_told_to_be_lost() -> None:
    thoughts = json.loads(json.dumps(THOUGHTS).replace("reasoning_content", "reasoning"))
    body, told = _fixed({"messages": thoughts}, "vllm==0.10.2")
    assert body["messages"] == THOUGHTS
    assert "lost: vllm==0.10.2 reads no reasoning of earlier turns" in told


def test_what_works_is_not_translated_unless_a_target_is_named() -> None:
    body = {"max_tokens": 5, "messages": THOUGHTS}
    assert json.loads(lint(json.dumps(body), "--fix").out) == body


def test_what_an_older_release_cannot_do_is_told_to_be_lost() -> None:
    outputs = {"regex": "a", "disable_any_whitespace": True}
    body, told = _fixed(chat(structured_outputs=outputs), "vllm==0.10.2")
    assert body == chat(guided_regex="a")
    assert "lost: structured_outputs came with 0.11.0" in told
