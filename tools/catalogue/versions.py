"""Tells which of two versions is newer."""

import re

_NUMBERS = re.compile(r"\d+")
_POST = re.compile(r"\.post(\d+)$")


def newer(one: str, other: str) -> bool:
    """Whether release ``one`` is newer than ``other``; ``.post1`` comes after its release."""
    return _key(one) > _key(other)


def _key(version: str) -> tuple[tuple[int, ...], int]:
    post = _POST.search(version)
    numbers = [int(number) for number in _NUMBERS.findall(_POST.sub("", version))]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), int(post[1]) if post else 0
