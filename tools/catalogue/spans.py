"""Keeps the time that something of the catalogue exists: ``since``, ``until``, ``ranges``."""

from typing import Any

Json = dict[str, Any]


def since(facts: Json) -> str:
    """Return the first release that has it."""
    first: str = facts["states"][0]["since"] if "states" in facts else facts["since"]
    return first


def keep(facts: Json, release: str) -> None:
    """Note in place that ``release`` has it; what was gone begins anew."""
    until = facts.pop("until", None)
    if until is not None:
        earlier = facts.get("ranges", [[since(facts), until]])
        facts["ranges"] = [*earlier, [release, "current"]]


def end(facts: Json, last: str) -> None:
    """Note in place that ``last`` was the last release that has it."""
    if "until" in facts:
        return
    facts["until"] = last
    if "ranges" in facts:
        facts["ranges"] = [*facts["ranges"][:-1], [facts["ranges"][-1][0], last]]
