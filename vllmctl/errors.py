"""The faults that a person is told about, made from facts.

Each exception carries what was wrong, how to mend it and the exit code; the one
place that prints them is ``vllmctl.__main__``.
"""

from vllmctl.exitcodes import ExitCode


class VllmctlError(Exception):
    """A fault with a message for people.

    ``message`` says what was wrong and where it came from; ``hint`` says what to
    do next (or is empty).
    """

    exit_code: ExitCode = ExitCode.UNEXPECTED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(VllmctlError):
    """A wrong flag, value, file or combination of them."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A profile or configuration file that cannot be used as it is."""


class FullDiskError(ConfigError):
    """A file that the system has no room for, or cannot write: nobody's wrong usage."""

    exit_code = ExitCode.UNEXPECTED


class CannotConnectError(VllmctlError):
    """No connection to the server could be made."""

    exit_code = ExitCode.CANNOT_CONNECT


class TimedOutError(VllmctlError):
    """A connect, idle or total timeout ran out."""

    exit_code = ExitCode.TIMEOUT


class IncompleteAnswerError(VllmctlError):
    """The answer was cut, failed inside a 200 stream, was aborted, or is unusable.

    ``server_message`` and ``param`` are as in ``HttpStatusError``, where the server said so.
    """

    exit_code = ExitCode.INCOMPLETE

    def __init__(
        self, message: str, hint: str = "", *, server_message: str = "", param: str | None = None
    ) -> None:
        super().__init__(message, hint)
        self.server_message = server_message
        self.param = param


class HttpStatusError(VllmctlError):
    """The server refused the request.

    ``status`` is the HTTP status; ``server_message`` the server's own words;
    ``param`` the body path that the server blames (``temperature``), or ``None``.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        status: int,
        server_message: str = "",
        param: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.server_message = server_message
        self.param = param
        self.exit_code = ExitCode.SERVER_ERROR if status >= 500 else ExitCode.CLIENT_ERROR
