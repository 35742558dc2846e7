"""Reads the request out of a curl command: its body and its URL, as far as lint needs them."""

import re

from vllmctl.errors import UsageError
from vllmctl.lint.shell_words import first_command
from vllmctl.record import Record
from vllmctl.request.sources import Sources

_BODY = ("-d", "--data", "--data-binary", "--data-ascii", "--data-raw", "--json")
_RAW = "--data-raw"
_VALUES = """
    -X --request -H --header -u --user -o --output -A --user-agent -b --cookie -e --referer
    -m --max-time --connect-timeout --retry -x --proxy --cacert --cert -E --key -w --write-out
    -F --form --url --unix-socket --resolve -T --upload-file --oauth2-bearer
""".split()  # noqa: SIM905 - a list of forty quoted names is not easier to read
"""Options of curl that take a value: what follows them is no URL."""

# Texts, not patterns: most runs read no curl command and should not pay for compiling them.
_BEFORE = (
    r"\s*(?:#(?!\s*curl\b).*\n\s*)*"  # comments above
    r"(?:[$#>%!]\s*)?(?:\w+=\S*\s+)*(?:(?:sudo|time|exec)\s+)?"  # prompts, variables
)
_CURL = rf"{_BEFORE}curl(?:\.exe)?\s"
_SWITCHES = r"-[a-zA-Z]+"


class CurlRequest(Record):
    """What a command sends: the body's text, and the URL, if it has one."""

    body: str
    url: str | None = None


def is_curl(text: str) -> bool:
    """Whether ``text`` is a curl command, perhaps after a shell's prompt."""
    return "curl" in text and re.match(_CURL, text) is not None


def read_curl(text: str, sources: Sources) -> CurlRequest:
    """Return what the curl command in ``text`` sends; ``@file`` bodies are read.

    Raises ``UsageError`` when the command cannot be read, or sends no body.
    """
    command = first_command(re.sub(_BEFORE, "", text, count=1))
    words = command.words[:0:-1]
    bodies: list[str] = []
    url: str | None = None
    while words:
        name, value = _option(words)
        if name in _BODY:
            bodies.append(_content(name, value, command.below, sources))
        elif name in ("", "--url"):
            url = value or url
    if not bodies:
        raise UsageError("the curl command sends no body", "lint looks at -d, --data and --json")
    return CurlRequest("&".join(bodies), url)


def _option(words: list[str]) -> tuple[str, str]:
    """Take one option with its value from the end of ``words``; a URL has an empty name."""
    word = words.pop()
    if not word.startswith("-") or word == "-":
        return "", word
    name, equals, value = word.partition("=")
    if name.startswith("--"):
        if equals:
            return name, value
    elif not re.fullmatch(_SWITCHES, word) or len(word) > 2:
        return _short(word, words)
    takes = name in _BODY or name in _VALUES
    return name, words.pop() if takes and words else ""


def _short(word: str, words: list[str]) -> tuple[str, str]:
    """``-dVALUE``, ``-sSd VALUE`` and the like: what follows the first that takes a value."""
    for place in range(1, len(word)):
        name = f"-{word[place]}"
        if name in _BODY or name in _VALUES:
            value = word[place + 1 :]
            return name, value or (words.pop() if words else "")
    return word, ""


def _content(name: str, value: str, below: str | None, sources: Sources) -> str:
    if not value.startswith("@") or name == _RAW:
        return value
    if below is not None and value == "@-":
        return below
    return sources.read(value[1:], "curl")
