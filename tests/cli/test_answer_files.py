"""``--output``, ``--save-html`` and ``--save-svg``: a whole answer, or the file as it was."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.client.servers import serving, stream_head
from tests.turns.conftest import answer
from tests.turns.conftest import tools as tools

TARGET = ("-m", "mock", "--target", "vllm==0.32.0", "-R")
OLD = "old\n"


@pytest.fixture
def ask(vllmctl):
    """Send ``chat hi`` to a mock that is told how to answer."""
    return lambda mock, *arguments: vllmctl(
        "chat", "hi", *TARGET, "--base-url", f"mock:?seed=1&reasoning=&{mock}", *arguments
    )


@pytest.mark.parametrize("name", ["answer.txt", "picture.svg", "page.html"])
@pytest.mark.parametrize(
    "fault", ["cut-fin=9000&reply=lorem", "malformed-chunk", "abort=3", "error-event=3"]
)
def test_a_file_outlives_an_answer_that_breaks_off(ask, fault, name):
    flag = {"txt": "--output", "svg": "--save-svg", "html": "--save-html"}[name.split(".")[1]]
    Path(name).write_text(OLD)
    done = ask(f"fault={fault}", flag, name)
    assert done.code == 7
    assert Path(name).read_text() == OLD
    part = Path(f"{name}.part")
    if part.exists():
        assert f"what came of it is in {name}.part" in done.err
        assert part.stat().st_size
    assert part.exists() or flag == "--output"


def test_what_came_is_kept_beside_though_there_was_no_file(ask):
    done = ask("fault=cut-fin=9000&reply=lorem", "--output", "new.txt", "-q")
    assert (done.code, done.out) == (7, "")
    assert not Path("new.txt").exists()
    assert len(Path("new.txt.part").read_text().split()) > 10
    assert "note" not in done.err


@pytest.mark.parametrize("hidden", [(), ("-R",)])
def test_pictures_leave_out_hidden_reasoning(vllmctl, hidden):
    vllmctl(
        "chat", "hi", "--base-url", "mock:?reasoning=Hmm.&reply=Yes.", *hidden,
        "--save-html", "a.html", "--save-svg", "a.svg",
    )  # fmt: skip
    for picture in (Path("a.html").read_text(), Path("a.svg").read_text()):
        assert ("mm" in picture, "es" in picture) == (not hidden, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_file(tmp_path, number):
    (tmp_path / "a.txt").write_text(OLD)
    url = "mock:?seed=1&reasoning=&reply=lorem&tps=50"
    running = subprocess.Popen(
        [sys.executable, "-m", "vllmctl", "chat", "hi", *TARGET, "--base-url", url,
         "--include", "--output", "a.txt"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stderr is not None
    said = b""
    while b"HTTP 200" not in said:
        said += (read := os.read(running.stderr.fileno(), 4096))
        assert read, said
    running.send_signal(number)
    running.communicate(timeout=10)
    assert running.returncode == 128 + number
    assert (tmp_path / "a.txt").read_text() == OLD


@pytest.mark.parametrize(
    "arguments", [("--schema", '{"type": "integer"}'), ("--max-tokens", "2", "--strict")]
)
def test_a_whole_answer_that_is_not_as_asked_is_written(vllmctl, arguments):
    Path("a.txt").write_text(OLD)
    finish = "stop" if "--schema" in arguments else "length"
    choice = {"index": 0, "delta": {"content": "no"}, "finish_reason": finish}
    chunk = json.dumps({"choices": [choice]}).encode()
    with serving([stream_head(), b"data: " + chunk + b"\n\ndata: [DONE]\n\n"]) as served:
        done = vllmctl(
            "chat", "hi", *TARGET, "--base-url", served.url, "--output", "a.txt", *arguments
        )
    assert done.code == 7
    assert Path("a.txt").read_text() == "no"
    assert not Path("a.txt.part").exists()


def test_a_request_that_fails_after_tools_have_run_leaves_the_file(vllmctl, tools):
    Path("a.txt").write_text(OLD)
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--output", "a.txt")
    with serving(calls, answer(text="Now")[:2]) as served:
        done = vllmctl("chat", "hi", *TARGET, *arguments, "--base-url", served.url)
    assert (done.code, Path("a.txt").read_text()) == (7, OLD)


def test_what_came_after_tools_have_run_is_not_lost(vllmctl, tools):
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto")
    with serving(calls, answer(text="Now")[:2]) as served:
        cut = vllmctl("chat", "hi", *TARGET, *arguments, "--base-url", served.url)
    with serving(calls, answer(text="Now")[:2]) as served:
        filed = ("--output", "a.txt", "--base-url", served.url)
        kept = vllmctl("chat", "hi", *TARGET, *arguments, *filed)
    assert (cut.code, cut.out) == (7, "Now")
    assert (kept.code, Path("a.txt.part").read_text()) == (7, "Now")


def test_a_part_takes_the_place_of_nothing(vllmctl, tmp_path):
    (tmp_path / "other").write_text(OLD)
    Path("a.txt.part").symlink_to(tmp_path / "other")
    Path("a.txt.part-2").symlink_to("nowhere")
    with serving(answer(text="Now")[:2]) as served:
        arguments = ("--base-url", served.url, "--output", "a.txt")
        done = vllmctl("chat", "hi", *TARGET, *arguments)
    assert "what came of it is in a.txt.part-3" in done.err
    assert Path("a.txt.part-3").read_text() == "Now"
    assert (tmp_path / "other").read_text() == OLD
    assert not Path("nowhere").exists()


def test_a_last_answer_that_is_not_as_asked_is_written_after_tools(vllmctl, tools):
    Path("a.txt").write_text(OLD)
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--output", "a.txt")
    last = [step.replace(b'"stop"', b'"length"') for step in answer(text="Now")]
    with serving(calls, last) as served:
        done = vllmctl("chat", "hi", *TARGET, *arguments, "--strict", "--base-url", served.url)
    assert (done.code, Path("a.txt").read_text()) == (7, "Now")


@pytest.mark.parametrize("name", ["a.txt", "a.svg"])
def test_a_file_outlives_tools_that_do_not_end(vllmctl, tools, name):
    Path(name).write_text(OLD)
    flag = "--output" if name == "a.txt" else "--save-svg"
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--max-turns", "2")
    files = (flag, name, "--no-verify")  # these answers have no log-probabilities
    with serving(calls, calls) as served:
        done = vllmctl("chat", "hi", *TARGET, *arguments, *files, "--base-url", served.url)
    assert (done.code, Path(name).read_text()) == (7, OLD)


@pytest.mark.parametrize("flag", ["--output", "--save-html", "--save-svg"])
@pytest.mark.parametrize(
    ("name", "words"),
    [("", "the name of the file is empty"), (".", ". is a folder"), ("no/x", "there is no folder")],
)
def test_paths_are_judged_before_anything_is_sent(vllmctl, flag, name, words):
    with serving() as served:
        done = vllmctl("chat", "hi", *TARGET, "--base-url", served.url, flag, name)
    assert (done.code, served.got) == (2, [])
    assert f"error: {flag}: {words}" in done.err


def test_a_hyphen_is_stdout_for_the_answer_and_for_nothing_else(ask):
    assert ask("reply=Yes", "--output", "-").out == "Yes"
    refused = ask("reply=Yes", "--save-svg", "-")
    assert (refused.code, refused.out) == (2, "")
    assert "--save-svg: stdout is for the answer" in refused.err
    assert not Path("-").exists()


def test_one_file_does_not_take_two_things(ask):
    done = ask("reply=Yes", "--output", "b.txt", "--save-svg", f"{Path.cwd()}/b.txt")
    assert (done.code, done.out) == (2, "")
    assert "--output and --save-svg name the same file" in done.err


def test_log_probabilities_that_are_saved_are_not_said_to_be_lost(ask):
    assert "not shown" not in ask("reply=Yes", "--save-svg", "a.svg").err
    assert "not shown" in ask("reply=Yes", "--logprobs").err


def test_a_drawing_is_xml_whatever_the_model_writes(ask):
    assert ask("reply=a%EF%BF%BEb%EF%BF%BFc%01d", "--save-svg", "a.svg").code == 0
    drawn = Path("a.svg").read_text()
    assert "�" in "".join(ElementTree.fromstring(drawn).itertext())


def test_an_interactive_chat_takes_no_file_for_each_answer(vllmctl):
    done = vllmctl("chat", "-i", *TARGET, "--base-url", "mock:", "--save-svg", "a.svg", stdin=b"x")
    assert (done.code, done.out) == (2, "")
    assert "--save-svg does not go with --interactive" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("flag", ["--output", "--save-svg"])
def test_a_full_disk_is_told_as_it_is_for_stdout(ask, flag):
    done = ask("reply=Yes", flag, "/dev/full")
    assert done.code == 1
    assert "error: cannot write /dev/full: No space left on device" in done.err


@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1"])
def test_what_is_open_already_is_written_to_at_its_place(tmp_path, place):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "vllmctl", "chat", "hi", *TARGET, "-q", "--output", place]
    url = ("--base-url", "mock:?reply=Yes&reasoning=")
    with log.open("ab") as out:
        out.write(b"before ")
        out.flush()
        subprocess.run([*command, *url], stdout=out, cwd=tmp_path, check=True)
        out.write(b" after")
    assert log.read_text() == "before Yes after"
