"""Code: committed line by line, as it stands, between two dim rules."""

from vllmctl.render.cells import cells, cut
from vllmctl.render.markdown.highlight import Highlighter, highlighter
from vllmctl.render.markdown.page import Margin, Page
from vllmctl.render.paint import DIM, PLAIN, Row

_LONGEST_RULE = 80
_TAB = 4


class Code:
    """A block of code in ``language`` (a name, or nothing).

    Lines longer than the terminal are left to the terminal, so that copied code is whole.
    """

    def __init__(self, page: Page, margin: Margin, language: str) -> None:
        self._page = page
        self._margin = margin
        self._blank = 0
        self._highlighter: Highlighter | None = None
        if language and not page.painter.marks:
            self._highlighter = highlighter(language)
        self._commit([(DIM, self._rule(language))])

    def line(self, text: str) -> None:
        """Add a whole line."""
        text = text.expandtabs(_TAB)
        while self._blank:
            self._blank -= 1
            self._commit([])
        if self._highlighter is None:
            self._commit([(PLAIN, text)])
        else:
            self._commit(self._highlighter.line(text))

    def blank(self) -> None:
        """Add an empty line that counts only if code follows it."""
        self._blank += 1

    def end(self) -> None:
        """Draw the lower rule."""
        self._commit([(DIM, self._rule(""))])

    def tail(self, partial: str = "") -> list[str]:
        """Return the line that is still arriving; of a very long one, its beginning."""
        if not partial:
            return []
        shown, rest = cut(partial.expandtabs(_TAB), self._page.width * 3)
        return self._margin.dress([shown + ("…" if rest else "")], keep=True)

    def _rule(self, label: str) -> str:
        room = max(min(self._page.width - self._margin.cells, _LONGEST_RULE), 4)
        if not label:
            return "─" * room
        label = cut(label, max(room - 4, 1))[0]
        return f"── {label} ".ljust(room - cells(label) + len(label), "─")

    def _commit(self, row: Row) -> None:
        self._page.screen.commit(self._margin.dress([self._page.painter.paint(row)]))
