"""Which files outside the user's own configuration may name programs and secrets.

A project's ``vllmctl.toml`` may come with a cloned repository, so whoever wrote it must
not be able to run a command, read a variable or file, or have the user's key sent to a
server of their choice. A file is trusted as it is: its path and the hash of its content
are kept in ``trusted.toml`` in the user's configuration folder, so that a change asks
again. ``VLLMCTL_TRUST`` names further files or folders, parted by colons (for machines
without a home).
"""

import os
from pathlib import Path

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.request.file_paths import shown

_LIST = "trusted.toml"


def is_trusted(path: Path, content: bytes, env: Environment) -> bool:
    """Whether the user trusts the file at ``path`` with this very ``content``."""
    real = path.resolve()
    named = env.variables.get("VLLMCTL_TRUST", "").split(os.pathsep)
    if any(real.is_relative_to(Path(env.cwd, name).resolve()) for name in named if name):
        return True
    return _read(env).get(str(real)) == _digest(content)


def trust(path: Path, env: Environment) -> Path:
    """Trust the file at ``path`` as it is now; return the list in which that is kept.

    Raises ``ConfigError`` when the file cannot be read or the list cannot be written.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {shown(path, env)}: {error.strerror}") from None
    return _write({**_read(env), str(path.resolve()): _digest(content)}, env)


def distrust(path: Path, env: Environment) -> bool:
    """Forget the trust in the file at ``path``; return whether there was any."""
    files = _read(env)
    if files.pop(str(path.resolve()), None) is None:
        return False
    _write(files, env)
    return True


def _read(env: Environment) -> dict[str, str]:
    import tomllib

    if env.config_dir is None:
        return {}
    try:
        files = tomllib.loads((env.config_dir / _LIST).read_text("utf-8")).get("files")
    except (OSError, ValueError):
        return {}
    return files if isinstance(files, dict) else {}


def _write(files: dict[str, str], env: Environment) -> Path:
    import tomli_w

    from vllmctl.request.atomic_write import write_atomically

    if env.config_dir is None:
        raise ConfigError(
            "there is no folder to keep the trust in: HOME is not set, or no folder",
            "set VLLMCTL_TRUST to the path of the file, for this once",
        )
    note = "# Files that may name keys, programs and proxies, as they were when trusted.\n"
    path = env.config_dir / _LIST
    write_atomically(path, note + tomli_w.dumps({"files": files}), env)
    return path


def _digest(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()
