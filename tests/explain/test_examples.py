"""The example commands work as they are printed."""

import json
import shlex

import pytest

from vllmctl.__main__ import run
from vllmctl.catalog.load import endpoint, walk
from vllmctl.catalog.target import newest

FILES = {
    "talk.json": [{"role": "user", "content": "Hello"}],
    "tools.json": [{"type": "function", "function": {"name": "get_weather"}}],
    "docs.json": [{"title": "A", "text": "B"}],
    "schema.json": {"type": "object"},
    "kv.json": {"do_remote_decode": True},
    "ec.json": {"a": 1},
}
TEXTS = {
    "chat.jinja": "{{ messages }}",
    "answer.ebnf": 'root ::= "yes"',
    "prompt.b64": "AAAA",
    "tags.json": '{"type": "structural_tag", "format": {"type": "any_text"}}',
}
NAMES = sorted(
    {
        path
        for name in ("chat.completions", "completions")
        for path, _ in walk(endpoint(name, newest()))
    }
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    for name, value in FILES.items():
        (tmp_path / name).write_text(json.dumps(value))
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_field_is_a_command_that_sends_it(asked, folder, capsys, name):
    words = shlex.split(asked(name).example)
    assert words[0] == "vllmctl"
    code = run([*words[1:], "--dry-run"])
    said = capsys.readouterr()
    assert code == 0, said.err
    body = json.loads(said.out)
    first = name.partition(".")[0]
    assert first in body or name == "structured_outputs"


@pytest.mark.parametrize("name", ["--schema", "--regex", "--choice", "--prefill", "--no-thinking"])
def test_the_example_of_an_option_works(printed, folder, capsys, name):
    words = shlex.split(printed("explain", name, "--format", "json").json["example"])
    assert run([*words[1:], "--dry-run"]) == 0, capsys.readouterr().err
