"""The file of what was typed: whose it is, what it keeps, and that nothing depends on it."""

import json
import stat

import pytest

from vllmctl.cli.interactive.history import History
from vllmctl.env import Environment
from vllmctl.streams import discreet


@pytest.fixture
def history(tmp_path):
    import io

    env = Environment(stderr=discreet(io.StringIO()), variables={"XDG_STATE_HOME": str(tmp_path)})
    env.hide("hunter2-and-more", "…")
    return History(env)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "vllmctl" / "history"


def test_entries_come_back_in_order_whatever_they_hold(history, file):
    for text in ("one", "two\nlines \u2028 ü", "/set seed 3"):
        history.add(text)
    assert history.entries() == ["one", "two\nlines \u2028 ü", "/set seed 3"]
    assert len(file.read_text().splitlines()) == 3


def test_it_is_for_its_owner_alone(history, file):
    file.parent.mkdir()
    file.write_text("")
    file.chmod(0o644)
    history.add("one")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_file_is_for_its_owner_alone(history, file):
    history.add("one")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text",
    [
        "/set api-key sk-1", "/set api_key=sk-1", "/set --api-key sk-1", "/set header X: y",
        "/set -H 'Authorization: Bearer x'", "/set base-url http://me:pw@host", "hunter2-and-more",
        "is hunter2-and-more my key?", "  /set api_key sk-1", '"""/set api_key sk-1"""',
        '/set """api_key sk-1"""', "/set -qHX-Foo:v", "/set base_url http://h/v1?key=v",
        "/set url=http://u:p/x@h",
    ],
)  # fmt: skip
def test_secrets_are_not_kept(history, file, text):
    history.add(text)
    assert not file.exists()


def test_words_about_secrets_are_no_secrets(history):
    history.add("What is an API key, and what a password?")
    history.add("/set max_tokens 5")
    history.add("/set base_url=http://host:8000/v1?team=a")
    assert len(history.entries()) == 3


def test_a_damaged_file_is_read_as_far_as_it_can_be(history, file):
    history.add("one")
    with file.open("ab") as more:
        more.write(b'"half\n{"a": 1}\n\xff\n[[[[\n')
    history.add("two")
    assert history.entries() == ["one", "two"]


def test_it_does_not_grow_without_end(history, file):
    history.add("x" * 100_000)
    assert not file.exists()
    file.parent.mkdir()
    file.write_text("".join(json.dumps(f"{n} {'x' * 500}") + "\n" for n in range(3000)))
    entries = history.entries()
    assert (len(entries), entries[-1].split()[0]) == (1000, "2999")
    assert len(file.read_text().splitlines()) == 1000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {path.name for path in file.parent.iterdir()} == {"history", ".lock"}


def test_nothing_depends_on_it(tmp_path):
    (tmp_path / "vllmctl").write_text("no folder")
    for variables in ({}, {"XDG_STATE_HOME": str(tmp_path)}):
        history = History(Environment(variables=variables))
        history.add("one")
        assert history.entries() == []
