"""What the two backends say to a constraint."""

from collections.abc import Callable
from functools import cached_property


class Verdict:
    """The first reason of each backend to refuse something; empty while it takes it.

    A backend is asked when its answer is wanted, and once.
    """

    def __init__(
        self,
        xgrammar: Callable[[], str],
        guidance: Callable[[], str],
        withheld: Callable[[], str] = str,
    ) -> None:
        self._xgrammar = xgrammar
        self._guidance = guidance
        self._withheld = withheld

    @cached_property
    def native(self) -> str:
        """Why xgrammar itself fails."""
        return _said(self._xgrammar)

    @cached_property
    def xgrammar(self) -> str:
        """Why xgrammar fails, or why vLLM does not give the constraint to it."""
        return self.native or _said(self._withheld)

    @cached_property
    def guidance(self) -> str:
        """Why the backend fails that vLLM falls back to: for some schemas that is Outlines."""
        return _said(self._guidance)

    @property
    def reason(self) -> str:
        """Why no backend takes it, or empty when one does."""
        return self.guidance if self.xgrammar else ""


def refused(reason: str) -> Verdict:
    """Return the verdict on what both refuse for one reason."""
    return Verdict(lambda: reason, lambda: reason)


def _said(ask: Callable[[], str]) -> str:
    """The reason, if one was found: the backends read deeper than this can."""
    try:
        return ask()
    except RecursionError:
        return ""
