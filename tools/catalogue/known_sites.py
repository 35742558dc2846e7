"""Remembers the refusals that were looked at and need no rule: ``known_sites.json``.

They are kept by file and function, each as a fingerprint of what it says.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from tools.catalogue.raise_sites import Site

KNOWN_SITES = Path(__file__).with_name("known_sites.json")


def unknown_sites(sites: Iterable[Site]) -> list[Site]:
    """Return the refusals that nobody has looked at yet."""
    known = json.loads(KNOWN_SITES.read_text(encoding="utf-8"))
    return [site for site in sites if _fingerprint(site) not in known.get(site.home, ())]


def settle(sites: Iterable[Site]) -> None:
    """Remember these refusals, and no others."""
    homes: dict[str, set[str]] = {}
    for site in sites:
        homes.setdefault(site.home, set()).add(_fingerprint(site))
    lines = [f" {json.dumps(home)}: {json.dumps(sorted(homes[home]))}" for home in sorted(homes)]
    KNOWN_SITES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _fingerprint(site: Site) -> str:
    return hashlib.sha256(f"{site.error} {site.message}".encode()).hexdigest()[:10]
