"""Several choices side by side on a terminal, while they arrive.

Every choice has a column, which is a screen to the sheets that are written on it. A row of the
terminal is written for good once no column can change its part of it; what is below is the tail,
which is repainted where it changes. Where columns would be too narrow, choices are written one
after the other (``render.writer``).
"""

from vllmctl.render.columns.layout import fit
from vllmctl.render.columns.writer import SideBySideWriter

__all__ = ["SideBySideWriter", "fit"]
