"""TOML that does not parse: file, line, column and what stands there."""

import ast
import re
import tomllib

from vllmctl.errors import ConfigError
from vllmctl.request.profiles.toml_lines import TomlLines
from vllmctl.request.server.secret import may_hold_secret

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = re.compile(r"Cannot declare (\(.*\)) twice")
_MOST_TRIED = 500_000
"""Characters that are parsed to find where a statement began that does not end."""
_PLAIN = {
    "Invalid value": "there is no value that TOML knows",
    "Invalid statement": "neither a key nor a table begins like this",
    "Illegal character '\\n'": "a text is not closed on its line",
    "Expected '=' after a key in a key/value pair": "a key needs an = behind it",
    "Expected newline or end of document after a statement": "something follows the value",
    "Unclosed array": "a list is not closed",
    "Unterminated string": "a text is not closed",
    'Expected "\'"': "a text that begins with ' is not closed",
}
_HINTS = (
    (re.compile(r"=\s*(True|False)\b"), "booleans are written true and false"),
    (re.compile(r"=\s*(None|null|nil)\b"), "TOML has no null: leave the key out"),
    (re.compile(r"^\s*[\w.-]+\s*:\s"), "a value is set with =, not with a colon"),
    (re.compile(r"=\s*[+-]?0\d"), "a number has no leading zero"),
    (
        re.compile(r"=\s*\.\d|=\s*[+-]?\d+\.(?:\D|$)"),
        "a point needs digits on both sides",
    ),
    (re.compile(r"=\s*[A-Za-z~/@]"), "a text stands in quotes"),
    (re.compile(r"\"[A-Za-z]:\\"), "a path with \\ stands in single quotes: 'C:\\certs'"),
)


def syntax_error(error: tomllib.TOMLDecodeError, text: str, name: str) -> ConfigError:
    """Return ``error`` of the file shown as ``name``, told for people."""
    message = str(error)
    position = _POSITION.search(message)
    reason = message[: position.start()] if position else message
    rows = text.rstrip("\n").split("\n")
    if position is None or position[1] is None:
        line, place = _last_statement(rows), ""
    else:
        line, place = min(int(position[1]), len(rows)), f":{position[2]}"
    row = rows[line - 1]
    where = f"{name}:{line}{place}"
    try:
        twice = _set_twice(reason, row, TomlLines("\n".join(rows[: line - 1])))
    except ValueError:  # what stands above ends in the middle of something
        twice = ""
    if twice:
        return ConfigError(f"{where}: {twice}", "put both into one")
    return ConfigError(f"{where}: {_plain(reason)}{_quoted(row)}", _hint(row))


def _last_statement(rows: list[str]) -> int:
    """Return the line of the statement that was not over when the text was."""
    left = _MOST_TRIED
    for count in range(len(rows) - 1, 0, -1):
        text = "\n".join(rows[:count])
        left -= len(text)
        if left < 0:
            return len(rows)
        try:
            tomllib.loads(text)
        except (ValueError, RecursionError):
            continue
        return next((n for n in range(count, len(rows)) if _says_something(rows[n])), count) + 1
    return 1


def _says_something(row: str) -> bool:
    return bool(row.strip()) and not row.lstrip().startswith("#")


def _set_twice(reason: str, row: str, before: TomlLines) -> str:
    """Say what stands there a second time, and where the first is; empty if nothing does."""
    table = _TWICE.match(reason)
    if table:
        keys = ast.literal_eval(table[1])
        return f"table [{'.'.join(keys)}] is defined twice, first on line {before.line(*keys)}"
    if reason != "Cannot overwrite a value" or "=" not in row:
        return ""
    try:
        keys = (*(before.headers[-1].keys if before.headers else ()), *_keys_of(row))
        line = before.line(*keys)
    except ValueError:  # the lines before end inside a text of several lines
        return ""
    return f"{row.partition('=')[0].strip()} is set twice, first on line {line}"


def _keys_of(row: str) -> tuple[str, ...]:
    try:
        value = tomllib.loads(row)
    except (ValueError, RecursionError):
        return ()
    keys: tuple[str, ...] = ()
    while isinstance(value, dict) and len(value) == 1:
        [(key, value)] = value.items()
        keys = (*keys, key)
    return keys


def _quoted(row: str) -> str:
    text = "".join(char if char.isprintable() else " " for char in row).strip()
    return "" if not text or may_hold_secret(text) else f"\n  {text[:120]}"


def _plain(reason: str) -> str:
    plain = _PLAIN.get(reason)
    return f"this is no TOML: {plain or reason[:1].lower() + reason[1:]}"


def _hint(row: str) -> str:
    return next((hint for pattern, hint in _HINTS if pattern.search(row)), "")
