"""Targets: what is made of an answer once it is there: views, parts, a judgement."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.target import Target
from tools.fuzz.targets.answers import TARGETS as ANSWERS
from tools.fuzz.targets.answers import read
from tools.fuzz.targets.lints import odd_body
from tools.fuzz.terminal import check_harmless, on_terminal, written
from vllmctl.errors import IncompleteAnswerError
from vllmctl.render.logprobs.picture import as_html, as_svg
from vllmctl.render.logprobs.writing import VIEWS, write_logprobs
from vllmctl.render.writers import PARTS, part_writer
from vllmctl.verify.verify import faults

_FOLDER = Path("/nowhere")


def try_views(data: bytes) -> None:
    """The log-probabilities of any answer can be shown, and harm neither terminal nor browser."""
    answer = read([data])
    for view in VIEWS:
        env = on_terminal(_FOLDER, {"COLUMNS": "60"})
        write_logprobs(answer, env, env.stdout, view, alternatives=len(data) % 3)
        check_harmless(written(env))
    for page in (as_html(answer), as_svg(answer)):
        assert "<script" not in page.lower()


def try_parts(data: bytes) -> None:
    """Every part of any answer is printed, or told to be missing."""
    answer = read([data])
    for part in PARTS:
        env = on_terminal(_FOLDER)
        writer = part_writer(part, env, env.stdout)
        try:
            writer.finish(answer)
        except IncompleteAnswerError as fault:
            assert fault.message
        check_harmless(written(env))


def try_judgement(data: bytes) -> None:
    """Any answer to any body is judged in words."""
    answer = read([data])
    random = Random(data)
    for body in _bodies(random):
        assert all(isinstance(fault, str) and fault for fault in faults(body, answer))


def _bodies(random: Random) -> Iterator[dict[str, Any]]:
    for constraint in (
        {"regex": "(a+)+b"}, {"json": {"type": "string", "pattern": "(a+)+b"}}, {"choice": ["a"]},
        {"json": {"$ref": "http://127.0.0.1:1/"}}, {"json": {"$ref": "#"}}, {"regex": "["},
    ):  # fmt: skip
        yield {"structured_outputs": constraint}
    for _ in range(3):
        body = odd_body(random)
        if isinstance(body, dict):
            yield body


def with_texts(seeds: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return ``seeds`` and some whose text is JSON, code, or hard for patterns."""
    texts = (b"{}", b"[" * 2000, b"```\\ncode\\n```", b"a" * 5000 + b"c", b'\\"x\\"', b"<script>")
    answer = (
        b'{"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "%b", '
        b'"reasoning": "r"}, "logprobs": {"content": [{"token": "%b", "logprob": -1.5, "bytes": '
        b'[240, 159], "top_logprobs": [{"token": "<script>", "logprob": -9999}]}]}}]}'
    )
    return (*seeds, *(answer % (text, text) for text in texts))


_SEEDS = with_texts(tuple(ANSWERS["answer"].seeds))
_WORDS = (
    *ANSWERS["answer"].words, b'"top_logprobs"', b'"bytes"', b'"tokens"', b'"token_logprobs"',
    b'"prompt_logprobs"', b'"text_offset"', b"[null]", b"<script>", b"```", b"token_id:5",
)  # fmt: skip

TARGETS = {
    "views": Target(try_views, _SEEDS, _WORDS, seconds=20),
    "parts": Target(try_parts, _SEEDS, _WORDS),
    "judgement": Target(try_judgement, _SEEDS, _WORDS),
}
