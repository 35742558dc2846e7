"""Tokens with their log-probabilities, out of the shapes in which servers give them.

Shapes, as vLLM 0.32 has them (``vllm/entrypoints/openai``): chat ``{"content": [{"token",
"logprob", "bytes", "top_logprobs"}, …]}``; completions four lists ``{"tokens",
"token_logprobs", "top_logprobs", "text_offset"}``; prompts ``[null, {ID: {"logprob", "rank",
"decoded_token"}}, …]``, where the prompt's own token comes first. vLLM writes -9999 for minus
infinity. With ``return_tokens_as_token_ids`` a token is named ``token_id:N``, and the bytes of
its alternatives spell that name.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.counts import count_in
from vllmctl.record import Record, field, replace

_ID = re.compile(r"token_id:(\d+)")
_LEAST = -9999.0
"""What a JSON answer has in place of minus infinity, for it has no such number."""


class Token(Record):
    """A token, and those that could have stood in its place.

    ``text`` and ``data`` (its bytes) are ``None`` where the server names the token by its id
    alone; ``text`` is empty for a token that is only a part of a character. ``logprob`` is
    natural, minus infinity for what could not be chosen, and ``None`` where there is none.
    ``rank`` counts from 1, the most probable token.
    """

    text: str | None
    logprob: float | None
    data: bytes | None = None
    id: int | None = None
    rank: int | None = None
    alternatives: list["Token"] = field(factory=list)

    @property
    def probability(self) -> float | None:
        """Between 0 and 1, or ``None``."""
        return None if self.logprob is None else math.exp(min(self.logprob, 0.0))


def tokens_of(answer: Answer, index: int = 0) -> list[Token]:
    """Return the tokens of a choice; none where no log-probabilities came with it."""
    choice = answer[index]
    found = read_logprobs(choice.logprobs or {})
    if choice.token_ids and len(choice.token_ids) == len(found):
        return [replace(token, id=id) for token, id in zip(found, choice.token_ids, strict=True)]
    return found


def spoken(tokens: list[Token], choice: Choice) -> list[Token]:
    """Return ``tokens`` from where the text of ``choice`` begins, without its reasoning."""
    if not choice.reasoning:
        return tokens
    said = b"".join(token.data or b"" for token in tokens)
    thought, text = (part.encode("utf-8", "replace") for part in (choice.reasoning, choice.text))
    start = max(said.find(thought), 0) + len(thought)
    start = max(start, said.find(text, start))
    place = 0
    for number, token in enumerate(tokens):
        place += len(token.data or b"")
        if place > start:
            return tokens[number:]
    return []


def prompt_tokens_of(answer: Answer, index: int = 0) -> list[Token]:
    """Return the tokens of the prompt; none where no log-probabilities came with it."""
    places = (answer[index].others, answer.others)
    found = next((p["prompt_logprobs"] for p in places if p.get("prompt_logprobs")), None)
    ids = next((p["prompt_token_ids"] for p in places if p.get("prompt_token_ids")), None)
    return read_prompt_logprobs(found, ids)


def read_logprobs(logprobs: Mapping[str, Any]) -> list[Token]:
    """Read the ``logprobs`` of a choice; what has another shape is left out."""
    content = logprobs.get("content")
    if isinstance(content, list):
        return [_chat_token(entry) for entry in content if isinstance(entry, dict)]
    texts = _list(logprobs.get("tokens"))
    numbers = _list(logprobs.get("token_logprobs"))
    others = _list(logprobs.get("top_logprobs"))
    return [
        _completion_token(text, _at(numbers, place), _at(others, place))
        for place, text in enumerate(texts)
    ]


def read_prompt_logprobs(entries: Any, ids: Any = None) -> list[Token]:
    """Read ``prompt_logprobs``; ``ids`` are the prompt's token ids, where they are known."""
    tokens = []
    for place, entry in enumerate(_list(entries)):
        own = _at(_list(ids), place)
        if isinstance(entry, dict) and entry:
            tokens.append(_prompt_token(entry, None if own is None else str(own)))
        else:  # the first token follows nothing
            tokens.append(Token(None, None, id=own if isinstance(own, int) else None))
    return tokens


def _chat_token(entry: Mapping[str, Any]) -> Token:
    token = _named(str(entry.get("token", "")), entry.get("logprob"), entry.get("bytes"))
    others = [
        _named(str(other.get("token", "")), other.get("logprob"), other.get("bytes"))
        for other in _list(entry.get("top_logprobs"))
        if isinstance(other, dict)
    ]
    return _with_alternatives(token, others)


def _completion_token(text: Any, logprob: Any, others: Any) -> Token:
    named = others.items() if isinstance(others, dict) else ()
    return _with_alternatives(
        _named(str(text), logprob, None), [_named(name, number, None) for name, number in named]
    )


def _prompt_token(entry: Mapping[str, Any], own: str | None) -> Token:
    tokens = {name: _ranked(name, value) for name, value in entry.items()}
    token = tokens.get(own or "") or next(iter(tokens.values()))
    return _with_alternatives(token, tokens.values())


def _ranked(name: str, value: Any) -> Token:
    facts = value if isinstance(value, dict) else {"logprob": value}
    text, rank = facts.get("decoded_token"), facts.get("rank")
    return Token(
        text if isinstance(text, str) else None,
        _number(facts.get("logprob")),
        text.encode("utf-8", "replace") if isinstance(text, str) else None,
        count_in(name),
        rank if isinstance(rank, int) else None,
    )


def _named(name: str, logprob: Any, data: Any) -> Token:
    known = bytes(data) if _are_bytes(data) else None
    number = _number(logprob)
    identity = _ID.fullmatch(name)
    if identity is None:
        return Token(name, number, name.encode("utf-8", "replace") if known is None else known)
    if known is None or known == name.encode():
        return Token(None, number, None, int(identity[1]))
    return Token(known.decode("utf-8", "replace"), number, known, int(identity[1]))


def _with_alternatives(token: Token, others: Iterable[Token]) -> Token:
    """Keep ``others`` without the token itself, the most probable first."""
    kept = list(others)
    own = next((other for other in kept if _is_same(token, other)), None)
    token.alternatives = sorted(
        (other for other in kept if other is not own),
        key=lambda other: -math.inf if other.logprob is None else other.logprob,
        reverse=True,
    )
    return token


def _is_same(token: Token, other: Token) -> bool:
    if other.logprob != token.logprob:
        return False
    if token.id is not None and other.id is not None:
        return token.id == other.id
    return (token.text, token.data) == (other.text, other.data)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    if math.isnan(number):
        return None
    return -math.inf if number <= _LEAST else number


def _are_bytes(value: Any) -> bool:
    return isinstance(value, list) and all(type(b) is int and 0 <= b < 256 for b in value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None
