"""How answers are printed: widths, colour, pipes, and whole pages."""

import json
import os
import subprocess
import sys

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.explain.paths import spots

HEAVY = {"httpx", "rich", "pydantic", "asyncio", "typer", "click"}
PATHS = sorted(spots(endpoint("chat.completions", newest())))


def too_wide(lines, width):
    """Lines that could have been broken."""
    return [line for line in lines if len(line) > width and len(line.split()) > 1]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("path", PATHS)
def test_an_answer_fits_the_terminal(printed, path, width):
    answer = printed("explain", path, variables={"COLUMNS": str(width)})
    assert too_wide(answer.lines, width) == []


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--nested",),
        ("--removed",),
        ("--search", "token"),
        ("--diff", "0.6.3", "0.33.0"),
        ("--diff", "0.33.0", "furiosa", "complete"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_a_table_fits_the_terminal(printed, arguments, width):
    table = printed("fields", *arguments, variables={"COLUMNS": str(width)})
    assert too_wide(table.lines, width) == []


@pytest.mark.parametrize(
    ("variables", "color", "bold"),
    [
        ({}, "auto", False),
        ({"FORCE_COLOR": "1"}, "auto", True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
        ({"NO_COLOR": "1"}, "always", True),
        ({"FORCE_COLOR": "1"}, "never", False),
    ],
)
def test_titles_are_bold_where_colour_is_wanted(printed, variables, color, bold):
    for command, *words in (("explain", "top_p"), ("fields",), ("fields", "--diff", "0.10.2")):
        done = printed(command, *words, "--color", color, variables=variables)
        assert ("\x1b[1m" in done.out) is bold
        assert "\x1b" not in done.out.replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_a_closed_pipe_ends_quietly():
    done = subprocess.run(
        f"{sys.executable} -m vllmctl fields --schema | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (len(done.stdout), done.stderr) == (10, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "top_p"),
        ("explain", "temprature"),
        ("fields",),
        ("fields", "--diff", "0.10.2"),
        ("fields", "--schema", "profile"),
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vllmctl", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert {line.rpartition("|")[2].strip() for line in lines} & HEAVY == set()


def test_a_typo_leaves_with_code_2_and_says_nothing_on_stdout():
    done = subprocess.run(
        [sys.executable, "-m", "vllmctl", "explain", "temprature"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean temperature?" in done.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("explain-detokenize.txt", ("explain", "detokenize", "--target", "0.33.0")),
        ("explain-max_new_tokens.txt", ("explain", "max_new_tokens", "--target", "0.33.0")),
        ("explain-early_stopping.txt", ("explain", "early_stopping", "--target", "0.33.0")),
        ("explain-top_k-furiosa.txt", ("explain", "top_k", "--target", "furiosa==2026.4.0")),
        ("explain-schema.txt", ("explain", "--schema", "--target", "0.33.0")),
        ("fields-removed.txt", ("fields", "complete", "--removed", "--target", "0.33.0")),
        ("fields-diff.txt", ("fields", "--diff", "0.11.2", "0.12.0")),
    ],
)
def test_whole_pages_read_as_they_should(printed, golden, name, arguments):
    golden(name, printed(*arguments).out)


def test_json_is_one_document_and_jsonl_one_a_line(printed):
    rows = printed("fields", "--format", "json").json
    lines = printed("fields", "--format", "jsonl").lines
    assert [json.loads(line) for line in lines] == rows
