"""What a network and a server can do wrong, as kinds that a user names: ``--fault KIND``."""

import math
from collections.abc import Callable, Mapping
from threading import Lock
from typing import NamedTuple

from vllmctl.errors import UsageError
from vllmctl.mock import fault_answers as answers
from vllmctl.mock import fault_bodies as bodies
from vllmctl.mock import fault_events as events
from vllmctl.mock.wire import Response
from vllmctl.nearest import nearest
from vllmctl.record import Record

Apply = Callable[[Response, str], Response]


class FaultKind(NamedTuple):
    """One kind: what it does to a response, its value when none is given, and its words."""

    apply: Apply
    default: str
    unit: str
    help: str


class FaultPlan(NamedTuple):
    """A kind with its value, and the share of the requests that it hits (0 to 1)."""

    kind: str
    value: str
    rate: float

    def apply(self, response: Response) -> Response:
        """Return what becomes of ``response``."""
        return KINDS[self.kind].apply(response, self.value)


KINDS: Mapping[str, FaultKind] = {
    "html-502": FaultKind(answers.html_502, "", "", "A proxy's page instead of an answer"),
    "429": FaultKind(answers.too_many, "1", "SECONDS", "Too many requests, with Retry-After"),
    "503": FaultKind(answers.unavailable, "1", "SECONDS", "Unavailable, with Retry-After"),
    "401-string": FaultKind(answers.unauthorized, "", "", "Unauthorized, as a plain string"),
    "redirect": FaultKind(
        answers.redirect, "http://elsewhere.invalid/", "URL", "A redirect to another host"
    ),
    "huge-line": FaultKind(events.huge_line, "1000000", "BYTES", "One very long line"),
    "duplicate-role": FaultKind(events.duplicate_role, "", "", "Every delta names the role"),
    "null-content": FaultKind(events.null_content, "", "", "Content that is null"),
    "missing-index": FaultKind(events.missing_index, "", "", "Choices and calls without index"),
    "abort": FaultKind(events.abort, "3", "EVENTS", "Aborted by the server in mid-answer"),
    "error-event": FaultKind(events.error_event, "3", "EVENTS", "An error in a stream under 200"),
    "error-then-done": FaultKind(events.error_then_done, "3", "EVENTS", "The same, then [DONE]"),
    "malformed-chunk": FaultKind(events.malformed, "3", "EVENTS", "JSON that is cut off"),
    "no-done": FaultKind(events.no_done, "", "", "The stream ends without [DONE]"),
    "keep-alive-comments": FaultKind(events.comments, "", "", "Comment lines between the events"),
    "cr": FaultKind(events.cr, "", "", "Lines end with CR"),
    "crlf": FaultKind(events.crlf, "", "", "Lines end with CR LF"),
    "gzip": FaultKind(bodies.gzipped, "", "", "Compressed, asked for or not"),
    "wrong-content-type": FaultKind(bodies.wrong_type, "", "", "A content type of something else"),
    "coalesced": FaultKind(bodies.coalesced, "", "", "The whole answer is sent at once"),
    "stall": FaultKind(bodies.stall, "3600", "SECONDS", "Nothing more in mid-answer"),
    "cut-fin": FaultKind(bodies.cut_fin, "700", "BYTES", "The connection is closed in mid-answer"),
    "cut-rst": FaultKind(bodies.cut_rst, "700", "BYTES", "The connection is reset in mid-answer"),
    "wrong-content-length": FaultKind(
        bodies.wrong_length, "100", "BYTES", "The declared length is so much too large"
    ),
    "split-bytes": FaultKind(bodies.split_bytes, "", "", "Every byte is sent on its own"),
    "slow-first-byte": FaultKind(bodies.slow_first_byte, "5", "SECONDS", "Nothing at all at first"),
    "slow-headers": FaultKind(bodies.slow_headers, "0.2", "SECONDS", "The head byte by byte"),
    "close-idle": FaultKind(bodies.close_idle, "0.05", "SECONDS", "The idle connection is closed"),
}
"""In the order in which several of them are done to one answer."""


def parse_fault(text: str) -> FaultPlan:
    """Return the plan of ``KIND``, ``KIND=VALUE``, ``KIND:RATE`` or ``KIND=VALUE:RATE``.

    Raises:
        UsageError: an unknown kind, a value or a rate that is none.
    """
    name, _, value = text.partition("=")
    rate = "1"
    if value:
        head, colon, tail = value.rpartition(":")
        if colon and _is_rate(tail):
            value, rate = head, tail
    elif ":" in name:
        name, _, rate = name.partition(":")
    return FaultPlan(_kind(name), _value(name, value), _rate(text, rate))


def _kind(name: str) -> str:
    if name not in KINDS:
        near = nearest(name, KINDS, cutoff=0.5)
        hint = f"did you mean {near}?" if near else f"kinds are {', '.join(KINDS)}"
        raise UsageError(f"no fault {name!r}", hint)
    return name


def _value(name: str, value: str) -> str:
    kind = KINDS[name]
    if value and not kind.unit:
        raise UsageError(f"the fault {name} takes no value, got {value!r}")
    value = value or kind.default
    if kind.unit not in ("", "URL"):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(f"the fault {name} wants a number ({kind.unit}), got {value!r}")
    return value


def _is_rate(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _rate(text: str, rate: str) -> float:
    if not _is_rate(rate):
        raise UsageError(f"{text}: the rate after the colon is a number from 0 to 1")
    return float(rate)


_INSTEAD = frozenset({"html-502", "429", "503", "401-string", "redirect"})
"""The kinds that come instead of the server's answer, and hide what else was done to it."""


class _Turn(Record):
    plan: FaultPlan
    seen: int = 0
    hits: int = 0

    @property
    def owes(self) -> float:
        """How many requests it should have hit by now, and has not."""
        return math.floor(self.seen * self.plan.rate) - self.hits


class FaultChooser:
    """Decides which requests a fault hits: evenly, so that a run can be repeated."""

    def __init__(self, plans: tuple[FaultPlan, ...]) -> None:
        self._turns = [_Turn(plan) for plan in plans]
        self._lock = Lock()

    def next(self) -> list[FaultPlan]:
        """Return the faults of the next request: of rate 0.5, those of every second one.

        A fault of some requests that would hide another waits for the next request.
        """
        with self._lock:
            for turn in self._turns:
                turn.seen += 1
            due = sorted((turn for turn in self._turns if turn.owes >= 1), key=_most_overdue)
            hit: list[FaultPlan] = []
            for turn in due:
                if not _hides(turn.plan, hit):
                    turn.hits += 1
                    hit.append(turn.plan)
            places = list(KINDS)
            return sorted(hit, key=lambda plan: places.index(plan.kind))


def _most_overdue(turn: _Turn) -> float:
    return turn.hits - turn.seen * turn.plan.rate


def _hides(plan: FaultPlan, hit: list[FaultPlan]) -> bool:
    """Whether ``plan`` and one that was chosen would hide each other; sure ones never wait."""
    others = [other for other in hit if other.rate < 1]
    return plan.rate < 1 and any(_INSTEAD & {plan.kind, other.kind} for other in others)
