"""A word to the person who waits for a slow first token."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vllmctl.env import Environment

_SECONDS = 5.0


@contextmanager
def waiting(env: Environment, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Say once on a terminal that nothing has come yet, after a few seconds of silence.

    What is given is to be called when something comes.
    """
    if quiet or not env.is_terminal(env.stderr):
        yield lambda: None
        return
    from threading import Timer

    timer = Timer(_SECONDS, _say, (env,))
    timer.daemon = True
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()


def _say(env: Environment) -> None:
    env.stderr.write("waiting for the first token; Ctrl-C ends it, --idle-timeout limits it\n")
    env.stderr.flush()
