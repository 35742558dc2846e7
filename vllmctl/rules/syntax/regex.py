"""Regular expressions as xgrammar and llguidance (Rust's regex syntax) read them."""

import re

from vllmctl.counts import count_in
from vllmctl.rules.syntax.verdict import Verdict

_GROUP_STARTS = {
    "?=": "look-ahead (?=…) is not supported",
    "?!": "look-ahead (?!…) is not supported",
    "?<=": "look-behind (?<=…) is not supported",
    "?<!": "look-behind (?<!…) is not supported",
}
_FLAGS = re.compile(r"\?([a-zA-Z-]+)([:)])")
_NAMED = re.compile(r"\?P?<([A-Za-z_][\w.\[\]]*)>")
_NOT_FIRST = re.compile(r"(?<![(|:>)])$(?<!^)")
_NOT_LAST = re.compile(r"[^)|]")
_QUANTIFIER = re.compile(r"\{ *(\d+) *(, *(\d*) *)?\}")
_HEX = re.compile(
    r"x([0-9A-Fa-f]{2}|\{[0-9A-Fa-f]+\})|u([0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\})"
    r"|U([0-9A-Fa-f]{8}|\{[0-9A-Fa-f]+\})"
)
_PROPERTY = re.compile(r"[pP](\{[\w=:&! -]+\}|[A-Z])")
_RUST_ESCAPES = set("afnrtvdDsSwWbBAzxuUpP")
_CODES = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "e": 27, "0": 0}
_SETS = set("dDsSwW")


def judge_regex(pattern: str) -> Verdict:
    """Return what the backends say to ``pattern``."""
    return _Scanner(pattern).scan()


class _Scanner:
    """Reads a pattern once, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._verdict = Verdict()
        self._open = 0
        self._names: set[str] = set()
        self._repeatable = False
        self._repeated = False
        self._anchor = ""

    def scan(self) -> Verdict:
        """Return what the backends say."""
        while self._place < len(self._pattern):
            self._step(self._pattern[self._place])
        if self._open:
            self._verdict.refuse("a group ( is not closed")
        return self._verdict

    def _step(self, character: str) -> None:
        if character == "\\":
            self._escape()
        elif character == "[":
            self._class()
        elif character == "(":
            self._group()
        elif character == ")":
            self._close()
        elif character in "*+?{":
            self._repeat(character)
        elif character == "|":
            self._advance(repeatable=False)
        elif character in "^$":
            self._anchor_at(character)
        else:
            self._advance()

    def _advance(self, count: int = 1, *, repeatable: bool = True, anchor: str = "") -> None:
        self._place += count
        self._repeatable, self._repeated, self._anchor = repeatable, False, anchor

    def _anchor_at(self, character: str) -> None:
        """Rust's engine knows them at the ends only."""
        before, after = self._pattern[: self._place], self._pattern[self._place + 1 :]
        inner = _NOT_FIRST.search(before) if character == "^" else _NOT_LAST.match(after)
        if inner:
            self._verdict.by_guidance(f"{character} stands within the pattern")
        self._advance(anchor=character)

    def _group(self) -> None:
        self._open += 1
        rest = self._pattern[self._place + 1 :]
        if not rest.startswith("?"):
            self._advance(repeatable=False)
            return
        if rest.startswith("?:"):
            self._advance(3, repeatable=False)
            return
        named = _NAMED.match(rest)
        if named:
            self._named(named[1], rest)
            self._advance(1 + named.end(), repeatable=False)
            return
        self._other_group(rest)

    def _named(self, name: str, rest: str) -> None:
        if rest.startswith("?P"):
            self._verdict.by_xgrammar("groups are named (?<name>…)")
        if name in self._names:
            self._verdict.by_guidance(f"two groups are named {name}")
        self._names.add(name)

    def _other_group(self, rest: str) -> None:
        for start, reason in _GROUP_STARTS.items():
            if rest.startswith(start):
                self._verdict.refuse(reason)
                self._advance(1 + len(start), repeatable=False)
                return
        flags = _FLAGS.match(rest)
        if flags and set(flags[1]) <= set("imsRUux-"):
            self._verdict.by_xgrammar(f"flags ({flags[0]} are not supported")
            if "-u" in flags[1]:
                self._verdict.by_guidance("without Unicode a pattern can match invalid UTF-8")
            self._open -= flags[2] == ")"
            self._advance(1 + flags.end(), repeatable=False)
            return
        self._verdict.refuse(f"no group starts with ({rest[:3]}")
        self._advance(2, repeatable=False)

    def _close(self) -> None:
        if not self._open:
            self._verdict.refuse("a ) has no group to close")
        self._open -= self._open > 0
        self._advance()

    def _repeat(self, character: str) -> None:
        length = self._quantifier_length(character)
        if not self._repeatable:
            self._verdict.refuse(f"there is nothing before {character} to repeat")
        elif self._anchor:
            if character != "{":
                self._verdict.by_xgrammar(f"{self._anchor} cannot be repeated")
            if self._anchor == "^" and character != "+":
                self._verdict.by_guidance("^ cannot be repeated")
        elif self._repeated and character != "?":
            self._verdict.by_xgrammar(f"{character} repeats what is repeated already")
        lazy = self._repeated and character == "?"
        self._place += length
        self._repeated = not lazy

    def _quantifier_length(self, character: str) -> int:
        if character != "{":
            return 1
        found = _QUANTIFIER.match(self._pattern, self._place)
        if not found:
            self._verdict.refuse(
                "{ starts a count such as {2} or {1,3}; write \\{ for the character"
            )
            return 1
        if " " in found[0]:
            self._verdict.by_xgrammar(f"in {found[0]} must be no space")
        if found[3] and (count_in(found[1]) or 0) > (count_in(found[3]) or 0):
            self._verdict.refuse(f"in {found[0]} the first number must not be the larger")
        return len(found[0])

    def _escape(self) -> None:
        following = self._pattern[self._place + 1 : self._place + 2]
        length = 2
        if not following:
            self._verdict.by_xgrammar("the pattern ends with a backslash")
            length = 1
        elif following in "123456789":
            self._verdict.refuse(f"back-references (\\{following}) are not supported")
        elif following in "bB":
            self._verdict.refuse(f"word boundaries (\\{following}) are not supported")
        elif following == "k":
            self._verdict.refuse("back-references (\\k) are not supported")
        elif following in "pP":
            length = self._property()
        elif following in "xuU":
            length = self._hex(self._place + 1)
        elif not self._is_rust_escape(following):
            self._verdict.by_guidance(f"\\{following} is no escape")
        self._advance(length)

    def _hex(self, place: int) -> int:
        """A character by its number; return the length of the escape."""
        found = _HEX.match(self._pattern, place)
        if found:
            return 1 + len(found[0])
        letter = self._pattern[place]
        self._verdict.by_guidance(f"\\{letter} wants the number of a character")
        if self._pattern[place + 1 : place + 2] in ("", "]"):
            self._verdict.by_xgrammar(f"\\{letter} wants the number of a character")
        return 2

    def _property(self) -> int:
        self._verdict.by_xgrammar("Unicode properties (\\p) are not supported")
        found = _PROPERTY.match(self._pattern, self._place + 1)
        if not found:
            self._verdict.by_guidance("\\p wants the name of a Unicode property: \\p{L}")
            return 2
        return 1 + len(found[0])

    @staticmethod
    def _is_rust_escape(character: str) -> bool:
        if character.isalnum():
            return character in _RUST_ESCAPES
        return character.isascii() and character not in "<>"

    def _class(self) -> None:
        """A set of characters: xgrammar ends it at the first ``]``, Rust nests them."""
        pattern, place = self._pattern, self._place + 1
        negated = pattern.startswith("^", place)
        place += negated
        items: list[str] = []
        end = self._class_items(place, items)
        if end < 0:
            self._verdict.refuse("a set [ is not closed")
            self._advance(len(pattern) - self._place)
            return
        if not items and not negated:
            end = self._class_after_bracket(place, end)
        elif not items and self._class_items(place + 1, []) < 0:
            self._verdict.by_guidance("a set [^] is not closed")
        self._ranges(items)
        self._advance(end + 1 - self._place)

    def _class_items(self, place: int, items: list[str]) -> int:
        """Collect a set's items from ``place`` on; return where it ends, or -1."""
        pattern = self._pattern
        while place < len(pattern):
            if pattern[place] == "]":
                return place
            length = 2 if pattern[place] == "\\" else 1
            if length == 2 and pattern[place + 1 : place + 2] in ("x", "u", "U"):
                self._hex(place + 1)
            items.append(pattern[place : place + length])
            place += length
        return -1

    def _class_after_bracket(self, place: int, end: int) -> int:
        """``[]a]``: Rust takes a bracket in front for a character, xgrammar an empty set."""
        self._verdict.by_xgrammar("a set [] is empty")
        later = self._class_items(place + 1, [])
        if later < 0:
            self._verdict.by_guidance("a set [ is not closed")
            return end
        return later

    def _ranges(self, items: list[str]) -> None:
        place = 0
        while place + 2 < len(items):
            if items[place + 1] != "-":
                place += 1
                continue
            first, last = _code(items[place]), _code(items[place + 2])
            if first is not None and last is not None and first > last:
                shown = "".join(items[place : place + 3])
                reason = f"in [{shown}] the first character must not come after the last"
                is_difference = items[place + 2] == "-"
                (self._verdict.by_xgrammar if is_difference else self._verdict.refuse)(reason)
            place += 3


def _code(item: str) -> int | None:
    """The code of a set's item, or ``None`` for a set within and for longer escapes."""
    if len(item) == 1:
        return ord(item)
    letter = item[1:]
    if not letter or letter in _SETS or letter in "xuUpP":
        return None
    return _CODES.get(letter, ord(letter))
