"""Emphasis, code, links and escapes inside a paragraph that is still arriving.

``parse`` says besides the spans up to where they are settled: what comes later cannot change
them. The rules are CommonMark's with strikethrough, and these differences: a newline is a
newline; references to definitions elsewhere stay as they are written; a construct that is
longer than ``REACH`` characters is none, so that text settles in the end; emphasis may end or
begin between a punctuation mark and a Chinese, Japanese or Korean character.
"""

import re

from vllmctl.record import Record
from vllmctl.render.cells import cell
from vllmctl.render.markdown.emphasis import MOST_OPEN, Delimiter, pair
from vllmctl.render.paint import CODE, DIM, LINK, PLAIN

REACH = 600
"""The most characters between the beginning and the end of a construct."""

SPECIAL = re.compile(r"[\\`*_~\[\]<&!\n]")
"""Text without these characters is settled as it comes."""

_ITEM = re.compile(
    r"(?P<escape>\\)|(?P<ticks>`+)|(?P<run>\*+|_+|~+)|(?P<open>!?\[)|(?P<close>\])"
    r"|(?P<angle><)|(?P<entity>&)|(?P<bang>!)|(?P<newline>\n)"
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_AUTOLINK = re.compile(
    r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[A-Za-z][\w.!#$%&'*+/=?^`{|}~-]*@[\w-]+(?:\.[\w-]+)*)>"
)
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|<!--[^<>\n]*-->")
_TAG_BEGUN = re.compile(r"<(?:[A-Za-z/!][^<>\n]*)?\Z")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ENTITY_BEGUN = re.compile(r"&(?:#[xX]?)?[A-Za-z0-9]{0,32}\Z")
_PLACE = r"<[^<>\n]*>|(?:[^\s()<>]|\([^\s()]*\))*"
_TITLE = r"\"[^\"]*\"|'[^']*'|\([^()]*\)"
_TARGET = re.compile(rf"\(\s*({_PLACE})(?:\s+(?:{_TITLE}))?\s*\)")
_TARGET_BEGUN = re.compile(
    r"\(\s*(?:<[^<>\n]*>?|(?:[^\s()<>]|\([^\s()]*\)?)*)"
    r"(?:\s+(?:\"[^\"]*\"?|'[^']*'?|\([^()]*\)?)?)?\s*\Z"
)


class Span(Record):
    """Text in one style, and where in the source it stands; a newline stands alone."""

    start: int
    end: int
    text: str
    style: int = PLAIN
    delimiter: Delimiter | None = None


class Parsed(Record):
    """Spans up to the source's offset ``settled``; ``unclosed`` are the marks still open.

    ``needs_mark`` tells that only a ``SPECIAL`` character can settle more.
    """

    spans: list[Span]
    settled: int
    unclosed: list[str]
    needs_mark: bool


def parse(source: str, before: str, *, final: bool, marks: bool) -> Parsed:
    """Parse ``source``, which follows the character ``before``.

    With ``final`` nothing will follow, and everything is settled. With ``marks`` the marks of
    emphasis and code stay in the text.
    """
    return _Parser(source, before, final, marks).parsed()


class _Parser:
    def __init__(self, source: str, before: str, final: bool, marks: bool) -> None:
        self.source = source
        self.before = before
        self.final = final
        self.marks = marks
        self.spans: list[Span] = []
        self.brackets: list[Span] = []
        self.settled = len(source)
        self.unclosed: list[str] = []
        self.needs_mark = True

    def parsed(self) -> Parsed:
        self._scan()
        if not self.final:
            self._hold([bracket.start for bracket in self.brackets])
            self.spans = [span for span in self.spans if span.start < self.settled]
        self._pair(self.spans)
        if not self.final:
            self._hold_emphasis()
        shown = [span for span in self.spans if span.text and span.start < self.settled]
        return Parsed(shown, self.settled, self.unclosed, self.needs_mark)

    def _pair(self, spans: list[Span]) -> None:
        pair(spans, REACH)
        for span in spans:
            if span.delimiter and not self.marks:
                span.text = span.delimiter.char * span.delimiter.left

    def _scan(self) -> None:
        place, source = 0, self.source
        while place < self.settled:
            match = _ITEM.search(source, place)
            if match is None:
                self._text(place, len(source))
                return
            if match.start() > place:
                self._text(place, match.start())
            place = getattr(self, f"_{match.lastgroup}")(match)

    def _text(self, start: int, end: int, style: int = PLAIN) -> int:
        self.spans.append(Span(start, end, self.source[start:end], style))
        return end

    def _wait(self, start: int) -> int:
        """Hold back what begins at ``start``: the next characters decide about it."""
        self.settled = min(self.settled, start)
        self.needs_mark = False
        return len(self.source)

    def _wait_for_end(self, start: int, *, needs_mark: bool = True) -> bool:
        """Hold back a construct whose end, which is a mark or not, may still come."""
        waits = not self.final and len(self.source) <= start + REACH
        if waits:
            self.settled = min(self.settled, start)
            self.needs_mark &= needs_mark
        return waits

    def _escape(self, match: re.Match[str]) -> int:
        start, following = match.start(), self.source[match.end() : match.end() + 1]
        if not following and not self.final:
            return self._wait(start)
        if following == "\n":
            return start + 1
        if following not in _PUNCTUATION:
            return self._text(start, start + 1)
        self.spans.append(Span(start, start + 2, following))
        return start + 2

    def _ticks(self, match: re.Match[str]) -> int:
        start, ticks, source = match.start(), match[0], self.source
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(source, match.end())
        is_code = closing is not None and closing.end() <= start + REACH
        if closing and is_code and (closing.end() < len(source) or self.final):
            return self._code(start, len(ticks), closing.end())
        needs_mark = closing is None and match.end() < len(source)
        if self._wait_for_end(start, needs_mark=needs_mark):
            self.unclosed.append(ticks)
            return len(source)
        return self._text(start, match.end())

    def _code(self, start: int, size: int, end: int) -> int:
        code = self.source[start + size : end - size].replace("\n", " ")
        if code.strip(" ") and code[0] == code[-1] == " ":
            code = code[1:-1]
        mark = self.source[start : start + size] if self.marks else ""
        self.spans.append(Span(start, end, f"{mark}{code}{mark}", CODE))
        return end

    def _run(self, match: re.Match[str]) -> int:
        start, end = match.span()
        if end == len(self.source) and not self.final:
            return self._wait(start)
        left = self.source[start - 1] if start else self.before
        right = self.source[end : end + 1] or "\n"
        run = match[0]
        if run[0] != "~" or len(run) == 2:
            opens, closes = _flanks(run[0], left, right)
            both = opens and closes
            delimiter = Delimiter(run[0], len(run), len(run), opens, closes, both)
            self.spans.append(Span(start, end, run, PLAIN, delimiter))
            return end
        return self._text(start, end)

    def _open(self, match: re.Match[str]) -> int:
        self._text(*match.span())
        self.brackets = [*self.brackets[1 - MOST_OPEN :], self.spans[-1]]
        return match.end()

    def _close(self, match: re.Match[str]) -> int:
        start, end = match.span()
        if not self.brackets:
            return self._text(start, end)
        opener = self.brackets[-1]
        target = _TARGET.match(self.source, end)
        if target and target.end() <= opener.start + REACH:
            self.brackets.pop()
            return self._link(opener, start, target)
        may_follow = end == len(self.source) or _TARGET_BEGUN.match(self.source, end)
        if may_follow and self._wait_for_end(opener.start, needs_mark=False):
            return len(self.source)
        self.brackets.pop()
        return self._text(start, end)

    def _link(self, opener: Span, start: int, target: re.Match[str]) -> int:
        place = self.spans.index(opener)
        inner = self.spans[place + 1 :]
        self._pair(inner)
        for span in inner:
            span.style |= LINK
            span.delimiter = None
        is_image = opener.text == "!["
        opener.text = "image: " if is_image else ""
        opener.style |= LINK
        if not is_image:  # a link is in no other link
            self.brackets = [b for b in self.brackets if b.text == "!["]
        self._target(start, target, "".join([span.text for span in inner]))
        return target.end()

    def _target(self, start: int, target: re.Match[str], shown: str) -> None:
        place = target[1].removeprefix("<").removesuffix(">")
        if place and place.removeprefix("mailto:") != shown:
            space = " " if shown else ""
            self.spans.append(Span(start, target.end(), f"{space}({place})", DIM))

    def _angle(self, match: re.Match[str]) -> int:
        start = match.start()
        link = _AUTOLINK.match(self.source, start)
        if link and link.end() <= start + REACH:
            self.spans.append(Span(start, link.end(), link[1], LINK))
            return link.end()
        tag = _TAG.match(self.source, start)
        if tag and tag.end() <= start + REACH:
            if _BREAK.fullmatch(tag[0]):
                self.spans.append(Span(start, tag.end(), "\n"))
                return tag.end()
            return self._text(start, tag.end())
        is_begun = _TAG_BEGUN.match(self.source, start)
        if is_begun and self._wait_for_end(start, needs_mark=False):
            return len(self.source)
        return self._text(start, start + 1)

    def _entity(self, match: re.Match[str]) -> int:
        start = match.start()
        entity = _ENTITY.match(self.source, start)
        if entity:
            self.spans.append(Span(start, entity.end(), _unescaped(entity[0])))
            return entity.end()
        if not self.final and _ENTITY_BEGUN.match(self.source, start):
            return self._wait(start)
        return self._text(start, start + 1)

    def _bang(self, match: re.Match[str]) -> int:
        if match.end() == len(self.source) and not self.final:
            return self._wait(match.start())
        return self._text(*match.span())

    def _newline(self, match: re.Match[str]) -> int:
        return self._text(*match.span())

    def _hold(self, starts: list[int]) -> list[int]:
        """Hold back what begins at ``starts`` and may end in what was not scanned yet."""
        held = [start for start in starts if self.settled <= start + REACH]
        self.settled = min([self.settled, *held])
        return held

    def _hold_emphasis(self) -> None:
        """Settle nothing behind a run that may still be paired."""
        openers = {
            span.start: span.delimiter.char * span.delimiter.left
            for span in self.spans
            if span.delimiter and span.delimiter.opens and span.delimiter.left
        }
        held = self._hold([*openers])
        self.unclosed = [openers[start] for start in held] + self.unclosed


def _flanks(char: str, left: str, right: str) -> tuple[bool, bool]:
    """Return whether a run between two characters can open and can close emphasis."""
    left_space, right_space = left.isspace(), right.isspace()
    left_mark, right_mark = _is_mark(left), _is_mark(right)
    left_loose = left_space or left_mark or _is_wide(left)
    right_loose = right_space or right_mark or _is_wide(right)
    opens = not right_space and (not right_mark or left_loose)
    closes = not left_space and (not left_mark or right_loose)
    if char == "_":
        return opens and (not closes or left_mark), closes and (not opens or right_mark)
    return opens, closes


def _is_mark(char: str) -> bool:
    return not char.isalnum() and not char.isspace()


def _is_wide(char: str) -> bool:
    return not char.isascii() and cell(char) == 2


def _unescaped(entity: str) -> str:
    from html import unescape

    from vllmctl.render.style import harmless

    return harmless(unescape(entity)).replace("\n", " ").replace("\r", " ").replace("\t", " ")
