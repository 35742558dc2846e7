"""The addresses of a host."""

import _thread
import socket

Address = tuple[int, int, int, str, tuple[str | int, ...]]

_FOR_EVER = -1


def addresses(name: str, port: int, seconds: float | None) -> list[Address]:
    """Return where the host ``name`` may be reached, as ``socket.getaddrinfo`` does.

    The system may think about that for a minute, deaf to signals and limits of time. So a
    thread of its own asks, and is left alone when nobody waits for it any more. Raises
    ``OSError`` (``TimeoutError`` after so many ``seconds``; ``None`` is no limit) and
    ``UnicodeError``.
    """
    # bytes are taken as they are, where a text would load the tables of all that IDNA knows
    host = name.encode() if name.isascii() else name
    done = _thread.allocate_lock()
    done.acquire()
    answers: list[list[Address] | Exception] = []

    def ask() -> None:
        try:
            answers.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))  # type: ignore[arg-type]
        except Exception as fault:
            answers.append(fault)
        done.release()

    try:
        _thread.start_new_thread(ask, ())
    except RuntimeError:  # the system allows no more threads
        ask()
    if not done.acquire(timeout=_FOR_EVER if seconds is None else seconds):
        raise TimeoutError
    answer = answers[0]
    if isinstance(answer, Exception):
        raise answer
    return answer
