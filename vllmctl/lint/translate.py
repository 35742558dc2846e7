"""Puts a body into the words of a release: names that were replaced, and values.

A newer name that the target does not know yet gives way to the older one. The other way
round it takes a wish: what works is left alone, unless the newer names are asked for. The
facts are the catalogue's renames; what has no name at the target is mended as a finding.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import answer_renames
from vllmctl.catalog.retired import replacement
from vllmctl.catalog.target import index
from vllmctl.rules.edits import Change, apply, get, keys_in
from vllmctl.rules.finding import Edit

_CHAT = "chat.completions"


def translate(body: Any, facts: Endpoint, *, newer: bool) -> list[Change]:
    """Translate ``body`` in place for the endpoint and release of ``facts``.

    With ``newer``, what the release has a newer name for gets that name, though the old
    one is still understood.
    """
    if not isinstance(body, dict):
        return []
    changes = [*_older_names(body, facts), *_older_values(body, facts)]
    if newer:
        changes += [*_newer_names(body, facts), *_newer_values(body, facts)]
    return [*changes, *_reasoning(body, facts, newer=newer)]


def _older_names(body: dict[str, Any], facts: Endpoint) -> Iterator[Change]:
    for fact in facts.renames:
        old, new = fact["from"], fact["to"]
        if new is None or fact["how"] == "value":
            continue
        became = replacement(facts, new)
        is_there = get(body, keys_in(body, new)) is not None
        if became is not None and became.to == old and is_there and body.get(old) is None:
            yield from apply(body, [Edit("move", new, to=old)], "")


def _newer_names(body: dict[str, Any], facts: Endpoint) -> Iterator[Change]:
    for name in list(body):
        field = facts.fields.get(name)
        became = replacement(facts, name) if field and field.deprecated_since else None
        if became is None or became.to is None or became.how not in ("move", "alias"):
            continue
        if became.to.partition(".")[0] not in facts.fields:
            continue
        if get(body, keys_in(body, became.to)) is not None:
            note = f"{became.to} is set, and counts more"
            yield from apply(body, [Edit("remove", name)], note)
        else:
            yield from apply(body, [Edit("move", name, to=became.to)], "")


def _older_values(body: dict[str, Any], facts: Endpoint) -> Iterator[Change]:
    """Values that are written in another way now: ``top_k: 0`` was ``-1`` once."""
    for fact in facts.renames:
        if fact["how"] == "value" and not _reached(facts, fact["new_since"]):
            yield from _revalued(body, _pair(fact["to"]), _pair(fact["from"]))


def _newer_values(body: dict[str, Any], facts: Endpoint) -> Iterator[Change]:
    for fact in facts.renames:
        if fact["how"] == "value" and _reached(facts, fact.get("deprecated_since")):
            yield from _revalued(body, _pair(fact["from"]), _pair(fact["to"]))


def _revalued(
    body: dict[str, Any], before: tuple[str, Any], after: tuple[str, Any]
) -> list[Change]:
    name, value = before
    if name not in body or body[name] != value or type(body[name]) is not type(value):
        return []
    edits = [] if name == after[0] else [Edit("remove", name)]
    return apply(body, [*edits, Edit("set", *after)], "")


def _pair(text: str) -> tuple[str, Any]:
    """``top_k: -1`` as a name and a value."""
    name, _, value = text.partition(": ")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _reasoning(body: dict[str, Any], facts: Endpoint, *, newer: bool) -> Iterator[Change]:
    """What an assistant thought in earlier turns, under the name of the release."""
    messages = body.get("messages")
    if facts.name != _CHAT or facts.target.engine != "vllm" or not isinstance(messages, list):
        return
    old, new, new_since = _reasoning_names()
    has_new = _reached(facts, new_since)
    if has_new and not newer:
        return
    name, other = (new, old) if has_new else (old, new)
    loss = "" if has_new else f"{facts.target} reads no reasoning of earlier turns"
    for number, message in enumerate(messages):
        if isinstance(message, Mapping) and message.get(other) is not None:
            place = f"messages[{number}]"
            if message.get(name) is None:
                done = apply(body, [Edit("move", f"{place}.{other}", to=f"{place}.{name}")], "")
                yield from (change._replace(lost=loss) for change in done)
            else:
                yield from apply(body, [Edit("remove", f"{place}.{other}")], f"{name} is set")


def _reasoning_names() -> tuple[str, str, str]:
    """The old and the new name of reasoning in messages, and the first release with the new."""
    fact = next(fact for fact in answer_renames() if "reasoning" in fact["to"])
    old, new = (fact[key].split()[0].rpartition(".")[2] for key in ("from", "to"))
    return old, new, fact["new"][0]


def _reached(facts: Endpoint, release: str | None) -> bool:
    engine = facts.target.engine
    return release is not None and index(release, engine) <= index(facts.target.release, engine)
