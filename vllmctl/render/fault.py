"""What went wrong, on stderr."""

from vllmctl.render.style import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def write_fault(message: str, hint: str, stderr: "TextIO") -> None:
    """Write what went wrong, and what to do about it, a line each."""
    stderr.write(harmless(f"error: {message}\n"))
    for line in hint.splitlines():
        label = "" if line.startswith("request id ") else "hint: "
        stderr.write(harmless(f"  {label}{line}\n"))
    stderr.flush()
