"""Notes and faults on stderr: what is worth knowing and is no answer."""

from vllmctl.env import Environment
from vllmctl.render.words import Words
from vllmctl.texts import cut

_LONGEST_WORD = 300

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def write_note(text: str, env: Environment) -> None:
    """Write ``text`` as a note."""
    words = Words(env.stderr, env)
    words.write(("note:", "note"), f" {text}")
    words.flush()


def write_fault(message: str, hint: str, stderr: "TextIO") -> None:
    """Write what went wrong, and what to do about it, a line each."""
    words = Words(stderr, Environment(stderr=stderr))
    words.write(f"error: {_readable(message)}")
    for line in hint.splitlines():
        label = "" if line.startswith("request id ") else "hint: "
        words.write(f"  {label}{_readable(line)}")
    words.flush()


def _readable(text: str) -> str:
    """Return ``text`` without the ends of what nobody reads: digits, base64."""
    return " ".join(cut(word, _LONGEST_WORD) for word in text.split(" "))
