"""The right flag for a wrong one."""

from collections.abc import Sequence

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.retired import replacement
from vllmctl.catalog.target import newest
from vllmctl.cli.settings import request_settings
from vllmctl.fields.options import OptionSpec, field_options, flag_of
from vllmctl.fields.sugar import BY_COMMAND, CHAT, COMPLETE, SUGAR
from vllmctl.nearest import nearest

_ELSEWHERE = {
    "cert_file": "--cert",
    "json_mode": "--json-object",
    "key_file": "--key",
    "max_time": "--timeout",
    "port": "--base-url",
    "retry": "--retries",
    "silent": "--quiet",
    "system_prompt": "--system",
}
"""What options are called in other tools; names of fields are the rules' (see ``_foreign``)."""


def suggestion(typed: str, specs: Sequence[OptionSpec], command: str) -> str:
    """Return what to write in place of the unknown option ``typed``."""
    names = [name for spec in specs for name in (*spec.names, *spec.off)]
    owner = _owner(typed)
    if owner:
        return f"{typed} belongs to `vllmctl {owner}`"
    if not typed.startswith("--") and command in BY_COMMAND:
        return f"a prompt that starts with - goes after --: vllmctl {command} -- {typed!r}"
    for known in (_elsewhere, _of_server, _foreign, _retired) if "-o" in names else ():
        hint = known(typed, names)
        if hint:
            return hint
    near = nearest(typed, names)
    if near:
        return f"did you mean {near}?"
    any_field = f"; -o {_key(typed)}=… sends any field" if "-o" in names else ""
    return f"vllmctl {command} --help-all lists every option{any_field}"


def _owner(typed: str) -> str:
    """The request command that has the option, empty for none."""
    for command, name in BY_COMMAND.items():
        settings = request_settings(chat=name == CHAT)
        for spec in (*settings, *field_options(endpoint(name, newest()))):
            if typed in (*spec.names, *spec.off, *spec.hidden, *spec.hidden_off):
                return command
    return ""


def _elsewhere(typed: str, names: list[str]) -> str:
    flag = _ELSEWHERE.get(_key(typed), "")
    return f"use {flag}" if flag in names else ""


def _of_server(typed: str, names: list[str]) -> str:
    """Keys of ``[server]``, of which a few have no flag, and what other tools call them."""
    from vllmctl.request.server.keys import FOREIGN_KEYS, SERVER_KEYS

    key = FOREIGN_KEYS.get(_key(typed), _key(typed))
    if key not in SERVER_KEYS:
        return ""
    flags = [flag for flag in (flag_of(key), flag_of(key).removesuffix("s")) if flag in names]
    return f"use {flags[0]}" if flags else f"{key} is a key of [server] in a profile"


def _foreign(typed: str, names: list[str]) -> str:
    """Words that other tools use for what we have; the table belongs to the rules."""
    from vllmctl.rules.foreign import foreign_name

    known = foreign_name(_key(typed))
    if known is None:
        return ""
    path, note = known
    return ": ".join(part for part in (_use(path, names), note) if part)


def _retired(typed: str, names: list[str]) -> str:
    """Fields that older releases had."""
    for name in (CHAT, COMPLETE):
        facts = endpoint(name, newest())
        gone = facts.absent.get(_key(typed))
        if gone is None:
            continue
        became = replacement(facts, gone.name)
        if became is None or became.to is None:
            return f"{gone.name} was in vLLM until {gone.until}; nothing takes its place"
        return f"{_use(became.to, names)}: {gone.name} was in vLLM until {gone.until}"
    return ""


def _use(path: str, names: list[str]) -> str:
    if not path:
        return ""
    short = next((row.name for row in SUGAR if path in row.paths and row.name in names), "")
    flag = short or flag_of(path)
    return f"use {flag}" if flag in names else f"use -o {path}=…"


def _key(typed: str) -> str:
    return typed.strip("-").replace("-", "_")
