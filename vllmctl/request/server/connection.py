"""What a client needs to reach the server, made from the settings."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.record import Record, field, names
from vllmctl.request.origin import Origin
from vllmctl.request.server.api_key import ApiKey, read_key
from vllmctl.request.server.keys import SERVER_KEYS
from vllmctl.request.server.secret import is_secret_header, masked, masked_url, secrets_of_url
from vllmctl.request.server.settings import Setting, Settings

_TAKEN_APART = ("api_key", "headers", "origins", "notices")
_LOOPBACK = r"localhost|.+\.localhost|127(\.\d{1,3}){3}|::1"


class Connection(Record, frozen=True, hidden=("base_url", "headers", "proxy")):
    """How to reach the server. Times are in seconds; what is unset is ``None``, 0 no limit.

    ``origins`` has the source of each setting; ``notices`` what the user should know.
    """

    base_url: str | None = None
    api_key: ApiKey | None = None
    headers: dict[str, str] = field(factory=dict)
    model: str | None = None
    target: str | None = None
    connect_timeout: float | None = None
    idle_timeout: float | None = None
    timeout: float | None = None
    retries: int | None = None
    proxy: str | None = None
    insecure: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    origins: dict[str, Origin] = field(factory=dict)
    notices: list[str] = field(factory=list)


def connection(settings: Settings, env: Environment, *, dry_run: bool = False) -> Connection:
    """Return the connection that ``settings`` describe.

    A dry run starts no command, so that a key from ``api_key_cmd`` stays unknown, and what
    is not trusted is noticed only. Raises ``ConfigError`` for a setting that needs trust,
    and for a key that cannot be had.
    """
    notices: list[str] = []
    settings = _only_trusted(settings, notices, dry_run=dry_run)
    base = settings.get("base_url")
    key = _key(settings, env, notices, dry_run=dry_run)
    if key and not _may_get(base, key.setting):
        notices.append(_withheld("the key", key.origin, base))
        key = None
    headers = _headers(settings, base, notices)
    if key or any(is_secret_header(name) for name in headers):
        notices += _plain_text(base)
    plain = [name for name in names(Connection) if name not in _TAKEN_APART]
    made = Connection(
        api_key=key,
        headers=headers,
        origins={name: setting.origin for name, setting in settings.items()},
        notices=notices,
        **{name: settings[name].value for name in plain if name in settings},
    )
    for secret in _secrets(made):
        env.hide(secret, masked(secret))
    return made


def _secrets(link: Connection) -> Iterator[str]:
    """Yield what must not be shown, even if the server says it back."""
    key = link.api_key
    if key and key.value and not (key.is_placeholder and key.value.isalpha()):
        yield key.value
    for name, value in link.headers.items():
        if is_secret_header(name):
            yield from (value, value.rpartition(" ")[2])
    for url in (link.base_url, link.proxy):
        yield from secrets_of_url(url or "")


def is_loopback(url: str) -> bool:
    """Whether ``url`` is on this very machine; a URL without a scheme is taken for http."""
    if url.startswith(("unix:", "mock:")):
        return True
    try:
        host = urlsplit(url if "://" in url else f"http://{url}").hostname
    except ValueError:
        return False
    return bool(host and re.fullmatch(_LOOPBACK, host))


def _only_trusted(settings: Settings, notices: list[str], *, dry_run: bool) -> Settings:
    kept: Settings = {}
    for name, setting in settings.items():
        if setting.trusted or name.startswith("headers.") or not SERVER_KEYS[name].needs_trust:
            kept[name] = setting
            continue
        message = f"{name} is not taken from a file that is not trusted: {setting.origin}"
        hint = "read the file, then `vllmctl profiles trust` it"
        if not dry_run:
            raise ConfigError(message, hint)
        notices.append(f"{message}; {hint}")
    return kept


def _key(
    settings: Settings, env: Environment, notices: list[str], *, dry_run: bool
) -> ApiKey | None:
    try:
        return read_key(settings, env, dry_run=dry_run)
    except ConfigError as error:
        if not dry_run:
            raise
        notices.append(error.message)
        return None


def _may_get(base: Setting | None, secret: Setting) -> bool:
    """Whether ``secret`` may go to the server: a project's own choice gets no key of the user.

    Not even on this machine, where anybody may listen at a port; a mock is of this process.
    """
    if base is None or base.trusted or not secret.trusted or secret.origin.kind == "flag":
        return True
    return bool(base.value.startswith("mock:"))


def _withheld(what: str, origin: Origin, base: Setting | None) -> str:
    server = base.origin if base else "nobody"
    return (
        f"{what} ({origin}) is not sent: {server} names the server, and that file is not trusted; "
        "read it, then `vllmctl profiles trust` it"
    )


def _headers(settings: Settings, base: Setting | None, notices: list[str]) -> dict[str, str]:
    headers = {}
    for name, setting in settings.items():
        section, _, header = name.partition(".")
        if section != "headers":
            continue
        if is_secret_header(header) and not _may_get(base, setting):
            notices.append(_withheld(f"the header {header}", setting.origin, base))
        else:
            headers[header] = setting.value
    return headers


def _plain_text(base: Setting | None) -> list[str]:
    if base is None or is_loopback(base.value) or base.value.lower().startswith("https:"):
        return []
    return [f"the key goes to {masked_url(base.value)} in plain text: it is not https"]
