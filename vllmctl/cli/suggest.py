"""The right flag for a wrong one."""

from collections.abc import Sequence

from vllmctl.fields.options import OptionSpec, flag_of
from vllmctl.nearest import nearest


def suggestion(typed: str, specs: Sequence[OptionSpec], command: str) -> str:
    """Return what to write in place of the unknown option ``typed``."""
    names = [name for spec in specs for name in (*spec.names, *spec.off)]
    if not typed.startswith("--"):
        return f"a prompt that starts with - goes after --: vllmctl {command} -- {typed!r}"
    foreign = _foreign(typed, names)
    if foreign:
        return foreign
    near = nearest(typed, names)
    if near:
        return f"did you mean {near}?"
    return f"vllmctl {command} --help-all lists every option; -o {_key(typed)}=… sends any field"


def _foreign(typed: str, names: list[str]) -> str:
    """Words that other tools use for what we have; the table belongs to the rules."""
    from vllmctl.rules.foreign import foreign_name

    known = foreign_name(_key(typed))
    if known is None:
        return ""
    path, note = known
    flag = flag_of(path) if path else ""
    use = f"use {flag}" if flag in names else f"use -o {path}=…" if path else ""
    return ": ".join(part for part in (use, note) if part)


def _key(typed: str) -> str:
    return typed.strip("-").replace("-", "_")
