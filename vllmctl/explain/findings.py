"""The codes of lint that are no rules of the server, read from ``findings.toml``."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("findings.toml")


@cache
def findings() -> Mapping[str, str]:
    """Return what each code means; ``type.*`` stands for a family."""
    codes: dict[str, str] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["codes"]
    return codes


def finding(code: str) -> str:
    """Return what ``code`` means, or an empty text."""
    return findings().get(code) or findings().get(f"{code.partition('.')[0]}.*", "")
