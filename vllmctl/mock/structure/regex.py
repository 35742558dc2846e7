"""Reads a regular expression, as Rust's engine takes it, into a shape."""

from vllmctl.mock.structure.shapes import (
    CharSet,
    Choice,
    ConstraintError,
    Literal,
    Repeat,
    Sequence,
    Shape,
)

_DIGIT = [(48, 57)]
_WORD = [(48, 57), (65, 90), (95, 95), (97, 122)]
_SPACE = [(9, 10), (12, 13), (32, 32)]
_CLASSES = {
    "d": CharSet(_DIGIT),
    "D": CharSet(_DIGIT, negated=True),
    "w": CharSet(_WORD),
    "W": CharSet(_WORD, negated=True),
    "s": CharSet(_SPACE),
    "S": CharSet(_SPACE, negated=True),
}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_NAMED = {
    "alpha": [(65, 90), (97, 122)],
    "digit": _DIGIT,
    "alnum": [(48, 57), (65, 90), (97, 122)],
    "upper": [(65, 90)],
    "lower": [(97, 122)],
    "space": _SPACE,
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "xdigit": [(48, 57), (65, 70), (97, 102)],
}
_ANY = CharSet([(10, 10)], negated=True)
_HEX_LENGTHS = {"x": 2, "u": 4, "U": 8}
_HIGHEST = 0x10FFFF


def read_regex(pattern: str) -> Shape:
    """Return the shape of ``pattern``; anchors at its ends mean nothing here.

    Raises:
        ConstraintError: a pattern that is not well formed, or that looks around or back.
    """
    reader = _Reader(pattern)
    shape = reader.choice()
    if not reader.at_end:
        raise reader.error("unopened group")
    return shape


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._pattern)

    def error(self, reason: str) -> ConstraintError:
        mark = " " * max(0, min(self._at, len(self._pattern)) - 1)
        return ConstraintError(
            f"regex parse error:\n    {self._pattern}\n    {mark}^\nerror: {reason}"
        )

    def choice(self) -> Shape:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(options)

    def _sequence(self) -> Shape:
        parts: list[Shape] = []
        while not self.at_end and self._next not in "|)":
            part = self._atom()
            if part is not None:
                parts.append(self._repeated(part))
        return parts[0] if len(parts) == 1 else Sequence(parts)

    def _atom(self) -> Shape | None:
        sign = self._step()
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._set()
        if sign == "\\":
            return self._escape()
        if sign == ".":
            return _ANY
        if sign in "^$":
            return None
        if sign in "*+?":
            raise self.error("repetition operator missing expression")
        return Literal(sign)

    def _group(self) -> Shape:
        if self._take("?") and not self._take(":"):
            self._group_flags()
        inner = self.choice()
        if not self._take(")"):
            raise self.error("unclosed group")
        return inner

    def _group_flags(self) -> None:
        """Skip a group's name or flags; look-around is refused."""
        if self._take("P<") or (self._take("<") and self._next not in "=!"):
            while not self._take(">"):
                self._step()
            return
        if self._next in "=!<":
            raise self.error("look-around, including look-ahead and look-behind, is not supported")
        while self._next in "imsuUx-":
            self._step()
        self._take(":")

    def _repeated(self, part: Shape) -> Shape:
        while not self.at_end:
            bounds = self._bounds()
            if bounds is None:
                break
            self._take("?")
            part = Repeat(part, *bounds)
        return part

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        return self._counted() if self._next == "{" else None

    def _counted(self) -> tuple[int, int | None]:
        end = self._pattern.find("}", self._at)
        if end < 0:
            raise self.error("unclosed counted repetition")
        least, comma, most = self._pattern[self._at + 1 : end].partition(",")
        self._at = end + 1
        if not least.strip().isdecimal() or not (not most.strip() or most.strip().isdecimal()):
            raise self.error("repetition quantifier expects a valid decimal")
        low = int(least)
        high = (int(most) if most.strip() else None) if comma else low
        if high is not None and high < low:
            raise self.error("invalid repetition count range")
        return low, high

    def _set(self) -> CharSet:
        negated = self._take("^")
        found = CharSet(negated=negated)
        first = True
        while first or not self._take("]"):
            if self.at_end:
                raise self.error("unclosed character class")
            found.ranges += self._set_item()
            first = False
        return found

    def _set_item(self) -> list[tuple[int, int]]:
        if self._take("[:"):
            end = self._pattern.find(":]", self._at)
            name = self._pattern[self._at : end]
            if end < 0 or name not in _NAMED:
                raise self.error("invalid character class")
            self._at = end + 2
            return _NAMED[name]
        low = self._set_member()
        if isinstance(low, CharSet):
            return _complement(low.ranges) if low.negated else low.ranges
        if self._next == "-" and self._pattern[self._at + 1 : self._at + 2] not in ("]", ""):
            self._step()
            high = self._set_member()
            if isinstance(high, CharSet) or high < low:
                raise self.error("invalid character class range")
            return [(low, high)]
        return [(low, low)]

    def _set_member(self) -> int | CharSet:
        sign = self._step()
        if sign != "\\":
            return ord(sign)
        escaped = self._escape()
        return ord(escaped.text) if isinstance(escaped, Literal) else escaped

    def _escape(self) -> Literal | CharSet:
        sign = self._step()
        if sign in _CLASSES:
            return _CLASSES[sign]
        if sign in "pP":
            return self._property(negated=sign == "P")
        if sign in _HEX_LENGTHS:
            return Literal(self._code(_HEX_LENGTHS[sign]))
        if sign in "bBAzZ":
            return Literal("")
        if sign in "123456789":
            raise self.error("backreferences are not supported")
        return Literal(_CONTROLS.get(sign, sign))

    def _property(self, negated: bool) -> CharSet:
        name = self._step()
        if name == "{":
            end = self._pattern.find("}", self._at)
            if end < 0:
                raise self.error("invalid Unicode character class")
            name, self._at = self._pattern[self._at : end], end + 1
        kind = {"L": "alpha", "N": "digit", "P": "punct", "Z": "space"}.get(name[:1], "alnum")
        kind = {"Lu": "upper", "Ll": "lower"}.get(name, kind)
        return CharSet(_NAMED[kind], negated)

    def _code(self, length: int) -> str:
        digits = self._pattern[self._at : self._at + length]
        if self._take("{"):
            end = self._pattern.find("}", self._at)
            digits, self._at = self._pattern[self._at : max(end, self._at)], end + 1
        else:
            self._at += length
        try:
            return chr(int(digits, 16))
        except (ValueError, OverflowError):
            raise self.error("invalid hexadecimal digit") from None

    @property
    def _next(self) -> str:
        """The sign to come; a NUL at the end, which no test below asks for."""
        return self._pattern[self._at] if not self.at_end else "\0"

    def _step(self) -> str:
        if self.at_end:
            raise self.error("unexpected end of pattern")
        self._at += 1
        return self._pattern[self._at - 1]

    def _take(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        if found:
            self._at += len(text)
        return found


def _complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    inverse, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            inverse.append((start, low - 1))
        start = max(start, high + 1)
    return [*inverse, (start, _HIGHEST)]
