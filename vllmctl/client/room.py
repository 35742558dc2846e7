"""How much room a prompt leaves for the answer, out of a server's words that there is none."""

import re

_LIMIT = r"(?:maximum context length is|max_model_len ?=) ?(\d+)"
_PROMPT = r"(?:contains|contains at least|has) (\d+) input tokens|(\d+) in the (?:messages|prompt)"


def room(message: str, *, chat: bool) -> str:
    """Return what to do about a request that is too long, with the numbers that are told."""
    limit, prompt = _number(_LIMIT, message), _number(_PROMPT, message)
    if "truncate_prompt_tokens" in message:
        return f"the model takes {limit} tokens" if limit else ""
    if limit is None or (prompt is None and "max_model_len" not in message):
        return (
            "shorten the prompt, ask for fewer tokens (--max-tokens), or let the server cut the "
            "prompt (--truncate-prompt-tokens)"
        )
    if prompt is None:
        return f"prompt and answer have {limit} tokens in all: ask for fewer (--max-tokens)"
    if prompt < limit:
        rest = "; without it the server takes what is left" if chat else ""
        return f"--max-tokens {limit - prompt} is the most that fits{rest}"
    return "shorten the prompt, or let the server cut it (--truncate-prompt-tokens)"


def _number(words: str, message: str) -> int | None:
    found = re.search(words, message)
    return next((int(number) for number in found.groups() if number), None) if found else None
