"""What a real server answered, on a terminal: all of it is there, in its place, and once."""

import io
import re

import pytest

from tests.client.replay import captures, made_response
from tools.docs.screen import Screen
from tools.fuzz.terminal import check_harmless
from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.client.events import Event
from vllmctl.client.stream import read_answer
from vllmctl.env import Environment
from vllmctl.render.logprobs import VIEWS, write_logprobs
from vllmctl.render.stats import write_usage, write_usage_json
from vllmctl.render.style import harmless
from vllmctl.render.writers import writer_for

ANSWERED = [name for name, capture in captures().items() if capture["status"] == 200]


def batches(name: str) -> tuple[Answer, list[list[Event]]]:
    """The answer of a capture, and its events as they came."""
    capture, answer = captures()[name], Answer(sent=0.0)
    body = capture["body"].encode()
    reads = [body[place : place + 200] for place in range(0, len(body), 200)]
    return answer, list(read_answer(made_response(reads, capture["headers"]), answer))


def shown(name: str, form: str, *, side_by_side: bool = False) -> tuple[Answer, str, str]:
    """Return an answer with what a terminal shows of it, and what of its reasoning."""
    answer, events = batches(name)
    out, err = Screen(160), Screen(160)
    env = Environment(None, out, err, {"NO_COLOR": "1", "COLUMNS": "160"})
    count = len(answer.choices)
    writer = writer_for(
        form, env, out, reasoning=True, choices=count, side_by_side=side_by_side and count > 1
    )
    for each in events:
        writer.take(each)
    writer.finish(answer)
    check_harmless(out.written + err.written)
    return answer, out.text, err.text


def letters(text: str) -> str:
    """Letters and digits only: marks and breaks are up to how it is shown."""
    return "".join(re.findall(r"[^\W_]+", harmless(text)))


def said(choice: Choice) -> str:
    """The text and the calls of a choice."""
    calls = "".join(f"\n{call.name}({call.arguments})" for call in choice.calls)
    return f"{choice.text}\n{calls}"


@pytest.mark.parametrize("name", ANSWERED)
def test_text_and_calls_are_shown_as_they_are(name: str) -> None:
    answer, out, err = shown(name, "text")
    choices = [choice for _, choice in sorted(answer.choices.items())]
    assert letters(out) == "".join([letters(said(choice)) for choice in choices])
    for choice in choices:
        assert letters(choice.reasoning) in letters(err)


SEVERAL = [name for name in ANSWERED if len(batches(name)[0].choices) > 1]
CALLING = [name for name in ANSWERED if any(c.calls for c in batches(name)[0].choices.values())]
THINKING = [name for name in ANSWERED if batches(name)[0][0].reasoning]
TOKENS = [name for name in ANSWERED if batches(name)[0][0].logprobs]


def test_all_kinds_are_there() -> None:
    counts = [len(names) for names in (SEVERAL, CALLING, THINKING, TOKENS)]
    assert all(count > 5 for count in counts), counts


@pytest.mark.parametrize("name", [*CALLING, *THINKING])
def test_markdown_shows_calls_and_reasoning(name: str) -> None:
    answer, out, err = shown(name, "markdown")
    for _, choice in sorted(answer.choices.items()):
        assert letters(choice.reasoning) in letters(err)
        for call in choice.calls:
            assert f"{call.name}(" in out


@pytest.mark.parametrize("name", SEVERAL)
def test_choices_stand_in_columns_that_hold_each_of_them(name: str) -> None:
    answer, out, _ = shown(name, "text", side_by_side=True)
    rows = out.split("\n")
    assert rows[0].split(" │ ")[-1] == f"answer {len(answer.choices)}"
    columns = zip(*(row.split("│") for row in rows[2:] if row), strict=True)
    for (_, choice), column in zip(sorted(answer.choices.items()), columns, strict=True):
        text = "".join([letters(row) for row in column if "—" not in row])
        assert text.startswith(letters(choice.reasoning))
        assert text.endswith(letters(said(choice)))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", TOKENS)
def test_log_probabilities_are_shown(name: str, view: str) -> None:
    answer, _ = batches(name)
    out = Screen(100)
    env = Environment(None, out, io.StringIO(), {"COLUMNS": "100"})
    assert write_logprobs(answer, env, out, view, alternatives=2)
    check_harmless(out.written)


@pytest.mark.parametrize("name", ANSWERED)
def test_figures_are_those_of_the_server(name: str) -> None:
    answer, _ = batches(name)
    err = Screen(100)
    env = Environment(None, io.StringIO(), err, {"COLUMNS": "100"})
    write_usage(answer, env)
    write_usage_json(answer, env)
    check_harmless(err.written)
    made = (answer.usage or {}).get("completion_tokens")
    assert f" {made} in the answer" in err.text if made is not None else "not reported" in err.text
