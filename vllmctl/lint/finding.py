"""Findings with a place in a text, and findings that hold for some releases of a range."""

from typing import Any, NamedTuple

from vllmctl.rules.finding import Finding

# Dataclasses with slots are made anew, so that super() without arguments finds no class.


class TextFinding(Finding, frozen=True):
    """A finding about the text that a body is written in.

    ``line`` and ``column`` count from 1; column 0 stands for the whole line. ``excerpt`` is
    the text around the place with a caret under it, two lines, or empty. ``file`` is the
    file as shown, where it is another than the one that was asked about.
    """

    line: int = 1
    column: int = 0
    excerpt: str = ""
    file: str = ""

    @property
    def placed(self) -> str:
        """The message with its place in words."""
        return (
            f"line {self.line}, column {self.column}: {self.message}"
            if self.column
            else self.message
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, whose message tells the place."""
        return {**Finding.as_dict(self), "message": self.placed}


class Span(NamedTuple):
    """Releases from ``first`` to ``last``, both included, without a gap."""

    first: str
    last: str

    def __str__(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


class RangedFinding(Finding, frozen=True):
    """A finding of a range of releases: ``releases`` are those of it for which it holds.

    ``everywhere`` tells that these are all of the range.
    """

    releases: tuple[Span, ...] = ()
    everywhere: bool = False

    @property
    def where(self) -> str:
        """The releases in words, empty when the finding holds for all of the range."""
        return "" if self.everywhere else f" ({', '.join(map(str, self.releases))})"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, with ``releases`` as a list of ``{"first", "last"}``."""
        releases = [span._asdict() for span in self.releases]
        return {**Finding.as_dict(self), "releases": releases}
