"""What a user can ask of the mock server."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from vllmctl.catalog.target import Target, newest, parse_target
from vllmctl.errors import UsageError
from vllmctl.mock.faults import FaultPlan, parse_fault
from vllmctl.record import Record, field
from vllmctl.request.file_paths import is_folder

DEFAULT_REASONING = "The user wrote to a mock, so the mock thinks of an answer."

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}


class MockOptions(Record, frozen=True, hidden=("api_key",)):
    """Settings of a mock server; all have a default.

    ``reply`` is the answer's text, ``echo``, ``lorem``, or ``None`` for one that says what it
    is; ``reasoning`` the thinking, empty for a model that does not think. ``ttft`` is the time
    to the first token in seconds, ``tps`` the tokens a second afterwards (``None``: at once),
    ``jitter`` how much either may differ (0 to 1). The first of ``models`` is the model's name
    in answers. ``record`` is a folder of recorded exchanges to serve. ``seed`` decides what
    chance decides elsewhere; ``None`` leaves it to chance.
    """

    reply: str | None = None
    reasoning: str = DEFAULT_REASONING
    ttft: float = 0.0
    tps: float | None = None
    jitter: float = 0.0
    api_key: str | None = None
    models: tuple[str, ...] = ("mock",)
    target: Target = field(factory=newest)
    max_model_len: int = 32768
    record: Path | None = None
    faults: tuple[FaultPlan, ...] = ()
    seed: int | None = None

    @property
    def thinks(self) -> bool:
        """Whether the model reasons before it answers."""
        return bool(self.reasoning)


def read_options(
    settings: Mapping[str, str | Sequence[str]], named: Callable[[str], str] = str
) -> MockOptions:
    """Return the options that texts name: ``{"ttft": "200ms", "fault": ["stall"]}``.

    Names are those of ``vllmctl mock``'s flags, with ``-`` or ``_``; ``named`` makes of one what
    a person wrote.

    Raises:
        UsageError: an unknown name, or a value that is none.
    """
    read: dict[str, Any] = {}
    for name, text in settings.items():
        key = name.replace("-", "_")
        if key not in _READERS:
            raise UsageError(f"the mock has no option {name!r}", f"it has {', '.join(_READERS)}")
        attribute, reader = _READERS[key]
        try:
            read[attribute] = reader([text] if isinstance(text, str) else list(text))
        except UsageError as fault:
            raise UsageError(f"{named(name)}: {fault.message}", fault.hint) from None
    return MockOptions(**read)


def options_of_url(url: str) -> MockOptions:
    """Return the options in the query of ``mock:?reply=echo&fault=stall``.

    Raises:
        UsageError: as ``read_options``.
    """
    _, _, query = url.partition("?")
    return read_options(parse_qs(query, keep_blank_values=True), lambda name: f"mock:?{name}=…")


def seconds(text: str) -> float:
    """Return the seconds of ``200ms``, ``1.5s``, ``2m`` or ``3``."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|)", text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a time", "write 200ms, 1.5s or 2m")
    return float(match[1]) * _UNITS[match[2]]


def _number(text: str, low: float, high: float | None) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not (number >= low and (high is None or number <= high)):
        span = f"{low:g} to {high:g}" if high is not None else f"{low:g} or more"
        raise UsageError(f"expected a number, {span}; got {text!r}")
    return number


def _tps(text: str) -> float | None:
    number = _number(text, 0, None)
    return number or None


def _text(text: str) -> str:
    """A text, or a file's content when it starts with ``@``."""
    if text.startswith("\\@"):
        return text[1:]
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as fault:  # the last for ~nobody
        reason = getattr(fault, "strerror", None) or fault
        raise UsageError(f"cannot read {text[1:]}: {reason}") from None


def _folder(text: str) -> Path:
    folder = Path(text) if text.startswith("~") and text[1:2] != "/" else Path(text).expanduser()
    if not is_folder(folder):
        raise UsageError(f"{text} is not a folder of recorded exchanges")
    return folder


_READERS: Mapping[str, tuple[str, Any]] = {
    "reply": ("reply", lambda texts: _text(texts[-1])),
    "reasoning": ("reasoning", lambda texts: _text(texts[-1])),
    "ttft": ("ttft", lambda texts: seconds(texts[-1])),
    "tps": ("tps", lambda texts: _tps(texts[-1])),
    "jitter": ("jitter", lambda texts: _number(texts[-1], 0, 1)),
    "api_key": ("api_key", lambda texts: texts[-1]),
    "model": ("models", tuple),
    "target": ("target", lambda texts: parse_target(texts[-1])),
    "max_model_len": ("max_model_len", lambda texts: int(_number(texts[-1], 1, None))),
    "record": ("record", lambda texts: _folder(texts[-1])),
    "fault": ("faults", lambda texts: tuple(map(parse_fault, texts))),
    "seed": ("seed", lambda texts: int(_number(texts[-1], 0, None))),
}
