"""What the mock says when nothing constrains it."""

from random import Random

_SENTENCES = (
    "The river runs past the old stone bridge.",
    "A small boat waits near the north shore.",
    "Most people here grow their own food in summer.",
    "At night the stars are bright above the quiet fields.",
    "Every spring the children plant one new tree.",
    "The market opens early and closes before noon.",
    "Some roads lead to the coast, others only to the next village.",
    "When the wind turns, the fishing boats come home.",
    "There is a library with a green door and very tall windows.",
    "Nobody remembers who built the first house on the hill.",
)
_LONGEST_QUOTE = 120


def reply_text(reply: str | None, said: str, random: Random) -> str:
    """Return the answer to ``said`` for the option ``--reply``."""
    if reply is None:
        quote = said if len(said) <= _LONGEST_QUOTE else f"{said[:_LONGEST_QUOTE]}…"
        return (
            "Hello! This is the mock server of vllmctl, no model thought about it. "
            f"You wrote: {quote}"
        )
    if reply == "echo":
        return said
    return lorem(random) if reply == "lorem" else reply


def continuation(reply: str | None, prompt: str, random: Random) -> str:
    """Return how a plain completion goes on."""
    if reply is None or reply == "lorem":
        return " " + lorem(random)
    return prompt if reply == "echo" else reply


def lorem(random: Random, sentences: int = 5) -> str:
    """Return a few sentences about nothing."""
    return " ".join(random.sample(_SENTENCES, sentences))
