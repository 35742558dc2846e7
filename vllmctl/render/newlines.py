"""Ends of lines in a text that comes in pieces."""


class Newlines:
    """Turns CR LF and CR into a newline."""

    def __init__(self) -> None:
        self._held = ""  # a carriage return whose newline may still come

    def __call__(self, text: str) -> str:
        """Return the next piece with newlines alone."""
        text = self._held + text
        if "\r" not in text:
            self._held = ""
            return text
        self._held = "\r" if text.endswith("\r") else ""
        return text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")


class Trimmed:
    """Leaves out the newlines before and after a text."""

    def __init__(self) -> None:
        self._begins = True
        self._held = ""  # newlines that count if more follows

    def __call__(self, text: str) -> str:
        """Return what the next piece adds."""
        text = text.lstrip("\r\n") if self._begins else self._held + text
        shown = text.rstrip("\r\n")
        self._begins = self._begins and not shown
        self._held = text[len(shown) :]
        return shown
