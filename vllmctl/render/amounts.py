"""Numbers with their units, as people read them."""


def seconds(value: float) -> str:
    """Return a time."""
    return f"{_digits(value)} s"


def milliseconds(value: float) -> str:
    """Return a time given in milliseconds."""
    return f"{_digits(value)} ms"


def counted(count: int, word: str) -> str:
    """Return ``1 token`` or ``2 tokens``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def _digits(value: float) -> str:
    """Return a number with three digits that count, but no more than three decimals."""
    decimals = next((n for n, least in enumerate((100, 10, 1)) if value >= least), 3)
    return f"{value:.{decimals}f}"
