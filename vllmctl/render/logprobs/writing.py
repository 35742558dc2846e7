"""Log-probabilities of a whole answer: every choice, and the prompt where it has some."""

from collections.abc import Iterator
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.env import Environment
from vllmctl.render.logprobs.figures import summary
from vllmctl.render.logprobs.heat import heat, legend
from vllmctl.render.logprobs.table import table
from vllmctl.render.logprobs.tokens import Token, prompt_tokens_of, spoken, tokens_of
from vllmctl.render.logprobs.tsv import tsv, tsv_header
from vllmctl.render.sheet import exact_sheet
from vllmctl.render.style import Style
from vllmctl.render.window import window_size

VIEWS = ("heat", "table", "tsv")

_UNSURE = 0.5
_MOST_UNSURE = 20


def parts_of(answer: Answer, *, reasoning: bool = True) -> Iterator[tuple[int, str, list[Token]]]:
    """Yield ``(choice, "prompt" or "answer", tokens)`` for what has log-probabilities.

    The prompt is the same for all choices, and stands before the first. Without ``reasoning``
    the tokens of it are left out.
    """
    for index in sorted(answer.choices):
        prompt = prompt_tokens_of(answer, index) if index == 0 else []
        own = tokens_of(answer, index)
        own = own if reasoning else spoken(own, answer[index])
        for part, tokens in (("prompt", prompt), ("answer", own)):
            if tokens:
                yield index, part, tokens


def write_logprobs(
    answer: Answer,
    env: Environment,
    out: TextIO,
    view: str,
    *,
    alternatives: int = 0,
    reasoning: bool = True,
) -> bool:
    """Write the log-probabilities of ``answer`` as ``view`` to ``out``.

    ``view`` is one of ``VIEWS``; ``alternatives`` is how many of those that the server sent are
    shown for a token: in the heat, for the least certain tokens only. The means go with the
    heat and the table, and to stderr with the values for programs. A text without
    log-probabilities is written as it is. Returns whether there were any.
    """
    parts = list(parts_of(answer, reasoning=reasoning))
    bare = [c for c in answer.choices.values() if c.text and not tokens_of(answer, c.index)]
    if view == "tsv":
        _write_values(parts, env, out, alternatives)
        _write_unknown(bare, out, alternatives)
    else:
        _write_shown(parts, env, out, view, alternatives)
        _write_bare(bare, env, out, titled=len(parts) + len(bare) > 1)
    out.flush()
    return bool(parts)


def _write_unknown(bare: list[Choice], out: TextIO, alternatives: int) -> None:
    """Write each text as one token of which nothing is known."""
    for choice in bare:
        out.write(
            tsv([Token(choice.text, None)], choice.index, "answer", alternatives=alternatives)
        )


def _write_bare(bare: list[Choice], env: Environment, out: TextIO, *, titled: bool) -> None:
    sheet = exact_sheet(out, on_terminal=env.is_terminal(out))
    for choice in bare:
        if titled:
            out.write(f"{title_of(choice.index, 'answer')}:\n")
        sheet.feed(choice.text)
        sheet.end()


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
