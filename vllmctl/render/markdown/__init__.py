"""Markdown on a terminal while it arrives.

``document`` tells blocks apart line by line and gives each to a leaf: ``prose``, ``code`` or
``table``. A leaf commits rows that nothing can change any more and shows the others as its
tail; the screen writes committed rows once and repaints the tail alone. Which rows are committed
depends on the text and the width only, never on how the text was cut into pieces.
"""

from vllmctl.render.markdown.writer import MarkdownWriter

__all__ = ["MarkdownWriter"]
