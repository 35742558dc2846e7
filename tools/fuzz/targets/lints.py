"""Targets: lint, on texts, lines, curl commands and bodies of any shape."""

import io
import json
from random import Random
from typing import Any

from tools.fuzz.place import scratch
from tools.fuzz.target import Target
from tools.fuzz.terminal import check_harmless, on_terminal, written
from vllmctl.errors import UsageError
from vllmctl.lint.curl import is_curl, read_curl
from vllmctl.lint.judge import Judge
from vllmctl.lint.lines import read_lines
from vllmctl.lint.linter import Linter
from vllmctl.lint.result import Result
from vllmctl.lint.rewrite import rewritten
from vllmctl.lint.translate import translate
from vllmctl.render.lint_results import (
    GithubReport,
    JsonLinesReport,
    JsonReport,
    Report,
    Tally,
    TextReport,
)
from vllmctl.render.terminal import guarded
from vllmctl.request.sources import Sources

_CHAT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {}}]},
    ],
    "temperature": 0.5,
    "top_k": -1,
    "logprobs": True,
    "top_logprobs": 3,
    "stream_options": {"include_usage": True},
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
    "chat_template_kwargs": {"enable_thinking": False},
}
_COMPLETION = {
    "prompt": [[1, 2], [3]],
    "echo": True,
    "n": 2,
    "best_of": 3,
    "use_beam_search": True,
    "logit_bias": {"1": 100},
    "structured_outputs": {"regex": "(a|b)+[0-9]{2,3}"},
    "guided_grammar": 'root ::= "a" | "b" root',
    "stop": ["a"],
    "repetition_detection": {"max_pattern_size": 4, "min_count": 2},
}
_BATCH = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": _CHAT}
_SEEDS = (
    *(json.dumps(value).encode() for value in (_CHAT, _COMPLETION, _BATCH)),
    b"{'prompt': 'hi', temperature: .5, // x\n}",
    b'```json\n{"prompt": "x",}\n```',
)
_WORDS = (
    *(f'"{name}"'.encode() for name in (*_CHAT, *_COMPLETION, *_BATCH)),
    b': ', b", ", b"{", b"}", b"[", b"]", b"//", b"/*", b"```", b"True", b"None", b"'",
    b'"type": "image_url"', b'"$ref": "#"', b'"pattern": "(a+)+$"', b'"json": {}', b"\\u001b",
    b'"grammar"', b'"choice"', b'"structural_tag"', b'"role"', b'"content"', b'"function"',
    b"(((((", b"{1000}", b"(?=a)", b"[^]", b"::=", b"%ignore", b"?start:", b"{%", b"{{", b"}}",
)  # fmt: skip
_CURLS = (
    b"curl http://h/v1/completions -H 'Content-Type: application/json' -d '{\"prompt\": \"x\"}'",
    b'$ curl -sS --json "{\\"prompt\\": 1}" \\\n  --url h:1 | jq .',
    b"curl -d @x -d$'a\\n' --data-raw=b -XPOST h && rm x",
)


def try_text(data: bytes) -> None:
    """Any text gets a result that can be printed, mended or not."""
    for linter in (_linter(), _linter(mends=True)):
        result = linter.whole(data, "x.json")
        _print(result)
        if linter.mends and result.readable and result.is_changed:
            rewritten(result.value, data)


def try_lines(data: bytes) -> None:
    """Any file of lines gets a result a line."""
    for linter in (_linter(), _linter(mends=True)):
        for line in read_lines(io.BytesIO(data), "x.jsonl", linter):
            if line.result is not None:
                _print(line.result)


def try_curl(data: bytes) -> None:
    """A curl command is read, or refused in words."""
    text = data.decode("utf-8", "surrogateescape")
    is_curl(text)
    try:
        read_curl(text, Sources(on_terminal(scratch())))
    except UsageError as fault:
        assert fault.message


def try_body(data: bytes) -> None:
    """A body in which values stand where others belong gets findings."""
    random = Random(data)
    for name in ("chat.completions", "completions"):
        odd = odd_body(random)
        findings = _JUDGE.findings(odd, name)
        assert all(finding.code and finding.message for finding in findings)
        _print(_linter(mends=True).whole(json.dumps(odd).encode(), "x"))


def odd_body(random: Random) -> Any:
    """Return a body with some of its parts replaced by what does not belong there."""
    return _odd(random.choice((_CHAT, _COMPLETION)), random)


TARGETS = {
    "lint": Target(try_text, _SEEDS, _WORDS, seconds=20),
    "lines": Target(try_lines, (b"\n".join(_SEEDS[:3]),), _WORDS, seconds=20),
    "curl": Target(try_curl, _CURLS, (b"curl ", b" -d ", b"'", b'"', b"$'", b"\\\n", b" @", b"|")),
    "body": Target(try_body, (b"0", b"1"), seconds=20),
}

_JUDGE = Judge.of("vllm")
_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**63, 10**400, 0.5, -1e308, "", "a", "\ud800", "\x1b[2J\x00", "x" * 5000,
    "(a+)+$", "[" * 500, 'root ::= root "a"', "{{ a }}", [], {}, [[]], [None], {"": {}},
    {"type": "object"}, {"$ref": "#"}, {"a": [1, {"b": None}]}, [1, "a", {}], "auto", "required",
)  # fmt: skip


def _linter(*, mends: bool = False) -> Linter:
    linter = Linter(_JUDGE, None, mends)
    if mends:
        linter.translate = lambda body, name: translate(body, _JUDGE.facts(name), newer=True)
    return linter


def _print(result: Result) -> None:
    env = on_terminal(scratch())
    out = guarded(env.stdout, env)
    reports: list[Report] = [
        TextReport(env.stdout, env),
        JsonReport(out, strict=True, many=True, fixed=True),
        JsonLinesReport(out, strict=True, named=True, fixed=True),
        GithubReport(out),
    ]
    for report in reports:
        report.write(result)
        report.finish()
    tally = Tally(strict=True)
    tally.add(result)
    assert str(tally)
    check_harmless(written(env))


def _odd(value: Any, random: Random) -> Any:
    if random.random() < 0.12:
        return random.choice(_VALUES)
    if isinstance(value, dict):
        kept = {key: _odd(inner, random) for key, inner in value.items() if random.random() < 0.7}
        if random.random() < 0.1:
            kept[random.choice(("x", "", "guided_json", "\x1b]0;t\x07"))] = random.choice(_VALUES)
        return kept
    if isinstance(value, list):
        return [_odd(inner, random) for inner in value for _ in range(random.choice((1, 1, 1, 0)))]
    return value
