"""What a server refused for want of a flag is told before the next request, and never sticks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.flagless import flagless
from tests.outcome import Outcome

NO_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
TOOLS = ("--tools", '[{"type": "function", "function": {"name": "f"}}]')
Run = Callable[..., Outcome]


@pytest.fixture
def chat(vllmctl: Run) -> Run:
    def call(url: str, *arguments: str) -> Outcome:
        return vllmctl("chat", "hi", "-m", "tiny", "--base-url", url, *arguments)

    return call


def test_a_refusal_is_told_before_the_next_request(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        assert chat(server.url, *TOOLS).code == 4
        again = chat(server.url, *TOOLS)
    assert again.code == 2
    assert "--enable-auto-tool-choice" in again.err
    assert "this server refused it on " in again.err
    assert "--no-check sends it anyway" in again.err
    assert [line for line in server.got if line.startswith("POST")] == ["POST /v1/chat/completions"]


def test_no_secret_of_an_address_is_remembered(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        url = server.url.replace("//", "//me:sekret@") + "/?token=sekret&odd=sekret"
        assert chat(url, *TOOLS).code == 4
        assert "this server refused it on " in chat(url, *TOOLS).err
    kept = {path.name: path.read_text() for path in Path("~/.cache/vllmctl").expanduser().iterdir()}
    assert kept.keys() >= {"refusals.json", "servers.json"}
    assert not [name for name, text in kept.items() if "sekret" in text]


def test_other_requests_go_their_way_and_nobody_is_asked_more(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        chat(server.url, *TOOLS)
        server.refuses = ""
        server.got.clear()
        assert chat(server.url).out.strip() == "yes"
    assert server.got == ["POST /v1/chat/completions"]


def test_a_server_that_was_started_anew_gets_the_request(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        chat(server.url, *TOOLS)
        server.refuses, server.started = "", 2000.0
        assert chat(server.url, *TOOLS).code == 0
        assert chat(server.url, *TOOLS).err == ""


def test_where_the_start_is_not_told_it_is_a_warning_that_is_sent(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        server.started = None
        chat(server.url, *TOOLS)
        server.refuses = ""
        answer = chat(server.url, *TOOLS)
        assert answer.code == 0
        assert "warning: " in answer.err
        assert "it may have been started anew since" in answer.err
        assert chat(server.url, *TOOLS).err == "", "the answer has shown that the flag is there"


def test_what_is_sent_all_the_same_and_answered_is_forgotten(chat: Run) -> None:
    with flagless(NO_TOOLS) as server:
        chat(server.url, *TOOLS)
        server.refuses = ""
        assert chat(server.url, *TOOLS, "--no-check").code == 0
        assert chat(server.url, *TOOLS).code == 0


def test_a_limit_that_the_server_named_counts(chat: Run) -> None:
    words = "max_tokens=5000 cannot be greater than max_model_len=2048. "
    with flagless(words) as server:
        assert chat(server.url, "--max-tokens", "5000").code == 4
        refused = chat(server.url, "--max-tokens", "3000")
        server.refuses = ""
        assert chat(server.url, "--max-tokens", "2000").code == 0
    assert refused.code == 2
    assert "3000 is more than the 2048 tokens" in refused.err


def test_a_limit_below_the_usual_one_counts_too(chat: Run) -> None:
    words = "Requested sample logprobs of 9, which is greater than max allowed: 5"
    with flagless(words) as server:
        chat(server.url, "--logprobs", "--top-logprobs", "9", "--no-stream")
        refused = chat(server.url, "--logprobs", "--top-logprobs", "6")
    assert "this server gives 5 at most" in refused.err


def test_a_broken_memory_is_no_fault(chat: Run) -> None:
    home = Path("~/.cache/vllmctl").expanduser()
    home.mkdir(parents=True)
    with flagless("") as server:
        broken = ["{", *map(json.dumps, (5, {server.url: 5}, {server.url: {"rules": {"a": 1}}}))]
        rules = [1], {"a": 1}, {"tool_choice.auto_needs_flags": [1]}
        broken += [json.dumps({server.url: {"started": 1000.5, "rules": one}}) for one in rules]
        for text in broken:
            (home / "refusals.json").write_text(text)
            assert chat(server.url, *TOOLS).code == 0
            server.refuses = NO_TOOLS
            assert chat(server.url, *TOOLS).code == 4
            server.refuses = ""


def test_lint_of_the_server_tells_its_models_limits_and_refusals(chat: Run, vllmctl: Run) -> None:
    body = {"model": "tny", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 4000}
    with flagless(NO_TOOLS) as server:
        chat(server.url, *TOOLS)
        body["tools"] = json.loads(TOOLS[1])
        options = ("--target", "server", "--base-url", server.url, "--json")
        told = vllmctl("lint", json.dumps(body), *options)
    found = {(one["level"], one["code"]) for one in told.json["findings"]}
    assert {
        ("error", "model.unknown"),
        ("error", "context.max_tokens_over"),
        ("error", "tool_choice.auto_needs_flags"),
    } <= found


def test_lint_of_the_server_tells_paths_that_it_has_not(vllmctl: Run) -> None:
    body = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
    with flagless("") as server:
        server.pages["/openapi.json"] = {"paths": {"/v1/embeddings": {}}}
        told = vllmctl(
            "lint", json.dumps(body), "--target", "server", "--base-url", server.url, "--json"
        )
    assert [one["code"] for one in told.json["findings"]] == ["endpoint.not_here"]
    assert "has no /v1/chat/completions" in told.json["findings"][0]["message"]
