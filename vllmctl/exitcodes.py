"""The exit codes that scripts rely on."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process tells its caller; documented in the README and tested."""

    DONE = 0
    """The answer, or what was asked for, is on stdout."""
    UNEXPECTED = 1
    """The output cannot be written (a full disk), or a fault of vllmctl itself."""
    USAGE = 2
    """Wrong usage, a broken profile, or a request that the server would reject."""
    CANNOT_CONNECT = 3
    """No connection to the server could be made."""
    CLIENT_ERROR = 4
    """The server answered with an HTTP 4xx status."""
    SERVER_ERROR = 5
    """The server answered with an HTTP 5xx status."""
    TIMEOUT = 6
    """A connect, idle or total timeout ran out."""
    INCOMPLETE = 7
    """The answer is incomplete or fails verification."""
    BATCH_FAILED_ROWS = 8
    """A batch finished, and some rows failed."""
    INTERRUPTED = 130
    """The user pressed Ctrl-C; other signals end it with 128 and their number (143, 129)."""
