"""``--run-tools``: running what the model calls, and sending the results back."""

from collections.abc import Callable

from vllmctl.cli.approval import asker
from vllmctl.cli.given import Given
from vllmctl.cli.held import Held
from vllmctl.cli.keeping import keep
from vllmctl.cli.preparing import Prepared
from vllmctl.client.answer import Answer
from vllmctl.env import Environment
from vllmctl.errors import IncompleteAnswerError, UsageError
from vllmctl.record import Record, replace
from vllmctl.render.notes import write_note
from vllmctl.render.tool_runs import write_aside, write_call, write_result
from vllmctl.request.origin import Origin
from vllmctl.rules.check import check
from vllmctl.turns.conversation import Call, calls_of, is_forced, next_body
from vllmctl.turns.toolbox import tool_names, toolbox
from vllmctl.turns.tools import Tool, ToolError

_DECLINED = "error: the user does not allow this call"
_FORM = "text"

Send = Callable[[Prepared, Environment], Answer]
Settle = Callable[[Prepared], None]


class Turns(Record):
    """How tools are run: which, how often, and who is asked first.

    ``send`` sends a request and writes its answer to the given environment; ``settle`` tells
    what a check has found, and raises ``UsageError`` when that keeps it from being sent.
    """

    tools: dict[str, Tool]
    most: int
    allows: Callable[[str], bool]
    send: Send
    settle: Settle
    given: Given
    env: Environment


def turns(prepared: Prepared, given: Given, env: Environment, send: Send, settle: Settle) -> Turns:
    """Return how the tools of ``prepared`` are run. Raises ``UsageError`` if none can be."""
    body = prepared.request.body
    tools = toolbox(given.all("field_tools"), given.all("tool_command"), body)
    if body.get("n") not in (None, 1):
        raise UsageError("--run-tools goes on with one answer, so it does not take --n")
    if body.get("continue_final_message"):
        raise UsageError("--run-tools does not go with --prefill or continue_final_message")
    asks = given.last("run_tools") == "ask"
    allows = asker(env) if asks else lambda _: True
    return Turns(tools, most_turns(given), allows, send, settle, given, env)


def most_turns(given: Given) -> int:
    """Return ``--max-turns``. Raises ``UsageError`` for what is no count."""
    count = given.count("max_turns")
    if count == 0:
        raise UsageError("--max-turns: expected a whole number from 1, got '0'")
    return count or 5


def converse(prepared: Prepared, how: Turns) -> tuple[Prepared, Answer]:
    """Send ``prepared``, run what is called, and send the results, until an answer is final.

    Returns the last request and its answer. That answer alone goes to stdout, unless a person
    reads along there. Raises ``IncompleteAnswerError`` when the last turn calls tools too.
    """
    for turn in range(1, how.most + 1):
        held = None if _is_watched(how, prepared) else Held(how.env)
        answer = _sent(prepared, how, held)
        calls = _runnable(answer, prepared, how)
        if held and (not calls or turn == how.most):
            held.release()
        if not calls:
            return prepared, answer
        if turn < how.most:
            prepared = _after(answer, calls, prepared, how, shows_call=held is not None)
            # tools have run: whatever comes, what they said is not lost
            keep(prepared, prepared.request.body["messages"], how.given, how.env)
    goes_on = prepared.session and not how.given.has("interactive")
    further = "; a prompt with -c goes on from here" if goes_on else ""
    raise IncompleteAnswerError(
        f"the model still calls tools after {how.most} turn{'s' * (how.most > 1)}",
        f"--max-turns {how.most * 2} lets it go on{further}",
    )


def _sent(prepared: Prepared, how: Turns, held: Held | None) -> Answer:
    """Send ``prepared`` and return the answer; what came before a fault is not held back."""
    try:
        return how.send(prepared, held.env if held else how.env)
    except BaseException:
        if held:
            held.release()
        raise


def _is_watched(how: Turns, prepared: Prepared) -> bool:
    return how.env.is_terminal(how.env.stdout) and prepared.format == _FORM


def _runnable(answer: Answer, prepared: Prepared, how: Turns) -> list[Call]:
    """Return the calls if all of them can be run; what the model made up counts as such."""
    calls = calls_of(answer[0])
    known = tool_names(prepared.request.body)
    missing = [call.name for call in calls if call.name in known and call.name not in how.tools]
    if missing:
        _note(f"{missing[0]} cannot be run: --tool-command {missing[0]}=… names a command", how)
        return []
    return calls


def _after(
    answer: Answer, calls: list[Call], prepared: Prepared, how: Turns, *, shows_call: bool
) -> Prepared:
    """Run ``calls`` and return the request that tells their results, checked."""
    if shows_call and not how.given.has("quiet"):
        write_aside(answer.text, how.env)
    results = [(call, _run(call, how, shows_call=shows_call)) for call in calls]
    request = prepared.request
    body = next_body(request.body, answer[0], results, request.endpoint)
    if is_forced(request.body.get("tool_choice")):
        _note("tool_choice is auto from now on, so that the model can end", how)
    first = len(request.body["messages"])
    origins = {f"messages[{first}]": Origin("server", "the model's answer")}
    for number, call in enumerate(calls, first + 1):
        origins[f"messages[{number}]"] = Origin("tool", f"the result of {call.name}")
    checked = not how.given.has("no_check")
    following = replace(
        prepared,
        request=replace(request, body=body, origins={**request.origins, **origins}, notices=[]),
        findings=check(body, request.endpoint) if checked else [],
        resolved=replace(prepared.resolved, notices=[]),
    )
    told = set(map(repr, prepared.findings))
    how.settle(replace(following, findings=[f for f in following.findings if repr(f) not in told]))
    return following


def _run(call: Call, how: Turns, *, shows_call: bool) -> str:
    """Return the result of ``call`` as the model is told it."""
    quiet = how.given.has("quiet")
    if shows_call and not quiet:
        write_call(call.name, call.arguments, how.env)
    result = _result(call, how)
    if not quiet:
        write_result(call.name, result, how.env)
    return result


def _result(call: Call, how: Turns) -> str:
    tool = how.tools.get(call.name)
    if tool is None:
        return f"error: there is no tool {call.name}; there are {', '.join(how.tools)}"
    if not how.allows(f"run {call.name}({call.arguments})?"):
        return _DECLINED
    try:
        return tool(call.arguments)
    except ToolError as fault:
        return f"error: {fault}"


def _note(text: str, how: Turns) -> None:
    if not how.given.has("quiet"):
        write_note(text, how.env)
