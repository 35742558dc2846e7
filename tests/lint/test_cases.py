"""Wrong requests that people really sent: what the whole command says of them."""

import json
from typing import Any

import pytest

from tests.lint.helpers import cases, lint

REQUESTS = {case["id"]: case for case in cases("requests.jsonl")}


@pytest.mark.parametrize(
    ("name", "level", "path", "says"),
    [
        ("a001", "ignored", "guided_json", "structured_outputs.json"),
        ("a003", "ignored", "guided_grammar", "structured_outputs.grammar"),
        ("a003", "ignored", "guided_decoding_backend", "nothing takes its place"),
        ("a005", "warning", "structured_outputs.json", ""),
        ("a006", "ignored", "extra_body", "top of the body"),
        ("a008", "ignored", "parameters", "top of the body"),
        ("a009", "ignored", "enable_thinking", "chat_template_kwargs.enable_thinking"),
        ("a012", "warning", "chat_template_kwargs.enable_thinking", ""),
        ("a015", "error", "top_k", "top_k"),
        ("a016", "error", "temperature", "2"),
        ("a017", "error", "temperature", "line 1, column"),
        ("a020", "error", "n", "temperature 0"),
        ("a026", "ignored", "max_completion_tokens", "max_tokens"),
        ("a032", "error", "prompt_logprobs", "stream"),
        ("a045", "ignored", "structured_outputs.choices", "choice"),
        ("a048", "error", "continue_final_message", "add_generation_prompt"),
        ("a058", "error", "tools", ""),
        ("a062", "ignored", "messages[0].opts", ""),
        ("a077", "ignored", "best_of", "n"),
        ("a078", "ignored", "early_stopping", "0.6.3"),
        ("a088", "error", "repetition_detection.min_count", "2"),
        ("a091", "error", "messages[0].content", "character 6"),
    ],
)
def test_fault_is_told(name: str, level: str, path: str, says: str) -> None:
    case = REQUESTS[name]
    text = case.get("body_text") or json.dumps(case["body"])
    findings: list[dict[str, Any]] = lint(text, "--json", "--endpoint", case["path"]).json[
        "findings"
    ]
    messages = [f["message"] for f in findings if (f["level"], f["path"]) == (level, path)]
    assert len(messages) == 1
    assert says in messages[0]


def test_proper_pair_of_halves_is_a_character() -> None:
    assert lint('{"prompt": "\\ud83d\\ude00"}', "--json").json["findings"] == []
