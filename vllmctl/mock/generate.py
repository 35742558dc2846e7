"""Generates one choice: a plan, held to the request's limits and stops."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from vllmctl.mock.plan import Part, Plan, Token
from vllmctl.mock.reply import lorem
from vllmctl.mock.sampling import END, Sampling
from vllmctl.mock.tokenizer import TextDecoder, encode

_SENTENCES = 10


class Span(NamedTuple):
    """Text that came out, and what it belongs to."""

    token: Token
    text: str


class Step(NamedTuple):
    """What one token brought: ``spans`` of text, and the end when it was the last.

    ``spelt`` is the text that the token itself stands for: none for the first bytes of a
    character, all of it for the last. ``stop_reason`` is the stop string, the stop token's id,
    ``repetition_detected`` or ``None`` for the model's own end.
    """

    token: Token
    spelt: str
    spans: list[Span]
    finish: str | None = None
    stop_reason: str | int | None = None


def generate(plan: Plan, limits: Sampling, random: Random) -> Iterator[Step]:
    """Yield the steps of one choice; the last one has a ``finish``."""
    return _Generation(plan, limits, random).steps()


class _Generation:
    def __init__(self, plan: Plan, limits: Sampling, random: Random) -> None:
        self._plan = plan
        self._limits = limits
        self._random = random
        self._ids: list[int] = []
        self._text = ""
        self._waiting: list[Span] = []
        self._decoder = TextDecoder()

    def steps(self) -> Iterator[Step]:
        for token in self._tokens():
            self._ids.append(token.id)
            spelt = self._decoder.feed(token.id)
            finish, reason = self._end_by_token(token)
            if not (finish == "stop" and self._is_silent(token)):
                self._say(token, spelt)
            if finish != "stop":
                stopped = self._end_by_text()
                finish, reason = ("stop", stopped) if stopped else (finish, reason)
            spans = self._release(everything=finish is not None)
            yield Step(token, spelt, spans, finish, reason)
            if finish:
                return

    def _tokens(self) -> Iterator[Token]:
        """Yield what the model would sample: the plan, its end, and on when it may not end."""
        for token in self._plan.tokens:
            yield self._preferred(token)
        while True:
            if not self._limits.ignores_end and len(self._ids) >= self._limits.min_tokens:
                yield self._preferred(Token(END, Part.MARK))
                if self._ids[-1] == END:
                    return
            for more in encode(" " + lorem(self._random, _SENTENCES)):
                yield self._preferred(Token(more, self._plan.rest))
                if not self._limits.ignores_end and len(self._ids) >= self._limits.min_tokens:
                    break

    def _preferred(self, token: Token) -> Token:
        """The token that biases and bans leave in its place."""
        limits = self._limits
        if limits.forced is not None:
            return Token(limits.forced, self._plan.rest)
        if limits.allowed is not None and token.id not in limits.allowed:
            usable = sorted(limits.allowed - limits.banned - {END}) or [END]
            return Token(self._random.choice(usable), self._plan.rest)
        if token.id in limits.banned:
            return self._replacement(token)
        return token

    def _replacement(self, token: Token) -> Token:
        usable = [one for one in encode(lorem(self._random)) if one not in self._limits.banned]
        part = self._plan.rest if token.id == END else token.part
        return Token(self._random.choice(usable or [encode("x")[0]]), part, token.call)

    def _end_by_token(self, token: Token) -> tuple[str | None, str | int | None]:
        limits = self._limits
        if len(self._ids) >= limits.min_tokens:
            if token.id == END and not limits.ignores_end:
                return "stop", limits.end_reason
            if token.id in limits.stop_ids:
                return "stop", token.id
        if limits.repetition and limits.repetition.found(self._ids):
            return "repetition", "repetition_detected"
        return ("length", None) if len(self._ids) >= limits.max_tokens else (None, None)

    def _is_silent(self, token: Token) -> bool:
        """Whether the token that ended the text stays out of it."""
        if not self._limits.includes_stop:
            return True
        return token.id == END and not self._limits.shows_marks

    def _say(self, token: Token, text: str) -> None:
        if token.id == END:
            token = Token(END, self._plan.rest)
        if self._limits.stop:
            self._text += text
        if text:
            self._waiting.append(Span(token, text))

    def _end_by_text(self) -> str | None:
        """Cut the text at the first stop string in it; return that string."""
        if len(self._ids) < self._limits.min_tokens or not self._limits.stop:
            return None
        fresh = len(self._waiting[-1].text) if self._waiting else 0
        for stop in self._limits.stop:
            at = self._text.find(stop, max(0, len(self._text) - fresh - len(stop) + 1))
            if at >= 0:
                self._cut(at + len(stop) if self._limits.includes_stop else at)
                return stop
        return None

    def _cut(self, length: int) -> None:
        surplus = len(self._text) - length
        self._text = self._text[:length]
        while surplus > 0 and self._waiting:
            token, text = self._waiting.pop()
            if len(text) > surplus:
                self._waiting.append(Span(token, text[:-surplus]))
            surplus -= len(text)

    def _release(self, *, everything: bool) -> list[Span]:
        """Give out what no stop string can begin in any more."""
        held = 0 if everything else self._limits.held_back
        if not held:
            spans, self._waiting = self._waiting, []
            return spans
        total = sum(len(span.text) for span in self._waiting)
        released: list[Span] = []
        while self._waiting and total > held:
            token, text = self._waiting.pop(0)
            free = min(len(text), total - held)
            released.append(Span(token, text[:free]))
            total -= len(text)
            if free < len(text):
                self._waiting.insert(0, Span(token, text[free:]))
        return released
