"""Why an answer ended, in words."""

_WORDS = {
    "length": "the token limit",
    "tool_calls": "it calls tools",
    "function_call": "it calls a function",
    "content_filter": "the server withheld the rest",
    "repetition": "it repeated itself",
    "abort": "the server gave up",
    "error": "the server failed",
}
"""Reasons to finish that do not speak for themselves."""

CUTS = ("length", "content_filter", "repetition")
"""Regular ends at which the model had more to say."""


def finish_words(reason: str | None, stop_reason: int | str | None) -> str:
    """Return a reason to finish, with what it means or what stopped the answer."""
    if reason is None:
        return "not told"
    match stop_reason:
        case int(token):
            return f"{reason} (token {token})"
        case str(text) if reason == "stop":
            return f"{reason} (string {text!r})"
    meaning = _WORDS.get(reason)
    return f"{reason} ({meaning})" if meaning else reason


def finish_line(reason: str, stop_reason: int | str | None) -> str:
    """Return what is said below one of several answers: nothing where it just ended."""
    return "" if reason == "stop" else finish_words(reason, stop_reason)
