"""What is shown for a fixed thing, by each renderer, on one terminal for stdout and stderr."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from vllmctl.cli.commands import COMMANDS
from vllmctl.cli.explain import command as explain_command
from vllmctl.cli.grouppage import ROOT, group_help
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish, Reasoning, Text, Thought, ToolCallDelta
from vllmctl.env import Environment
from vllmctl.lint.judge import Judge
from vllmctl.lint.linter import Linter
from vllmctl.render.findings import write_findings
from vllmctl.render.lint_results import TextReport
from vllmctl.render.logprobs import write_logprobs
from vllmctl.render.notes import write_fault, write_note
from vllmctl.render.stats import write_usage
from vllmctl.render.tool_runs import write_call, write_result
from vllmctl.render.writers import writer_for
from vllmctl.request.origin import Origin
from vllmctl.rules.finding import Edit, Finding, Level

GOLDEN = Path(__file__).parent.parent / "golden"
ANSWERS = ("characters", "completion_ids", "echo", "ids", "prompt", "weather")

Case = Callable[[Environment], None]


def markdown(env: Environment) -> None:
    source = (GOLDEN / "markdown.md").read_text(encoding="utf-8")
    pieces = [Text(0, source[place : place + 4]) for place in range(0, len(source), 4)]
    _write(env, "markdown", pieces)


THINKING: Sequence[Event] = (
    Reasoning(0, "\nThe user wants the weather in "),
    Reasoning(0, "two cities, so I call the tool twice, once for each of them.\n"),
    Thought(0, 2.345, 24),
)
STOP = Finish(0, "stop", None)
CALLS: Sequence[Event] = (
    ToolCallDelta(0, 0, "call-1", "get_weather", ""),
    ToolCallDelta(0, 0, None, None, '{"city": "Reykjavík", '),
    ToolCallDelta(0, 1, "call-2", "get_weather", '{"city": '),
    ToolCallDelta(0, 0, None, None, '"unit": "celsius"}'),
    ToolCallDelta(0, 1, None, None, '"東京", "unit": "celsius"}'),
    Finish(0, "tool_calls", None),
)


def text(env: Environment) -> None:
    words = Text(0, "\n\nAs it is: **no** marks are read, and long lines are left to the terminal.")
    _write(env, "text", [*THINKING, words, STOP])


def reasoning(env: Environment) -> None:
    _write(
        env, "markdown", [*THINKING, Text(0, "\n\nIt is *mild* in both."), Finish(0, "stop", None)]
    )


def calls(env: Environment) -> None:
    for form in ("text", "markdown"):
        _write(env, form, [*THINKING, Text(0, "\n\nI look it up."), *CALLS])
    write_call("get_weather", '{"city": "Reykjavík", "unit": "celsius"}', env)
    write_result("get_weather", "4 degrees and rain\nwind from the south-west, rather strong", env)


def choices(env: Environment) -> None:
    said = (
        "# Red\n\nThe colour of *sunsets* and of ripe apples.\n",
        "Green, `#00ff00`:\n\n- leaves\n- frogs\n- 绿色的茶\n\nand more words than the others.",
        "Blue",
    )
    pieces: list[Event] = [Reasoning(1, "Which one?"), Thought(1, 0.25, 3)]
    for place in range(0, max(map(len, said)), 5):
        found = [(index, words[place : place + 5]) for index, words in enumerate(said)]
        pieces += [Text(index, piece) for index, piece in found if piece]
    ends = [Finish(0, "stop", None), Finish(1, "length", None), Finish(2, "stop", "\n")]
    _write(env, "markdown", [*pieces, *ends], choices=3)


def heat(env: Environment) -> None:
    _logprobs(env, "heat")


def table(env: Environment) -> None:
    _logprobs(env, "table")


def explain(env: Environment) -> None:
    explain_command().main(["min_p"], env)


def help(env: Environment) -> None:
    env.stdout.write(group_help(ROOT, COMMANDS, env))


def findings(env: Environment) -> None:
    found = [
        Finding(
            Level.ERROR, "sp.top_p", "top_p", "top_p is above 0 and at most 1, got top_p 1.5",
            (Edit("set", "top_p", 1),),
        ),
        Finding(
            Level.IGNORED, "field.removed", "guided_choice",
            "guided_choice was removed in 0.12.0: use structured_outputs.choice; vllm==0.32.0 "
            "ignores it",
            (Edit("move", "guided_choice", to="structured_outputs.choice"),),
        ),
        Finding(Level.WARNING, "sp.seed", "seed", "seed -1 is taken as no seed\x1b[2J"),
        Finding(Level.NOTE, "x.note", "", "没有空格的一段文字也可以换行"),
    ]  # fmt: skip
    origins = {
        "top_p": Origin("profile", "profile creative (~/.config/vllmctl/creative.toml:12)"),
        "guided_choice": Origin("option", "-o guided_choice"),
    }
    write_findings(found, origins, env)


def lint(env: Environment) -> None:
    body = {
        "model": "qwen3-8b",
        "messages": [{"role": "user", "content": "Name a colour"}],
        "guided_choice": ["red", "green"],
        "enable_thinking": False,
        "top_p": 1.5,
    }
    report = TextReport(env.stdout, env)
    linter = Linter(Judge.of("vllm==0.32.0"))
    report.write(linter.whole(json.dumps(body, indent=2).encode(), "body.json"))
    report.finish()


def faults(env: Environment) -> None:
    write_note("the server runs vllm==0.31.0, and this is checked for vllm==0.33.0 (newest)", env)
    write_fault(
        "400 Bad Request: top_p must be in (0, 1], got 1.5.\n"
        "  set by profile creative (~/.config/vllmctl/creative.toml:12)",
        "vllmctl explain top_p tells more\nrequest id 32dcd69533274a5790b71704d5c49dae",
        env.stderr,
    )
    write_fault(
        "cannot connect to http://localhost:8000/: Connection refused\x1b]0;t\x07", "", env.stderr
    )


def stats(env: Environment) -> None:
    write_usage(measured(), env)


CASES: dict[str, Case] = {
    case.__name__: case
    for case in (
        text, markdown, reasoning, calls, choices, heat, table, findings, lint, faults, stats,
        explain, help,
    )
}  # fmt: skip
"""A function each, whose name is that of the folder with what it shows."""


def _write(env: Environment, form: str, events: Sequence[Event], *, choices: int = 1) -> None:
    writer = writer_for(
        form, env, env.stdout, reasoning=True, choices=choices, side_by_side=choices > 1
    )
    for event in events:
        writer.take([event])
    writer.finish(Answer())


def _logprobs(env: Environment, view: str) -> None:
    for name in ANSWERS:
        env.stdout.write(f"# {name}\n")
        write_logprobs(recorded(name), env, env.stdout, view, alternatives=2)
        env.stdout.write("\n")


def recorded(name: str) -> Answer:
    """An answer of a real server with log-probabilities."""
    whole = Answer()
    whole.take_whole(json.loads((GOLDEN / f"logprobs/{name}.json").read_text(encoding="utf-8")), [])
    return whole


def values(env: Environment) -> None:
    for name in ANSWERS:
        env.stdout.write(f"# {name}\n")
        write_logprobs(recorded(name), env, env.stdout, "tsv", alternatives=2)
        env.stdout.write("\n")


def measured() -> Answer:
    """An answer of two choices with all that a server can tell, 20 ms a token."""
    now = [10.0]
    answer = Answer(sent=9.5, clock=lambda: now[0])
    for number in range(24):
        kind = "reasoning" if number < 8 else "content"
        delta = [{"index": index, "delta": {kind: "x"}} for index in (0, 1)]
        now[0] += 0.02
        answer.arrived()
        answer.take({"choices": delta}, [])
    ends = [(0, "stop", "\n\n"), (1, "length", None)]
    answer.take(
        {"choices": [{"index": i, "finish_reason": r, "stop_reason": s} for i, r, s in ends]}, []
    )
    answer.take(json.loads((GOLDEN / "usage.json").read_text(encoding="utf-8")), [])
    answer.ended()
    return answer
