"""Writing a file so that it is never seen half written."""

import errno
import os
import stat
from pathlib import Path

from vllmctl.env import Environment
from vllmctl.errors import ConfigError, FullDiskError
from vllmctl.request.file_paths import shown

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def write_atomically(path: Path, text: str, env: Environment) -> None:
    """Put ``text`` (UTF-8) into ``path``, making the folder if it is missing.

    A symbolic link is followed, and the mode of an existing file is kept. A pipe or device
    (``/dev/null``), and what is open already (``/dev/stdout``, ``/dev/fd/3``), is written to.
    Raises ``ConfigError`` when the file cannot be written (``FullDiskError`` for want of room);
    it is then as it was before.
    """
    content = _encoded(path, text, env)
    try:
        if is_open_end(path):
            _append(path, content)
            return
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, content)
    except (OSError, RuntimeError) as error:  # the latter for links that lead in a circle
        reason = getattr(error, "strerror", None) or str(error)
        fault = FullDiskError if getattr(error, "errno", None) in _NO_ROOM else ConfigError
        raise fault(f"cannot write {shown(path, env)}: {reason}") from None


def _encoded(path: Path, text: str, env: Environment) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ConfigError(
            f"cannot write {shown(path, env)}: half of a surrogate pair is no UTF-8"
        ) from None


def is_open_end(path: Path) -> bool:
    """Whether ``path`` takes text as it comes: a pipe, a device, what is open already."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _append(path: Path, content: bytes) -> None:
    """Write where others may write before and after: to what is open, at its own place."""
    descriptor = _descriptor(path)
    if descriptor is None:
        path.write_bytes(content)
        return
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)


def _descriptor(path: Path) -> int | None:
    """The number of the open file that ``path`` stands for, if it does."""
    if str(path) in _STREAMS:
        return _STREAMS[str(path)]
    folder, _, number = str(path).rpartition("/")
    return int(number) if folder in ("/dev/fd", "/proc/self/fd") and number.isdecimal() else None


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(descriptor, _mode_for(target))
            os.fsync(descriptor)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode_for(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the new name outlive a power cut, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
