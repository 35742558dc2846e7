"""Notes on stderr: what is worth knowing and is neither answer nor fault."""

from vllmctl.env import Environment
from vllmctl.render.style import harmless


def write_note(text: str, env: Environment) -> None:
    """Write ``text`` as a note."""
    env.stderr.write(f"note: {harmless(text)}\n")
    env.stderr.flush()
