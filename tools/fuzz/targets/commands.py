"""Targets: whole commands, in this process; a word a line."""

from tools.fuzz.place import check, command
from tools.fuzz.target import Target
from vllmctl.cli.chat import command as chat
from vllmctl.cli.complete import command as complete

_NAMES = tuple(name.encode() for spec in (*chat().specs, *complete().specs) for name in spec.names)
_CHATS = (
    b"hi\n--temperature\n0.2\n--stop\n\\n\n-o\na.b:={}",
    b"--message\nuser:x\n--prefill=a\n--schema\n{}\n-vq",
    b"--logit-bias\n1=2\n--no-thinking\n--unset\nstream\n--\n-x",
    b'-d\n{"messages":[]}\n-H\nA: b\n--target\nvllm==0.11.0',
)
_ODD_WORDS = (
    b"\n", b"\n--", b"\n-", b"=", b"\n-o\n", b"\n--unset\n", b":=", b".", b"[0]", b"\n-d\n",
    b"\n-H\n", b"\n--target\n", b"vllm==", b"furiosa", b"\n--help-panel\n", b"\n--color\nalways\n",
    b"\n--format\n",
)  # fmt: skip
_TAKES_PART = ("--output", "--save-profile", "-f", "--file", "-p", "--profile")
"""Options that read or write files of any name; they are tried elsewhere."""


def try_request(data: bytes) -> None:
    """Any argv of a dry run is a body or a fault in words."""
    for name in ("chat", "complete"):
        check(command([name, "-n", *_words(data)]), (0, 2))


def try_explain(data: bytes) -> None:
    """Any name is explained or unknown."""
    words = _words(data)[:3]
    check(command(["explain", "--", "".join(words)]), (0, 2))
    check(command(["explain", *words, "--format", "json"]), (0, 2))


def try_fields(data: bytes) -> None:
    """Any question about fields has an answer or is none."""
    check(command(["fields", *_words(data)[:6]]), (0, 2))


def try_completion(data: bytes) -> None:
    """A shell's question never fails and never says anything on stderr."""
    done = command(["__complete", *_words(data)])
    check(done, (0,))
    assert done.err == ""
    assert all(line.count("\t") == 1 for line in done.out.splitlines())


TARGETS = {
    "argv": Target(try_request, _CHATS, (*_NAMES, *_ODD_WORDS)),
    "explain": Target(
        try_explain,
        (b"top_k", b"guided_json", b"structured_outputs.json", b"messages[0].role", b"--top-p"),
        (b".", b"[", b"]", b"_", b"-", b"n_predict", b"stop", b"\x1b[2J", b"sampling_params"),
    ),
    "fields": Target(
        try_fields,
        (b"chat\n--nested", b"--search\ntoken", b"--diff\n0.10.2\n0.33.0", b"--schema\nprofile"),
        (b"\n--since\n0.11", b"\n--removed", b"\n--target\nfuriosa", b"complete", b"\n--schema"),
    ),
    "completion": Target(
        try_completion, (b"chat\n--temp", b"chat\n-o\nto", b"profiles\nshow\n"), (*_NAMES, b"\n")
    ),
}


def _words(data: bytes) -> list[str]:
    text = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    return [word for word in text.split("\n") if not word.startswith((*_TAKES_PART, "@"))]
