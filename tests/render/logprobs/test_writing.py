"""Which parts of an answer are written, and where."""

import io

import pytest

from vllmctl.client.answer import Answer
from vllmctl.client.events import Finish, Reasoning
from vllmctl.env import Environment
from vllmctl.render.logprobs import VIEWS, write_logprobs
from vllmctl.render.logprobs.writer import LogprobsWriter


def choice(index: int, *words: str) -> dict:
    content = [
        {"token": word, "logprob": -0.01, "bytes": [*word.encode()], "top_logprobs": []}
        for word in words
    ]
    return {"index": index, "message": {}, "logprobs": {"content": content}}


def written(view: str, *choices: dict, reasoning: bool = True) -> tuple[bool, str, str]:
    answer = Answer()
    answer.take_whole({"choices": [*choices]}, [])
    env = Environment(stdout=io.StringIO(), stderr=io.StringIO(), variables={})
    found = write_logprobs(answer, env, env.stdout, view, reasoning=reasoning)
    return found, env.stdout.getvalue(), env.stderr.getvalue()


def test_several_choices_have_titles() -> None:
    _, out, err = written("heat", choice(1, "two"), choice(0, "one"))
    assert out.index("answer 1:\none") < out.index("answer 2:\ntwo")
    assert err == ""


def test_values_stand_alone_on_stdout() -> None:
    _, out, err = written("tsv", choice(0, "one", " two"), choice(1, "three"))
    assert [line.split("\t")[:4] for line in out.splitlines()[1:]] == [
        ["0", "answer", "0", "one"],
        ["0", "answer", "1", " two"],
        ["1", "answer", "0", "three"],
    ]
    assert err.splitlines()[0] == "answer 1: 2 tokens, mean logprob -0.0100, perplexity 1.01"


def test_answer_without_logprobs_is_reported() -> None:
    for view in VIEWS:
        found, out, _ = written(view, {"index": 0, "message": {"content": "x"}})
        assert found is False
        assert out == "x" or view == "tsv"


def test_a_text_without_logprobs_is_not_lost() -> None:
    bare = {"index": 1, "message": {"content": "plain\x1b"}}
    _, out, _ = written("table", choice(0, "one"), bare)
    assert out.endswith("answer 2:\nplain\x1b")
    _, out, _ = written("tsv", choice(0, "one"), bare)
    assert out.splitlines()[-1].split("\t")[:5] == ["1", "answer", "0", "plain␛", ""]


@pytest.mark.parametrize("view", VIEWS)
def test_reasoning_is_left_out_where_it_is_hidden(view: str) -> None:
    thinking = choice(0, "<think>", "Yes", " it", " is", "</think>", "\n", "Yes", "<end>")
    thinking["message"] = {"reasoning": "Yes it is", "content": "Yes"}
    _, whole, _ = written(view, thinking)
    _, out, _ = written(view, thinking, reasoning=False)
    assert " it" in whole
    assert "<end>" in out
    assert "think" not in out
    assert out.count("Yes") == 1


def test_piped_heat_has_no_control_characters_and_no_rows_of_its_own() -> None:
    _, out, _ = written("heat", choice(0, "a " * 200))
    assert "\x1b" not in out
    assert "a " * 200 in out


def test_hidden_reasoning_leaves_no_titles_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "is_terminal", lambda *_: True)
    for reasoning, titles in ((True, 2), (False, 0)):
        env = Environment(stdout=io.StringIO(), stderr=io.StringIO(), variables={})
        writer = LogprobsWriter(env, env.stdout, "heat", 0, reasoning=reasoning, choices=2)
        for number in range(2):
            writer.take([Reasoning(number, "Hm."), Finish(number, "stop", None)])
        writer.finish(Answer())
        assert env.stderr.getvalue().count("— answer") == titles
