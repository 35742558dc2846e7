"""What the two backends say to a constraint."""


class Verdict:
    """The first reason of each backend to refuse something; empty while it takes it.

    ``guidance`` is the backend that vLLM falls back to: for some schemas that is Outlines.
    """

    __slots__ = ("guidance", "withheld", "xgrammar")

    def __init__(self) -> None:
        self.xgrammar = ""
        self.guidance = ""
        self.withheld = False

    def refuse(self, reason: str) -> None:
        """Both refuse it."""
        self.by_xgrammar(reason)
        self.by_guidance(reason)

    def by_xgrammar(self, reason: str) -> None:
        """Only xgrammar refuses it."""
        self.xgrammar = self.xgrammar or reason

    def by_guidance(self, reason: str) -> None:
        """Only llguidance refuses it."""
        self.guidance = self.guidance or reason

    def add(self, other: "Verdict", place: str = "") -> None:
        """Take over what was said to a part."""
        if other.xgrammar:
            self.by_xgrammar(f"{place}{other.xgrammar}")
        if other.guidance:
            self.by_guidance(f"{place}{other.guidance}")

    @property
    def native(self) -> str:
        """Why xgrammar itself fails, empty when vLLM only withholds it (``withheld``)."""
        return "" if self.withheld else self.xgrammar

    @property
    def reason(self) -> str:
        """Why no backend takes it, or empty when one does."""
        return self.guidance if self.xgrammar and self.guidance else ""
