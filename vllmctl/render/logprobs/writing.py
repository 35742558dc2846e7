"""Log-probabilities of a whole answer: every choice, and the prompt where it has some."""

from collections.abc import Iterator
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.env import Environment
from vllmctl.render.logprobs.figures import summary
from vllmctl.render.logprobs.heat import heat, legend
from vllmctl.render.logprobs.table import table
from vllmctl.render.logprobs.tokens import Token, prompt_tokens_of, tokens_of
from vllmctl.render.logprobs.tsv import tsv, tsv_header
from vllmctl.render.style import Style
from vllmctl.render.window import window_size

VIEWS = ("heat", "table", "tsv")

_UNSURE = 0.5
_MOST_UNSURE = 20


def parts_of(answer: Answer) -> Iterator[tuple[int, str, list[Token]]]:
    """Yield ``(choice, "prompt" or "answer", tokens)`` for what has log-probabilities.

    The prompt is the same for all choices, and stands before the first.
    """
    for index in sorted(answer.choices):
        prompt = prompt_tokens_of(answer, index) if index == 0 else []
        for part, tokens in (("prompt", prompt), ("answer", tokens_of(answer, index))):
            if tokens:
                yield index, part, tokens


def write_logprobs(
    answer: Answer, env: Environment, out: TextIO, view: str, *, alternatives: int = 0
) -> bool:
    """Write the log-probabilities of ``answer`` as ``view`` to ``out``.

    ``view`` is one of ``VIEWS``; ``alternatives`` is how many of those that the server sent are
    shown for a token: in the heat, for the least certain tokens only. The means go with the
    heat and the table, and to stderr with the values for programs. Returns whether there was
    anything to write.
    """
    parts = list(parts_of(answer))
    if view == "tsv":
        _write_values(parts, env, out, alternatives)
    else:
        _write_shown(parts, env, out, view, alternatives)
    out.flush()
    return bool(parts)


def _write_values(
    parts: list[tuple[int, str, list[Token]]], env: Environment, out: TextIO, alternatives: int
) -> None:
    out.write(tsv_header(alternatives))
    style = Style(env.stderr, env)
    for index, part, tokens in parts:
        out.write(tsv(tokens, index, part, alternatives=alternatives))
        env.stderr.write(style.paint(f"{title_of(index, part)}: {summary(tokens)}", "dim") + "\n")


def _write_shown(
    parts: list[tuple[int, str, list[Token]]],
    env: Environment,
    out: TextIO,
    view: str,
    alternatives: int,
) -> None:
    style = Style(out, env)
    width = window_size(out, env)[0] if env.is_terminal(out) else None
    if view == "heat" and parts:
        out.write(legend(colored=style.colored, width=width))
    for number, (index, part, tokens) in enumerate(parts):
        if number or view == "heat":
            out.write("\n")
        if len(parts) > 1:
            out.write(style.paint(f"{title_of(index, part)}:", "bold") + "\n")
        if view == "heat":
            out.write(heat(tokens, colored=style.colored, width=width))
            out.write(_unsure(tokens, alternatives, style.colored, width))
        else:
            shown = table(tokens, colored=style.colored, width=width, alternatives=alternatives)
            out.write(shown)
        out.write(style.paint(summary(tokens), "dim") + "\n")


def _unsure(tokens: list[Token], alternatives: int, colored: bool, width: int | None) -> str:
    """The table of the least certain tokens, in the order of the text."""
    if not alternatives:
        return ""
    known = [
        (token.logprob, place) for place, token in enumerate(tokens) if token.logprob is not None
    ]
    places = sorted(place for _, place in sorted(known)[:_MOST_UNSURE] if _is_unsure(tokens[place]))
    chosen = [tokens[place] for place in places]
    return table(chosen, colored=colored, width=width, alternatives=alternatives, places=places)


def _is_unsure(token: Token) -> bool:
    return (token.probability or 0.0) < _UNSURE


def title_of(index: int, part: str) -> str:
    """Return what a part of the answer is called."""
    return "prompt" if part == "prompt" else f"answer {index + 1}"
