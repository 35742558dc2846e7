"""What is wrong with the text of a grammar."""


class SyntaxFaultError(Exception):
    """The text cannot be read on."""


def in_line(line: int, reason: str) -> str:
    """Return ``reason`` with the line in which it is."""
    return f"line {line}: {reason}"
