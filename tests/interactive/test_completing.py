"""What TAB offers."""

import pytest

from vllmctl.cli.chat import command
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.commands import COMMANDS
from vllmctl.cli.interactive.completing import offered
from vllmctl.cli.interactive.talk import Talk
from vllmctl.env import Environment
from vllmctl.request.sessions import Session

GIVEN = {"field_top_p": ["1"], "usage": True, "image": ["cat.png"]}


@pytest.fixture
def words(tmp_path):
    """The word under the cursor, and the words that are offered in its place."""
    (tmp_path / "notes.md").touch()
    (tmp_path / "folder").mkdir()
    env = Environment(cwd=tmp_path, variables={"HOME": str(tmp_path)})
    talk = Talk.begin(Given(GIVEN, command().specs), Session())

    def of(text):
        word, found = offered(text, talk, env)
        return word, [value for value, _ in found]

    return of


def test_commands(words):
    assert words("/un") == ("/un", ["/unset", "/undo"])
    assert words("/") == ("/", [row.name for row in COMMANDS])
    assert words("/help /re") == ("/re", ["/retry"])


def test_settings_and_their_values(words):
    assert words("/set temp") == ("temp", ["temperature"])
    assert words("/set top-") == ("top-", ["top_p", "top_k", "top_logprobs"])
    assert words("/set hide") == ("hide", ["hide-reasoning"])
    assert words("/set reasoning_effort m") == ("m", ["minimal", "medium", "max"])
    assert words("/set reasoning_effort=m") == ("m", ["minimal", "medium", "max"])
    assert words("/set thinking ") == ("", ["true", "false"])
    assert words("/set run-tools a") == ("a", ["ask", "auto"])
    assert words("/set show-logprobs t") == ("t", ["table", "tsv"])
    assert words("/set target vllm==0.32.")[1][0] == "vllm==0.32.0"
    assert words("/set schema @n") == ("@n", ["@notes.md"])
    assert words("/set profile gre") == ("gre", ["greedy"])


def test_nothing_is_offered_that_is_refused(words):
    assert words("/set dry")[1] == []
    assert words("/set sess")[1] == ["session_id"]
    assert words("/set help")[1] == []


def test_what_is_set_can_be_unset(words):
    assert set(words("/unset ")[1]) == {"top_p", "usage", "image"}


def test_profiles_and_paths(words):
    assert words("/profile gre") == ("gre", ["greedy"])
    assert words("/file n") == ("n", ["notes.md"])
    assert words("/image ") == ("", ["folder/", "notes.md"])


@pytest.mark.parametrize("text", ["Hello", "//un", "", "/nothing x", "/undo x", "see /un"])
def test_messages_are_left_alone(words, text):
    assert words(text)[1] == []
