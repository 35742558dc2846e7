"""Mends a body step by step, until nothing that is found has a mend any more."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from vllmctl.rules.edits import Change, apply
from vllmctl.rules.finding import Finding

_MOST_STEPS = 300

Find = Callable[[Any], list[Finding]]


class Mended(NamedTuple):
    """What is still to be said of the body, and what was changed."""

    findings: list[Finding]
    changes: list[Change]


def mend(body: Any, find: Find) -> Mended:
    """Mend ``body`` in place by what ``find`` finds.

    One finding at a time, because a mend moves what the next finding speaks of. A mend that
    changes nothing, or leads back to a state that has been, is left undone.
    """
    changes: list[Change] = []
    seen = {_state(body)}
    given_up: set[tuple[str, str]] = set()
    findings = find(body)
    for _ in range(_MOST_STEPS):
        finding = next((f for f in findings if f.fix and _name(f) not in given_up), None)
        if finding is None:
            break
        done = apply(body, finding.fix or (), finding.message)
        state = _state(body)
        if not done or state in seen:
            given_up.add(_name(finding))
        seen.add(state)
        changes += done
        findings = find(body)
    return Mended(findings, changes)


def _name(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.path


def _state(body: Any) -> int:
    return hash(json.dumps(body))
