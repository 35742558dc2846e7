"""Manual pages, in the language of man(7)."""

import re
from collections.abc import Iterator, Sequence

from tools.docs.program import Command, commands
from tools.docs.settings import exit_codes, variables
from vllmctl import __version__

_SUMMARY = "Craft, check, inspect and send requests to a vLLM server"
_STREAMS = (
    "The answer goes to standard output, and nothing else does. Reasoning, notes, statistics "
    "and errors go to standard error."
)
_FILES = (
    ("~/.config/vllmctl/config.toml", "Your own settings and profiles."),
    ("~/.config/vllmctl/profiles/NAME.toml", "A profile of yours in a file of its own."),
    ("~/.local/share/vllmctl/sessions/", "Conversations that you keep."),
    ("vllmctl.toml", "The project's settings and profiles; the nearest one upwards counts."),
)
_SPECIAL = str.maketrans({"\\": r"\e", "-": r"\-", "^": r"\(ha", "~": r"\(ti", "`": r"\(ga"})


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    known = commands()
    found = {"vllmctl.1": _root(known)}
    for command in known:
        found[f"vllmctl-{command.name}.1"] = _page(command, known)
    return found


def _root(known: Sequence[Command]) -> str:
    rows = [(f"vllmctl-{command.name}(1)", f"{command.line}.") for command in known]
    options = [("-h, --help", "The list of commands."), ("-V, --version", "The version.")]
    return _joined(
        _head("vllmctl", _SUMMARY, "vllmctl COMMAND [OPTIONS]"),
        _section("DESCRIPTION", _paragraph(f"{_SUMMARY}. {_STREAMS}")),
        _section("COMMANDS", _rows(rows)),
        _section("OPTIONS", _rows(options)),
        _common(),
        _section("FILES", _rows(_FILES)),
        _also([command.name for command in known]),
    )


def _page(command: Command, known: Sequence[Command]) -> str:
    others = [other.name for other in known if other is not command]
    return _joined(
        _head(f"vllmctl-{command.name}", command.line, command.usage),
        _section("DESCRIPTION", _paragraph(command.summary)),
        _section("OPTIONS", *_panels(command)) if command.options else "",
        _section("COMMANDS", *map(_part, command.commands)) if command.commands else "",
        _section("EXAMPLES", _lines(command.examples)) if command.examples else "",
        _common(),
        _also(["", *others]),
    )


def _head(name: str, line: str, usage: str) -> str:
    title = f'.TH "{name.upper()}" "1" "" "vllmctl {__version__}" "vllmctl"'
    return _joined(
        title.replace("-", r"\-"),
        ".nh\n.ad l",  # hyphenated flags could not be copied
        _section("NAME", f"{_text(name)} \\- {_text(line[:1].lower() + line[1:])}"),
        _section("SYNOPSIS", _bold(usage)),
    )


def _panels(command: Command) -> Iterator[str]:
    for title, options in command.panels:
        yield _joined(f".SS {_quoted(title)}", _rows([(o.label, f"{o.help}.") for o in options]))


def _part(command: Command) -> str:
    options = [option for option in command.options if not option.is_field]
    lines = [command.summary]
    if command.has_fields:
        lines.append("It takes the flags of the fields as well, see vllmctl-chat(1).")
    rows = _rows([(option.label, f"{option.help}.") for option in options])
    return _joined(f".SS {_quoted(command.usage)}", *map(_paragraph, lines), rows)


def _common() -> str:
    codes = [(str(code.number), code.meaning) for code in exit_codes()]
    names = [(", ".join(variable.names), f"{variable.help}.") for variable in variables()]
    return _joined(_section("EXIT STATUS", _rows(codes)), _section("ENVIRONMENT", _rows(names)))


def _also(names: Sequence[str]) -> str:
    pages = [f"vllmctl-{name}" if name else "vllmctl" for name in names]
    refs = [f".BR {_text(page)} (1){',' if page != pages[-1] else ''}" for page in pages]
    return _section("SEE ALSO", "\n".join(refs))


def _section(title: str, *blocks: str) -> str:
    return _joined(f".SH {_quoted(title)}", *blocks)


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f".TP\n{_bold(label)}\n{_text(words)}" for label, words in rows)


def _lines(lines: Sequence[str]) -> str:
    return "\n".join([".nf", *map(_text, lines), ".fi"])


def _paragraph(words: str) -> str:
    return f".PP\n{_text(words)}"


def _bold(words: str) -> str:
    return f"\\fB{_text(words)}\\fR"


def _quoted(words: str) -> str:
    return f'"{_text(words)}"'.replace("'", r"\(aq")


def _text(words: str) -> str:
    """Text as roff takes it; a point or an apostrophe in front would be a request."""
    escaped = words.translate(_SPECIAL)
    return re.sub(r"^(?=[.'])", r"\\&", escaped, flags=re.MULTILINE)


def _joined(*blocks: str) -> str:
    return "\n".join(block.rstrip("\n") for block in blocks if block) + "\n"
