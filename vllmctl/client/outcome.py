"""Whether an answer is complete, and what its reader should know about it."""

from collections.abc import Callable, Iterable

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.errors import IncompleteAnswerError
from vllmctl.texts import shown

FINISHES = (
    "stop",
    "length",
    "tool_calls",
    "function_call",
    "content_filter",
    "repetition",
)
"""The reasons to finish that are a regular end. Source: vLLM 0.32.0 and OpenAI's interface."""

_MOST_REMARKS = 20
_MOST_NAMED = 6
_FAILURES = ("abort", "error")


def failure_of(answer: Answer, *, expected: int, whole: bool) -> IncompleteAnswerError | None:
    """Return why the answer is not complete although nothing failed, or ``None``.

    A stream is complete when the server said so (``[DONE]``), or when all the ``expected``
    choices have finished.
    """
    for choice in answer.choices.values():
        reason = choice.finish_reason
        if reason in _FAILURES:
            return IncompleteAnswerError(
                f"the server gave up: finish_reason {reason!r}{_which(answer, choice)}",
                "the engine was paused or stopped, or somebody aborted the request",
            )
    if not answer.choices:
        return IncompleteAnswerError("there is no answer in what the server sent")
    if whole or answer.done or finished(answer, expected):
        return None
    return IncompleteAnswerError(
        "the stream ended before the answer was complete",
        "the server or a proxy in between gave up; its log says why",
    )


def finished(answer: Answer, expected: int) -> bool:
    """Whether all choices have finished, as far as one can know."""
    choices = answer.choices.values()
    return len(choices) >= expected and all(choice.finish_reason for choice in choices)


def remarks(answer: Answer) -> list[str]:
    """Return what is odd about an answer, or explains it."""
    return said_once(answer, lambda choice: _remarks(choice, answer))[:_MOST_REMARKS]


def said_once(answer: Answer, words: Callable[[Choice], Iterable[str]]) -> list[str]:
    """Return what ``words`` says of the choices, each text once, with those that it is about."""
    about: dict[str, list[Choice]] = {}
    for _, choice in sorted(answer.choices.items()):
        for text in words(choice):
            about.setdefault(text, []).append(choice)
    return [f"{text}{_which(answer, *choices)}" for text, choices in about.items()]


def _remarks(choice: Choice, answer: Answer) -> list[str]:
    found = []
    reason = choice.finish_reason
    if reason is None:
        found.append("the server gave no finish_reason")
    elif reason not in (*FINISHES, *_FAILURES):
        found.append(f"the finish_reason {reason!r} is unknown")
    if reason in FINISHES and not (_says(choice) or choice.calls or choice.refusals):
        found.append(_without_text(choice, answer))
    found += [
        f"the arguments of the call of {call.name or '?'} are not complete"
        for call in choice.calls
        if not call.is_complete
    ]
    return found


def _says(choice: Choice) -> bool:
    """Whether there is text; models that think part it from that by blank lines."""
    return bool(choice.text.strip() if choice.reasoning else choice.text)


def _without_text(choice: Choice, answer: Answer) -> str:
    if not choice.reasoning:
        return "the answer is empty"
    if choice.finish_reason == "length":
        return _only_reasoning(answer)
    if isinstance(choice.stop_reason, str):
        stop = f"the stop string {shown(choice.stop_reason)} came in the reasoning"
        return f"{stop}, so there is no text: choose another, or use --no-thinking"
    return "all of the answer came as reasoning, so there is no text"


def _only_reasoning(answer: Answer) -> str:
    count = (answer.usage or {}).get("completion_tokens")
    tokens = f"all {count} tokens" if count and len(answer.choices) == 1 else "all tokens"
    return (
        f"{tokens} went to reasoning, so there is no text: raise --max-tokens, lower "
        "--reasoning-effort, set --thinking-token-budget, or use --no-thinking"
    )


def _which(answer: Answer, *choices: Choice) -> str:
    if len(answer.choices) == 1:
        return ""
    *most, last = [str(choice.index + 1) for choice in choices]
    if not most:
        return f" (answer {last})"
    if len(most) >= _MOST_NAMED:
        return f" ({len(choices)} of {len(answer.choices)} answers)"
    return f" (answers {', '.join(most)} and {last})"
