"""Code coloured line by line, with the state of the language's lexer kept between lines."""

from functools import cache
from typing import Any

from vllmctl.render.paint import (
    BLUE,
    BOLD,
    CYAN,
    DIM,
    GREEN,
    ITALIC,
    MAGENTA,
    PLAIN,
    RED,
    YELLOW,
    Row,
    append,
)

_STYLES = {
    "Comment": DIM | ITALIC,
    "Keyword": MAGENTA,
    "Keyword.Constant": YELLOW,
    "Operator.Word": MAGENTA,
    "Literal.String": GREEN,
    "Literal.Number": CYAN,
    "Name.Function": BLUE,
    "Name.Class": BLUE | BOLD,
    "Name.Decorator": YELLOW,
    "Name.Builtin": CYAN,
    "Name.Tag": BLUE,
    "Name.Attribute": CYAN,
    "Name.Variable": CYAN,
    "Generic.Inserted": GREEN,
    "Generic.Deleted": RED,
    "Generic.Heading": BOLD,
    "Generic.Subheading": CYAN,
    "Generic.Prompt": DIM,
}
"""The style of a token by its type or the nearest type above it."""

_COMMENT = _STYLES["Comment"]
_LONGEST_LINE = 2000


class Highlighter:
    """Colours the lines of one block of code, in their order."""

    def __init__(self, lexer: Any) -> None:
        self._lexer = lexer
        self._stack = ["root"]
        self._in_comment = False

    def line(self, text: str) -> Row:
        """Return ``text`` coloured; a line that is very long stays plain."""
        if len(text) > _LONGEST_LINE:
            return [(PLAIN, text)]
        if self._in_comment:
            return self._end_comment(text)
        row: Row = []
        for place, kind, value in self._tokens(text + "\n"):
            if text.startswith("/*", place) and _is_open(kind, value):
                self._in_comment = True
                return [*row, (_COMMENT, text[place:])]
            append(row, _style(kind), value.rstrip("\n"))
        return row

    def _end_comment(self, text: str) -> Row:
        """Go on with a comment that began on a line before: most lexers want it whole."""
        end = text.find("*/") + 2
        if end < 2:
            return [(_COMMENT, text)]
        self._in_comment = False
        return [(_COMMENT, text[:end]), *(self.line(text[end:]) if text[end:] else [])]

    def _tokens(self, text: str) -> list[tuple[int, Any, str]]:
        from pygments.lexer import (  # type: ignore[import-untyped]
            ExtendedRegexLexer,
            LexerContext,
        )

        context = LexerContext(text, 0, self._stack)
        read = ExtendedRegexLexer.get_tokens_unprocessed  # the one that keeps the state
        tokens = list(read(self._lexer, context=context))
        self._stack = context.stack
        return tokens


def highlighter(language: str) -> Highlighter | None:
    """Return a highlighter for the language of that name, if there is one."""
    lexer = _lexer(language.lower())
    return None if lexer is None else Highlighter(lexer)


def _is_open(kind: Any, value: str) -> bool:
    """Whether a token at ``/*`` is no whole comment: its end is on another line."""
    return value == "/" or (kind[:1] == ("Comment",) and "*/" not in value)


@cache
def _lexer(language: str) -> Any:
    from pygments.lexer import RegexLexer
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return lexer if isinstance(lexer, RegexLexer) and "root" in lexer._tokens else None


@cache
def _style(kind: Any) -> int:
    while kind:
        style = _STYLES.get(".".join(kind))
        if style is not None:
            return style
        kind = kind.parent
    return PLAIN
