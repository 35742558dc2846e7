"""The settings of the connection: profiles, then environment, then flags."""

from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.origin import Origin
from vllmctl.request.server.settings import Setting, Settings, from_text, merged, of_environment
from vllmctl.request.sources import Sources

FLAGS = {
    "base_url": "base_url",
    "timeout": "timeout",
    "connect_timeout": "connect_timeout",
    "idle_timeout": "idle_timeout",
    "retries": "retries",
    "ca_file": "ca_file",
    "cert": "cert_file",
    "key": "key_file",
    "target": "target",
}
"""Options by ``OptionSpec.dest``, and the settings that they give."""


def settings(given: Given, profiles: Settings, env: Environment, sources: Sources) -> Settings:
    """Return all settings of the connection, each with its source."""
    return merged(profiles, of_environment(env), of_flags(given, env, sources))


def of_flags(given: Given, env: Environment, sources: Sources) -> Settings:
    """Return the settings that flags give."""
    found: Settings = {}
    for dest, key in FLAGS.items():
        text = given.last(dest)
        if text is not None:
            found[key] = from_text(key, text, given.name_of(dest), env)
    if given.has("insecure"):
        found["insecure"] = Setting(True, Origin("flag", "--insecure"))
    key_text = given.last("api_key")
    if key_text is not None:
        secret = sources.resolve(key_text, "--api-key").strip()
        found["api_key"] = Setting(secret, Origin("flag", "--api-key"))
    for text in given.all("header"):
        name, value = _header(text)
        found[f"headers.{name}"] = Setting(
            value, Origin("flag", f"{given.typed.get('header', '-H')} {name}")
        )
    return found


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError("-H: expected 'Name: value'", "for example -H 'X-Data-Parallel-Rank: 0'")
    if not (name + value).isprintable():
        raise UsageError(f"-H {name.strip()!r}: a header is one line of text")
    return name.strip(), value.strip()
