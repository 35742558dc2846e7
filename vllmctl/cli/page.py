"""The fixed words of a command's help; the options come from its table."""

from vllmctl.record import Record


class Page(Record, frozen=True):
    """Usage line, a summary of a sentence or two, and examples as typed in a shell."""

    usage: str
    summary: str
    examples: tuple[str, ...]
