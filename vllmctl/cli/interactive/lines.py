"""How several lines become one message: a backslash at the end, or a block in triple quotes."""

import re
from collections.abc import Iterable, Iterator

_FENCE = '"""'
_BEGUN = re.compile(r'((?:/\S+[ \t]+)?)"""(.*)', re.S)


def continues(text: str) -> bool:
    """Whether ``text`` ends with a backslash that asks for another line."""
    backslashes = len(text) - len(text.rstrip("\\"))
    return backslashes % 2 == 1 and not _is_block(text)


def is_open(text: str) -> bool:
    """Whether ``text`` has begun a block that is not closed yet."""
    return _is_block(text) and _FENCE not in _rest(text)


def unwrapped(text: str) -> str:
    """Return ``text`` without the quotes of the block that it is, if it is one."""
    match = _BEGUN.fullmatch(text.rstrip())
    if match is None or not match[2].endswith(_FENCE) or match[2].count(_FENCE) > 1:
        return text
    return match[1] + match[2].removesuffix(_FENCE).removeprefix("\n").removesuffix("\n")


def messages(lines: Iterable[str]) -> Iterator[str]:
    """Yield what ``lines`` (without their ends) say: a message each, but for open ones."""
    text = ""
    for line in lines:
        text += line
        if continues(text):
            text = text[:-1] + "\n"
        elif is_open(text):
            text += "\n"
        else:
            yield text
            text = ""
    if text:
        yield text


def _is_block(text: str) -> bool:
    return _BEGUN.match(text) is not None


def _rest(text: str) -> str:
    match = _BEGUN.match(text)
    return match[2] if match else ""
