"""A word to the person who waits for a slow first token."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vllmctl.env import Environment

_SECONDS = 5.0


@contextmanager
def waiting(env: Environment, thing: str, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Say once on a terminal that ``thing`` has not come yet, after a few seconds of silence.

    What is given is to be called when something comes.
    """
    if quiet or not env.is_terminal(env.stderr):
        yield lambda: None
        return
    from threading import Timer

    timer = Timer(_SECONDS, _say, (thing, env))
    timer.daemon = True
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()


def _say(thing: str, env: Environment) -> None:
    env.stderr.write(f"waiting for {thing}; Ctrl-C ends it, --idle-timeout limits it\n")
    env.stderr.flush()
