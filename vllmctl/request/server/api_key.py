"""The key to the server, from wherever it is kept."""

import re

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.record import Record
from vllmctl.request.origin import Origin
from vllmctl.request.server.keys import KEY_SOURCES
from vllmctl.request.server.secret import masked
from vllmctl.request.server.settings import Setting, Settings

_COMMAND_SECONDS = 60
_PLACEHOLDERS = ("changeme", "empty", "none", "null", "dummy", "placeholder", "token-abc123")
_FILLER = r"(sk-)?[x*.<>-]+|.*your.*"


class ApiKey(Record, frozen=True, hidden=("value", "setting")):
    """A key and the setting that gave it.

    ``value`` is ``None`` in a dry run, where nobody is asked for the key; ``holder`` says who
    would be.
    """

    value: str | None
    setting: Setting
    holder: str = ""

    @property
    def origin(self) -> Origin:
        """Where the key came from."""
        return self.setting.origin

    @property
    def masked(self) -> str:
        """The key as it may be shown."""
        return f"({self.holder})" if self.value is None else masked(self.value)

    @property
    def source(self) -> str:
        """Where the key came from, and whether it looks like no key at all."""
        doubt = ", which looks like a placeholder" if self.is_placeholder else ""
        return f"{self.origin}{doubt}"

    @property
    def is_placeholder(self) -> bool:
        """Whether it looks like a word that somebody forgot to replace (``changeme``)."""
        text = (self.value or "").lower()
        return text in _PLACEHOLDERS or bool(re.fullmatch(_FILLER, text))


def read_key(settings: Settings, env: Environment, *, dry_run: bool) -> ApiKey | None:
    """Return the key that ``settings`` name, else that of ``VLLM_API_KEY``, else ``None``.

    Raises ``ConfigError`` when the variable is not set or the command gives none.
    """
    source = next((key for key in KEY_SOURCES if key in settings), None)
    if source is None:
        value = env.variables.get("VLLM_API_KEY", "").strip()
        setting = Setting(value, Origin("environment", "VLLM_API_KEY"))
        return _usable(value, setting) if value else None
    setting = settings[source]
    match source:
        case "api_key_env":
            return _usable(_from_variable(setting, env), setting)
        case "api_key_cmd":
            if dry_run:
                return ApiKey(None, setting, "a command prints it")
            return _usable(_from_command(setting), setting)
        case "api_key_keyring":
            if dry_run:
                return ApiKey(None, setting, "the keyring has it")
            return _usable(_from_keyring(setting), setting)
        case _:
            return _usable(setting.value.strip(), setting) if setting.value.strip() else None


def _usable(value: str, setting: Setting) -> ApiKey:
    if not value.isascii() or not value.isprintable():
        raise ConfigError(f"the key from {setting.origin} has characters that no header can carry")
    return ApiKey(value, setting)


def _from_variable(setting: Setting, env: Environment) -> str:
    value = env.variables.get(setting.value, "").strip()
    if not value:
        raise ConfigError(
            f"the variable {setting.value} is not set, and the key is to come from it: "
            f"{setting.origin}",
            f"export {setting.value}=…, or give --api-key",
        )
    return value


def _from_command(setting: Setting) -> str:
    """Run the command (a text by the shell, words as they are) and return its first line."""
    import subprocess

    try:
        done = subprocess.run(
            setting.value,
            shell=isinstance(setting.value, str),
            cwd=setting.folder or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _no_key(setting, f"took more than {_COMMAND_SECONDS} seconds") from None
    except OSError as error:
        raise _no_key(setting, f"cannot be started: {error.strerror}") from None
    if done.returncode:
        raise _no_key(setting, f"failed with exit status {done.returncode}")
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    if not lines:
        raise _no_key(setting, "printed nothing")
    return lines[0].strip()


def _from_keyring(setting: Setting) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise ConfigError(
            f"api_key_keyring needs the package keyring: {setting.origin}",
            "pip install 'vllm-request[keyring]'",
        ) from None
    service, _, user = setting.value.rpartition("/")
    try:
        value = keyring.get_password(service, user)
    except KeyringError as error:
        reason = str(error) or type(error).__name__
        raise ConfigError(f"the keyring gave no key: {reason}: {setting.origin}") from None
    if not value:
        raise ConfigError(
            f"the keyring has no key for {setting.value}: {setting.origin}",
            f"keyring set {service} {user}",
        )
    return str(value).strip()


def _no_key(setting: Setting, reason: str) -> ConfigError:
    return ConfigError(f"api_key_cmd {reason}: {setting.origin}")
