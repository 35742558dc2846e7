"""Many lines: as they come, in little memory, in pipes."""

import json
import subprocess
import sys
from collections.abc import Iterator

from tests.lint.helpers import lint
from vllmctl.lint.judge import Judge
from vllmctl.lint.lines import read_lines
from vllmctl.lint.linter import Linter

LINE = json.dumps({"path": "/v1/completions", "body": {"prompt": "x", "temprature": 1}}).encode()


def test_line_is_linted_before_the_next_one_is_read() -> None:
    taken = 0

    def lines() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(5):
            taken += 1
            yield LINE + b"\n"

    for number, line in enumerate(read_lines(lines(), "-", Linter(Judge.of("vllm"))), 1):
        assert line.result is not None
        assert taken == number


def test_every_line_has_a_result_of_one_line() -> None:
    answer = lint("--lines", "-", "--format", "jsonl", stdin=(LINE + b"\n") * 50)
    assert [line["line"] for line in answer.lines] == list(range(1, 51))
    assert answer.err.startswith("50 requests for vllm==")


def test_reader_that_stops_early_is_no_fault() -> None:
    program = [sys.executable, "-m", "vllmctl", "lint", "--lines", "-", "--format", "jsonl"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        try:
            process.stdin.write((LINE + b"\n") * 3000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.stderr.read() == b""
        assert process.wait() == 0
