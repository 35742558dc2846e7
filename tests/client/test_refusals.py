"""Which words of a server show that it lacks a flag."""

import json
import re
from pathlib import Path

import pytest

from vllmctl.catalog.files import read_endpoint
from vllmctl.client.refusals import rule_in
from vllmctl.rules.registry import all_own_rules

REAL = (
    ('"auto" tool choice requires --enable-auto-tool-choice …', "tool_choice.auto_needs_flags"),
    ('tool_choice="required" requires --tool-call-parser to be set', "tool_choice.forced"),
    ('tool_choice=function "f" requires --tool-call-parser to be set', "tool_choice.forced"),
    ("thinking_token_budget is set but reasoning_config is not configured.", "thinking_token"),
    ("Chat template is passed with request, but --trust-request-chat-template is not set.", "chat"),
    ("Per-request mm_processor_kwargs … with --trust-request-mm-kwargs only when", "mm_kwargs"),
    ("You must set `--enable-prompt-embeds` to input `prompt_embeds`.", "completions.embeds_flag"),
    ("tiny is not a multimodal model", "messages.text_model"),
    ("suffix is only supported for models with FIM completion rendering", "completions.suffix_fim"),
)


@pytest.mark.parametrize(("words", "rule"), REAL)
def test_words_of_the_real_server_bear_out_a_rule(words: str, rule: str) -> None:
    assert rule_in(words)[0].startswith(rule)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Requested sample logprobs of 21, which is greater than max allowed: 20", 20),
        ("max_tokens=9 cannot be greater than max_model_len=8. Please", 8),
        ("max_completion_tokens=9 cannot be greater than max_model_len=8. Please", 8),
        ("truncate_prompt_tokens=9 cannot be greater than max_model_len = 8. Please", 8),
    ],
)
def test_limits_are_read(words: str, found: int) -> None:
    assert rule_in(words)[1] == found


@pytest.mark.parametrize("words", ["top_p must be in (0, 1], got 5.0.", "", "a b"])
def test_other_words_show_nothing(words: str) -> None:
    assert rule_in(words) == ("", None)


def test_rules_that_are_learnt_exist() -> None:
    source = Path(__file__).parents[2] / "vllmctl" / "client" / "refusals.py"
    learnt = set(re.findall(r'", "([a-z_]+\.[a-z_0-9]+)"\)', source.read_text()))
    known = {own.name for own in all_own_rules()}
    for endpoint in ("chat.completions", "completions"):
        known |= set(read_endpoint("vllm", endpoint)["rules"])
    assert learnt
    assert learnt <= known, json.dumps(sorted(learnt - known))
