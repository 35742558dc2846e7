"""What a fuzz target is."""

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Target(NamedTuple):
    """Something that takes any bytes.

    ``try_one`` raises when what it tries does not hold; what a user may be told
    (``VllmctlError``) it takes as an answer. ``seeds`` are inputs to start from, ``words`` what
    mutations put in, ``seconds`` is the longest that one input may take.
    """

    try_one: Callable[[bytes], None]
    seeds: Sequence[bytes]
    words: Sequence[bytes] = ()
    seconds: float = 5.0
