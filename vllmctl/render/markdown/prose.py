"""Paragraphs and headings: rows are committed as soon as nothing can change them."""

import re

from vllmctl.render.flow import Flow
from vllmctl.render.markdown.inline import REACH, SPECIAL, Span, parse
from vllmctl.render.markdown.page import LEAST, Margin, Page
from vllmctl.render.paint import HEADINGS, PLAIN, Row

_CLOSING = re.compile(r"[ \t]+#*[ \t]*\Z")
_HALF_WRITTEN = re.compile(r"[\s\\`*_~<]+\Z")


class Prose:
    """Text with emphasis, code and links in it, in one base style."""

    def __init__(self, page: Page, margin: Margin, style: int = PLAIN) -> None:
        self._page = page
        self._margin = margin
        self._style = style
        self._flow = Flow(self._room())
        self._source = ""  # what is not settled yet
        self._before = "\n"
        self._unclosed: list[str] = []
        self._needs_mark = False
        self._width = page.width
        self._preview: Flow | None = None  # the flow with what is not settled, as it may look
        self._preview_style = PLAIN

    def add(self, text: str) -> None:
        """Add text; a newline in it is one on the page."""
        self._fit()
        if SPECIAL.search(text):
            self._add_source(text)
        elif not self._source:
            self._flow.add(text, self._style)
            self._before = text[-1:] or self._before
        elif self._needs_mark and len(self._source) + len(text) <= REACH:
            self._source += text
            if self._preview:
                self._preview.add(text, self._preview_style)
        else:
            self._add_source(text)
        self._commit()

    def end(self) -> None:
        """Commit everything."""
        self._fit()
        self._settle(final=True)
        self._flow.end()
        self._commit()

    def tail(self) -> list[str]:
        """Return the rows that are not committed; marks still open are taken as closed."""
        self._fit()
        flow = self._flow
        if self._source:
            flow = self._preview = self._preview or self._previewed()
        rows = self._margin.dress(self._painted(flow.rows + flow.open_rows()), keep=True)
        if self._source[-1:].isspace():
            self._preview = None
        return rows

    def _fit(self) -> None:
        if self._width != self._page.width:
            self._width = self._page.width
            self._flow.width = self._room()
            self._preview = None

    def _room(self) -> int:
        return max(self._page.width - self._margin.cells, LEAST)

    def _add_source(self, text: str) -> None:
        for place in range(0, len(text), REACH):
            self._source += text[place : place + REACH]
            self._settle(final=False)

    def _settle(self, *, final: bool) -> None:
        parsed = parse(self._source, self._before, final=final, marks=self._page.painter.marks)
        _pour(parsed.spans, self._flow, self._style)
        if parsed.settled:
            self._before = self._source[parsed.settled - 1]
            self._source = self._source[parsed.settled :]
        self._unclosed = parsed.unclosed
        self._needs_mark = parsed.needs_mark
        self._preview = None

    def _previewed(self) -> Flow:
        """Return a flow that goes on with what is not settled."""
        marks = self._page.painter.marks
        closing = "" if marks else "".join(reversed(self._unclosed))
        source = _HALF_WRITTEN.sub("", self._source) + closing
        spans = parse(source, self._before, final=True, marks=marks).spans
        flow = self._flow.copy()
        _pour(spans, flow, self._style)
        self._preview_style = self._style | (spans[-1].style if spans else 0)
        return flow

    def _commit(self) -> None:
        rows = self._flow.rows
        if rows:
            self._flow.rows = []
            self._page.screen.commit(self._margin.dress(self._painted(rows)))

    def _painted(self, rows: list[Row]) -> list[str]:
        return [self._page.painter.paint(row) for row in rows]


class Heading(Prose):
    """A line of prose whose closing number signs are left out."""

    def __init__(self, page: Page, margin: Margin, level: int) -> None:
        super().__init__(page, margin, HEADINGS[level - 1])
        self._held = " "  # may turn out to belong to the closing number signs
        if page.painter.marks:
            self._flow.add("#" * level, self._style)

    def add(self, text: str) -> None:
        """Add text of the heading's line."""
        text = self._held + text
        closing = _CLOSING.search(text)
        place = closing.start() if closing else len(text)
        self._held = text[place:]
        super().add(text[:place])


def _pour(spans: list[Span], flow: Flow, style: int) -> None:
    for span in spans:
        if span.text == "\n":
            flow.newline()
        else:
            flow.add(span.text, style | span.style)
