"""What the mock is going to say, token by token, before limits and stops have their say."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from random import Random
from typing import Any, NamedTuple

from vllmctl.mock.options import MockOptions
from vllmctl.mock.pieces import CALL_END, CALL_START, THINK_END, THINK_START
from vllmctl.mock.prompt import last_words
from vllmctl.mock.reply import continuation, reply_text
from vllmctl.mock.structure.constraint import json_writer, read_constraint
from vllmctl.mock.structure.shapes import ConstraintError
from vllmctl.mock.tokenizer import encode

_WORD = re.compile(r"[a-z]{4,}")


class Part(IntEnum):
    """What a token belongs to."""

    MARK = 0
    """A sign for the parser alone: ``<think>``, the end of a turn."""
    REASONING = 1
    CONTENT = 2
    CALL_HEAD = 3
    """A tool call up to its arguments, but for the last token of that."""
    CALL_NAMED = 4
    """The token with which a call's name is known."""
    CALL_ARGUMENTS = 5
    CALL_TAIL = 6


class Token(NamedTuple):
    """One token; ``call`` numbers the tool call that it belongs to."""

    id: int
    part: Part
    call: int = 0


class Call(NamedTuple):
    """One tool call; ``arguments`` is JSON text."""

    id: str
    name: str
    arguments: str


class Plan(NamedTuple):
    """Tokens in order, and the tool calls among them; ``rest`` is what may follow."""

    tokens: Sequence[Token]
    calls: Sequence[Call] = ()
    rest: Part = Part.CONTENT


def thinks(body: Mapping[str, Any], options: MockOptions) -> bool:
    """Whether the answer to a chat request starts with reasoning."""
    if not options.thinks or body.get("reasoning_effort") == "none":
        return False
    return (body.get("chat_template_kwargs") or {}).get("enable_thinking", True) is not False


def chat_plan(body: Mapping[str, Any], options: MockOptions, random: Random) -> Plan:
    """Return what is said to a chat request whose types were checked."""
    writer = read_constraint(body)
    free = reply_text(options.reply, last_words(body["messages"]), random)
    text = writer(random, free) if writer else free
    forced = _is_forced(body.get("tool_choice"))
    if not thinks(body, options):
        calls = _calls(body, random) if forced or not writer else []
        return _spoken(calls, text, Part.CONTENT)
    hidden = body.get("include_reasoning") is False and writer is not None
    starts_turn = body.get("add_generation_prompt", True) is not False
    if hidden or not starts_turn or body.get("continue_final_message"):
        return _spoken([], text, Part.REASONING)
    calls = _calls(body, random) if forced or not writer else []
    gap = [] if writer or forced else _tokens("\n\n", Part.CONTENT)
    spoken = _spoken(calls, text, Part.CONTENT)
    tokens = [*_thoughts(options.reasoning, body.get("thinking_token_budget")), *gap]
    return Plan([*tokens, *spoken.tokens], calls)


def completion_plan(
    prompt: str, body: Mapping[str, Any], options: MockOptions, random: Random
) -> Plan:
    """Return how a plain completion goes on.

    A server with a reasoning parser keeps constraints only after the end of the thinking.
    """
    writer = read_constraint(body)
    free = continuation(options.reply, prompt, random)
    if writer and (not options.thinks or THINK_END in prompt):
        return Plan(_tokens(writer(random, free), Part.CONTENT))
    return Plan(_tokens(free, Part.CONTENT))


def _thoughts(reasoning: str, budget: int | None) -> list[Token]:
    inside = _tokens(f"\n{reasoning}\n", Part.REASONING)
    if budget is not None and budget >= 0:
        inside = inside[:budget]
    return [*_tokens(THINK_START, Part.MARK), *inside, *_tokens(THINK_END, Part.MARK)]


def _spoken(calls: Sequence[Call], text: str, part: Part) -> Plan:
    if not calls:
        return Plan(_tokens(text, part), rest=part)
    return Plan([t for number, call in enumerate(calls) for t in _call(call, number)], calls)


def _call(call: Call, number: int) -> Iterator[Token]:
    gap = "\n" if number else ""
    head = f'{gap}{CALL_START}\n{{"name": {json.dumps(call.name)}, "arguments": '
    *first, last = _tokens(head, Part.CALL_HEAD, number)
    yield from (*first, last._replace(part=Part.CALL_NAMED))
    yield from _tokens(call.arguments, Part.CALL_ARGUMENTS, number)
    yield from _tokens(f"}}\n{CALL_END}", Part.CALL_TAIL, number)


def _tokens(text: str, part: Part, call: int = 0) -> list[Token]:
    return [Token(token, part, call) for token in encode(text)]


def _is_forced(choice: Any) -> bool:
    return choice == "required" or isinstance(choice, Mapping)


def _calls(body: Mapping[str, Any], random: Random) -> list[Call]:
    """The tool calls of the answer: those that were forced, or that the user's words ask for."""
    functions = [tool["function"] for tool in body.get("tools") or () if "function" in tool]
    choice = body.get("tool_choice", "auto")
    if not functions or choice == "none":
        return []
    if isinstance(choice, Mapping):
        name = choice.get("function", {}).get("name")
        wanted = [one for one in functions if one.get("name") == name]
    else:
        wanted = _fitting(functions, body["messages"])
        if choice == "required":
            wanted = wanted or functions[:1]
    if body.get("parallel_tool_calls") is False:
        wanted = wanted[:1]
    return [_filled(function, random) for function in wanted]


def _fitting(
    functions: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Tools that share a word with the user's last message, unless a tool has just answered."""
    if messages and messages[-1].get("role") == "tool":
        return []
    said = set(_WORD.findall(last_words(messages).lower()))
    return [one for one in functions if said & set(_WORD.findall(_words_of(one)))]


def _words_of(function: Mapping[str, Any]) -> str:
    return f"{function.get('name')} {function.get('description') or ''}".lower().replace("_", " ")


def _filled(function: Mapping[str, Any], random: Random) -> Call:
    try:
        arguments = json_writer(function.get("parameters") or {"type": "object"})(random, "")
    except (ConstraintError, TypeError, ValueError, AttributeError, KeyError):
        arguments = "{}"
    return Call(
        f"chatcmpl-tool-{random.getrandbits(64):016x}", str(function.get("name")), arguments
    )
