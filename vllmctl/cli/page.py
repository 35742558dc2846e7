"""The fixed words of a command's help; the options come from its table."""

from typing import NamedTuple


class Page(NamedTuple):
    """Usage line, a summary of a sentence or two, and examples as typed in a shell."""

    usage: str
    summary: str
    examples: tuple[str, ...]
