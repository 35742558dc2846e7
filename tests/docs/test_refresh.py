"""Reading blocks, running them in order, and putting their output into the page."""

from pathlib import Path

import pytest

from tools.docs.blocks import blocks, without_marks
from tools.docs.refresh import NotAsWrittenError, refreshed
from tools.docs.terminal import seen


def console(*lines: str) -> str:
    return "\n".join(["```console", *lines, "```", ""])


def test_output_replaces_what_stood_there() -> None:
    assert refreshed(console("$ echo one", "two")) == console("$ echo one", "one")


def test_output_that_differs_only_in_times_and_ids_stays() -> None:
    page = console("$ echo total 0.5 s", "total 0.4 s")
    assert refreshed(page) == page
    page = console(f"$ echo request id {'a' * 32}", f"request id {'b' * 32}")
    assert refreshed(page) == page


def test_commands_share_a_shell_and_know_the_last_exit_code() -> None:
    page = console("$ export WORD=hello") + console("$ echo $WORD", "$ (exit 7)", "$ echo $?")
    assert console("$ echo $WORD", "hello", "$ (exit 7)", "$ echo $?", "7") in refreshed(page)


def test_a_command_may_go_on_in_the_next_line() -> None:
    page = console("$ echo one |", ">   tr o 0", "0ne")
    assert refreshed(page) == page


def test_a_block_with_a_title_is_a_file_for_those_below_it() -> None:
    page = '```json title="in/it.json"\n{"a": 1}\n```\n' + console("$ cat in/it.json", '{"a": 1}')
    assert refreshed(page) == page


def test_the_server_of_the_pages_is_the_mock() -> None:
    page = console("$ vllmctl chat hi --base-url http://localhost:8000 -n -v > body.json")
    assert "POST mock:/v1/chat/completions" in refreshed(page)


def test_a_mock_has_a_port_of_its_own_and_ends_with_the_page() -> None:
    page = console(
        "$ vllmctl mock --port 8001 > mock.log &",
        "$ until grep -qs ready mock.log; do sleep 0.1; done",
        "$ cat mock.log",
    )
    assert "ready: http://127.0.0.1:8001" in refreshed(page)


def test_a_script_that_fails_is_told() -> None:
    with pytest.raises(NotAsWrittenError, match="ended with 1, not 0"):
        refreshed("```sh\nfalse\n```\n")
    refreshed("<!-- exit: 1 -->\n```sh\nfalse\n```\n")


def test_a_fault_of_the_program_is_told() -> None:
    with pytest.raises(NotAsWrittenError):
        refreshed(console("$ echo 'error: unexpected KeyError: x'"))
    with pytest.raises(NotAsWrittenError):
        refreshed(console("$ vllmctll chat hi"))


def test_what_needs_a_program_that_is_not_here_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.docs.session.which", lambda name: name != "jq" or None)
    page = console("$ echo '1' | jq .", "one", "$ echo two", "two")
    assert refreshed(page) == page


def test_what_is_marked_is_not_run(tmp_path: Path) -> None:
    page = f"<!-- not run: it would leave a file -->\n```sh\ntouch {tmp_path}/left\n```\n"
    assert refreshed(page) == page
    assert not list(tmp_path.iterdir())
    assert without_marks(page).startswith("```sh")


def test_a_console_block_begins_with_a_prompt() -> None:
    (block,) = blocks(console("echo hello"))
    with pytest.raises(ValueError, match="begins with a prompt"):
        list(block.steps)


def test_what_a_terminal_gets_is_in_order(tmp_path: Path) -> None:
    script = "import sys; print(sys.stdout.isatty()); print('two', file=sys.stderr); print('three')"
    variables = {"PATH": "/usr/bin:/bin"}
    words = seen(["python3", "-c", script], tmp_path, variables)
    assert words == "True\ntwo\nthree\n"
