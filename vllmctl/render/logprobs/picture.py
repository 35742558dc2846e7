"""The heat as a web page or a drawing, by rich's own export."""

import re
from io import StringIO
from typing import TYPE_CHECKING

from vllmctl.client.answer import Answer
from vllmctl.render.logprobs.figures import summary
from vllmctl.render.logprobs.heat import Run, heat_rows, legend_rows
from vllmctl.render.logprobs.writing import parts_of, title_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDTH = 100
_TITLE = "Token probabilities"
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML does not take, not even escaped."""


def as_html(answer: Answer, *, reasoning: bool = True) -> str:
    """Return the heat of ``answer`` as a web page that needs no other file."""
    return _well_formed(_drawn(answer, reasoning=reasoning).export_html(inline_styles=True))


def as_svg(answer: Answer, title: str = _TITLE, *, reasoning: bool = True) -> str:
    """Return the heat of ``answer`` as a drawing in the frame of a terminal."""
    return _well_formed(_drawn(answer, reasoning=reasoning).export_svg(title=title))


def _well_formed(drawn: str) -> str:
    return _NO_XML.sub("\ufffd", drawn)


def _drawn(answer: Answer, *, reasoning: bool) -> "Console":
    from rich.console import Console
    from rich.text import Text

    console = Console(
        record=True,
        file=StringIO(),
        width=_WIDTH,
        color_system="256",
        force_terminal=True,
        legacy_windows=False,
        no_color=False,
    )
    parts = list(parts_of(answer, reasoning=reasoning))
    for row in legend_rows(colored=True, width=_WIDTH):
        console.print(_text(row))
    for index, part, tokens in parts:
        console.print()
        if len(parts) > 1:
            console.print(Text(f"{title_of(index, part)}:", "bold"))
        for row in heat_rows(tokens, colored=True, width=_WIDTH):
            console.print(_text(row))
        console.print(Text(summary(tokens), "dim"))
    return console


def _text(row: list[Run]) -> "Text":
    from rich.text import Text

    text = Text(no_wrap=True, end="")
    for band, shown in row:
        style = f"color({band.colors[0]}) on color({band.colors[1]})" if band else ""
        text.append(shown, style)
    return text
