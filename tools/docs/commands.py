"""The reference of the commands."""

from collections.abc import Iterator, Sequence

from tools.docs.fields import page_of
from tools.docs.markdown import anchor, code, fenced, heading, page, table, text
from tools.docs.program import Command, Option, commands
from vllmctl.fields.groups import Group


def pages() -> dict[str, str]:
    """Return the page by its path in the site."""
    known = commands()
    rows = [(f"[{code(c.name)}](#{anchor(c.name)})", text(c.line)) for c in known]
    return {
        "reference/commands.md": page(
            heading(1, "Commands"),
            "`vllmctl COMMAND --help` prints the same on the terminal.",
            table(("Command", "What it does"), rows),
            *(block for command in known for block in _command(command, 2)),
        )
    }


def _command(command: Command, level: int) -> Iterator[str]:
    yield heading(level, f"vllmctl {command.name}", command.name)
    yield text(command.summary)
    yield fenced(command.usage)
    if command.examples:
        yield fenced("\n".join(command.examples), "sh")
    if command.has_fields and not command.name.startswith("profiles"):
        yield _about_fields(command)
    for title, options in command.panels:
        own = [option for option in options if not option.is_field]
        if own:
            yield f"**{title}**"
            yield options_table(own)
    for part in command.commands:
        yield from _command(part, level + 1)


def options_table(options: Sequence[Option]) -> str:
    """Return the options as a table."""
    rows = [(code(option.label), text(option.help)) for option in options]
    return table(("Option", "What it does"), rows)


def _about_fields(command: Command) -> str:
    titles = {option.group for option in command.options if option.is_field}
    links = [f"[{g.value.lower()}](fields/{page_of(g)})" for g in Group if g.value in titles]
    return f"Every field of the request is a flag: {', '.join(links)}. The options beside them:"
