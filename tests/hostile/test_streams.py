"""Standard streams that are closed, full, or read by nobody, for every command."""

import os
import resource
import subprocess
from pathlib import Path

import pytest

from tests.client.servers import serving, stream_head
from tests.hostile.processes import PATIENCE, PROGRAM, finished
from tests.outcome import Outcome

MOCK = ("--base-url", "mock:?reasoning=&seed=1", "-m", "mock", "--target", "vllm", "-q")
COMMANDS = {
    "help": ("--help",),
    "version": ("--version",),
    "chat-help": ("chat", "--help-all"),
    "dry-run": ("chat", "hi", "-n", "-q", "-m", "m"),
    **{f"chat-{name}": ("chat", "hi", *MOCK, "--format", name)
       for name in ("text", "json", "jsonl", "sse", "raw")},
    "complete": ("complete", "hi", *MOCK),
    "explain": ("explain", "top_k"),
    "explain-json": ("explain", "top_k", "--format", "json"),
    "fields": ("fields", "complete"),
    "fields-jsonl": ("fields", "--format", "jsonl"),
    "lint": ("lint", '{"prompt": "x", "topp": 1}', "-q"),
    "lint-jsonl": ("lint", '{"prompt": "x", "topp": 1}', "--format", "jsonl", "-q"),
    "profiles": ("profiles", "list"),
    "profile": ("profiles", "show", "greedy"),
    "faults": ("mock", "--list-faults"),
    "completion": ("completion", "bash"),
    "complete-words": ("__complete", "chat", "--t"),
}  # fmt: skip
every_command = pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)


def shell(line: str, *arguments: str, **variables: str) -> Outcome:
    """Run the program as a shell does with ``line``, in which ``"$@"`` is the command."""
    done = subprocess.run(
        ["bash", "-c", line, "bash", *PROGRAM, *arguments],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


@every_command
def test_a_reader_that_has_left_ends_it_quietly(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = finished(*arguments, stdout=writer)
    os.close(writer)
    assert (done.code, done.err) == (0, "")


def test_head_gets_its_line_and_all_is_well():
    for arguments in (COMMANDS["fields-jsonl"], COMMANDS["chat-help"], COMMANDS["chat-text"]):
        done = shell('"$@" | head -c 9; echo "${PIPESTATUS[0]}"', *arguments)
        assert done.out[9:].strip() == "0"
        assert done.err == ""


@pytest.mark.parametrize("more", [(), ("--format", "json"), ("--format", "github"), ("--fix",)])
def test_what_lint_found_counts_though_nobody_reads_it(tmp_path, more):
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"prompt": "x", "top_p": 0, "frequency_penalty": "x"}\n' * 500)
    done = shell('"$@" | head -c 9 >&2; echo "${PIPESTATUS[0]}"', "lint", str(lines), "-q", *more)
    assert done.out == "2\n"
    assert "cannot read" not in done.err


@every_command
def test_a_full_disk_is_told(arguments):
    with Path("/dev/full").open("wb") as full:
        done = finished(*arguments, stdout=full)
    assert done.code == 1
    assert done.err == "error: cannot write the output: No space left on device\n"


@every_command
def test_a_closed_standard_output_is_told(arguments):
    done = shell('"$@" >&-', *arguments)
    assert done.code == 1
    assert done.err == "error: cannot write the output: Bad file descriptor\n"


@pytest.mark.parametrize("ending", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("name", ["chat-text", "complete", "lint", "fields", "profiles"])
def test_without_standard_error_the_output_is_the_same(name, ending):
    loud = [word for word in COMMANDS[name] if word != "-q"]
    done, quiet = (shell(f'"$@" {end}', *loud) for end in (ending, "2>/dev/null"))
    assert (done.code, done.out) == (quiet.code, quiet.out)


def test_an_error_that_nobody_can_read_still_has_its_code():
    for ending in ("2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"):
        assert shell(f'"$@" {ending}', "chat", "hi", "--top-p", "3", *MOCK).code == 2
    reader, writer = os.pipe()
    os.close(reader)
    assert finished("chat", "hi", "--top-p", "3", *MOCK, stderr=writer).code == 2
    assert finished("chat", "hi", *MOCK, "-v", stderr=writer).code == 0
    os.close(writer)


def test_without_standard_input_nothing_is_missing():
    done = shell('"$@" <&-', *COMMANDS["chat-text"])
    assert (done.code, done.err) == (0, "")
    for arguments in (("chat", "-"), ("chat", "-d", "@-"), ("lint", "-")):
        done = shell('"$@" <&-', *arguments, "-q")
        assert done.code == 2
        assert "there is no standard input" in done.err
    assert "nothing to lint" in shell('"$@" <&-', "lint").err


def test_no_connection_takes_the_place_of_a_closed_stream(tmp_path):
    """Or what goes to stdout would go to the server."""
    end = b'data: {"choices": [{"index": 0, "text": "x", "finish_reason": "stop"}]}\n\n'
    for line in ('"$@" <&-', '"$@" 2>&-', '"$@" <&- 2>&-', '"$@" <&- >&- 2>&-'):
        with serving([stream_head(), end]) as served:
            shell(line, "chat", "hi", "-v", "--target", "vllm", "-m", "m", "--base-url", served.url)
        assert len(served.got) == 1
        assert served.got[0].body.endswith(b"}")


@pytest.mark.parametrize(
    "words", [("--save-profile", "new", "-o", "chat_template=@big"), ("--output", "new")], ids=str
)
def test_a_full_disk_leaves_files_as_they_were(tmp_path, words):
    (tmp_path / "big").write_text("x" * 50_000)
    (tmp_path / "new").write_text("before")
    before = files_below(tmp_path)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    url = "mock:?reply=@big&reasoning=&max-model-len=999999"
    base = ("--base-url", url, "-m", "mock", "--max-tokens", "20000", "--target", "vllm")
    more = {"cwd": tmp_path, "preexec_fn": limit, "HOME": str(tmp_path)}
    done = finished("chat", "hi", *words, *base, **more)
    assert done.code == 1
    assert "File too large" in done.err
    after = files_below(tmp_path)
    assert {name: text for name, text in after.items() if ".cache" not in name} == before


def files_below(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_characters_that_the_output_cannot_have_are_escaped(encoding):
    reply = "mock:?reasoning=&reply=%E6%97%A5%C3%BC"
    base = ("--base-url", reply, "-m", "mock", "--target", "vllm", "-q")
    for arguments in (("chat", "hi", *base), ("chat", "hi", *base, "--json")):
        done = finished_bytes(*arguments, PYTHONIOENCODING=encoding)
        text = done.decode(encoding).encode().decode("unicode_escape", "replace")
        assert "65e5" in done.decode("latin-1") or encoding == "utf-8"
        assert text


def finished_bytes(*arguments: str, **variables: str) -> bytes:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout


def test_output_into_a_pipe_or_a_device_replaces_neither(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert finished("chat", "hi", *MOCK, "--output", str(pipe)).code == 0
    assert os.read(reader, 5) == b"Hello"
    assert pipe.is_fifo()
    assert finished("chat", "hi", *MOCK, "--output", "/dev/stdout").out.startswith("Hello")
    full = finished("chat", "hi", *MOCK, "--output", "/dev/full")
    assert (full.code, Path("/dev/full").is_char_device()) == (1, True)
    assert "No space left" in full.err
