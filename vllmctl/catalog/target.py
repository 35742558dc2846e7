"""A target: the engine and the release that will get the request."""

import re
from collections.abc import Iterable
from functools import cache

from vllmctl.catalog.files import read_index
from vllmctl.catalog.served import Served
from vllmctl.errors import UsageError
from vllmctl.nearest import nearest
from vllmctl.record import Record

ENGINES = ("vllm", "furiosa")
SERVER = "server"
"""Where a target is named: the server itself, whatever it runs."""

# Plain texts: an ordinary run names no version and should not pay for compiling them.
_VERSION = (
    r"(?i)v?(?P<numbers>\d{1,9}(\.\d{1,9})*)[.-]?((?P<phase>a|b|rc|post|dev)\.?(?P<serial>\d{,9}))?"
    r"(\.?dev(?P<dev>\d*))?(?P<local>\+[\w.]+)?"
)
_PHASES = {"dev": -4, "a": -3, "b": -2, "rc": -1, "post": 1}
_CLAUSE = r"(?P<operator>==|!=|<=|>=|<|>)\s*(?P<version>\S+)"

_TARGETS = "A target reads vllm==0.32.0, vllm or furiosa"

Key = tuple[tuple[int, ...], int, int, bool]


class Target(Record, frozen=True, eq=False):
    """An engine and its release; its text form is ``vllm==0.32.0``.

    ``asked`` is the version that was asked for when the facts of another release stand in
    for it (``0.32.1.dev3+gabc``, or one newer than all that are known), else ``None``.
    ``served`` are the own facts of the one server that is meant, if one is.
    """

    engine: str
    release: str
    asked: str | None = None
    served: Served | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(self._facts)

    @property
    def _facts(self) -> tuple[str, str, Served | None]:
        return self.engine, self.release, self.served

    def __str__(self) -> str:
        return f"{self.engine}=={self.release}"

    @property
    def label(self) -> str:
        """The text form, with the server that is meant, if one is."""
        return f"{self} on {self.served.url}" if self.served else str(self)

    @property
    def notice(self) -> str:
        """What the user should know: that another release stands in; else empty."""
        if self.asked is None:
            return ""
        near = "newest" if self.release == releases(self.engine)[-1] else "nearest older one"
        return f"{self.engine} {self.asked} is not known; {self} stands in for it, the {near} known"


def parse_target(text: str, origin: str = "") -> Target:
    """Return the target that ``text``, which was given by ``origin``, names.

    Accepts ``vllm==0.32.0``, ``0.32.0``, ``v0.32.0``, ``vllm`` (the newest known),
    ``vllm==0.32`` (its newest patch). Of any other version the nearest known release that
    is not newer stands in for it, as its ``notice`` tells.

    Raises:
        UsageError: an unknown engine, no version, or one older than all that are known.
    """
    try:
        return _parsed(*_split(text))
    except UsageError as fault:
        raise _told(fault, origin) from None


def _told(fault: UsageError, origin: str) -> UsageError:
    """The same fault with the place that it comes from."""
    return UsageError(f"{origin}: {fault.message}" if origin else fault.message, fault.hint)


def _parsed(engine: str, version: str) -> Target:
    if not version:
        return newest(engine)
    key = version_key(version)
    if key is None:
        raise UsageError(f"{version!r} is not a version", _range_hint(engine))
    exact = _exact(engine, version, key)
    if exact is not None:
        return Target(engine, exact)
    stands_in = closest(engine, version)
    if stands_in is None:
        nearest_known = releases(engine)[0]
        message = f"there is no {engine} {version} (nearest: {nearest_known})"
        raise UsageError(message, _range_hint(engine))
    return stands_in


def parse_targets(text: str, origin: str = "") -> tuple[Target, ...]:
    """Return every known target in a range, oldest first: ``vllm>=0.11,<0.14``.

    A short version stands for all its patches: ``<0.14`` leaves out 0.14.0, ``<=0.14``
    takes in 0.14.1, ``==0.11`` is all of 0.11. A plain target gives that one alone.

    Raises:
        UsageError: as ``parse_target``, or a range that holds no release.
    """
    engine_text = re.match(r"[A-Za-z]*", text.strip())
    engine = engine_text[0] if engine_text else ""
    rest = text.strip()[len(engine) :].strip()
    is_range = any(sign in rest for sign in "<>!,") or rest.endswith(".*")
    if not is_range and (not rest.startswith("==") or version_key(rest[2:]) is None):
        return (parse_target(text, origin),)
    try:
        known = _known_engine(engine or "vllm")
        clauses = [_parse_clause(clause, known) for clause in rest.split(",")]
        found = [r for r in releases(known) if all(_holds(r, *clause) for clause in clauses)]
        if found:
            return tuple(Target(known, release) for release in found)
        if is_range:
            raise UsageError(f"no known release is in {text!r}", _range_hint(known))
    except UsageError as fault:
        raise _told(fault, origin) from None
    return (parse_target(text, origin),)


def closest(engine: str, version: str) -> Target | None:
    """Return the newest known release that is not newer than ``version``.

    For versions that a server reports: never refuses one. ``None`` when the text is no
    version, or older than everything known.
    """
    key = version_key(version)
    if key is None:
        return None
    older = [release for release in releases(engine) if _key(release) <= key]
    if not older:
        return None
    return Target(engine, older[-1], None if older[-1] == version else version)


def newest(engine: str = "vllm") -> Target:
    """Return the newest release that is known of ``engine``."""
    return Target(engine, releases(engine)[-1])


@cache
def releases(engine: str = "vllm") -> tuple[str, ...]:
    """Return the known releases of ``engine``, oldest first.

    Raises:
        UsageError: an engine that is not known.
    """
    return tuple(read_index(_known_engine(engine))["releases"])


@cache
def _positions(engine: str) -> dict[str, int]:
    return {release: place for place, release in enumerate(releases(engine))}


def index(release: str, engine: str = "vllm") -> int:
    """Return the place of a known release in the order of releases, for comparisons."""
    return _positions(engine)[release]


def following(release: str, engine: str = "vllm") -> str | None:
    """Return the release after a known one: where what ended with ``release`` is gone."""
    known = releases(engine)
    place = index(release, engine) + 1
    return known[place] if place < len(known) else None


def version_key(version: str) -> Key | None:
    """Return a sortable key of any version text, or ``None`` when it is none."""
    match = re.fullmatch(_VERSION, version.strip())
    if match is None:
        return None
    numbers = tuple(int(number) for number in match["numbers"].split("."))
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    phase = _PHASES.get((match["phase"] or "").lower(), 0)
    return numbers, phase, int(match["serial"] or 0), match["dev"] is None


@cache
def _key(release: str) -> Key:
    key = version_key(release)
    assert key is not None, release
    return key


def _split(text: str) -> tuple[str, str]:
    if not text.strip():
        raise UsageError("the target is empty", _TARGETS)
    if text.strip() == SERVER:
        raise UsageError("a server is no release", _TARGETS)
    if re.search("[<>,!]", text):
        raise UsageError(f"{text!r} is a range", "ranges are for `vllmctl lint`")
    engine, _, version = text.strip().partition("==")
    if not version and re.match(r"v?\d", engine):
        engine, version = "vllm", engine
    return _known_engine(engine.strip() or "vllm"), version.strip()


def _known_engine(name: str) -> str:
    if name.lower() in ENGINES:
        return name.lower()
    guess = nearest(name, ENGINES, cutoff=0.5)
    hint = f"did you mean {guess}? " if guess else ""
    raise UsageError(f"unknown engine {name!r}", hint + _TARGETS)


def _exact(engine: str, version: str, key: Key) -> str | None:
    """The release itself, or the newest patch of a version with fewer than three parts."""
    same = [release for release in releases(engine) if _key(release) == key]
    short = version.lower().removeprefix("v").split("+")[0]
    if re.fullmatch(r"\d+(\.\d+)?", short):
        same += [r for r in releases(engine) if r.startswith(f"{short}.")]
    return max(same, key=_key, default=None)


def _range_hint(engine: str) -> str:
    known = releases(engine)
    return f"known releases of {engine}: {known[0]} to {known[-1]}"


def _parse_clause(text: str, engine: str) -> tuple[str, str]:
    match = re.fullmatch(_CLAUSE, text.strip())
    if match is None or version_key(match["version"].removesuffix(".*")) is None:
        raise UsageError(
            f"{text.strip()!r} is not a range of releases",
            f"write for example {engine}>=0.11,<0.14",
        )
    return match["operator"], match["version"].removesuffix(".*")


def _holds(release: str, operator: str, version: str) -> bool:
    order = _compare(release, version)
    return {
        "==": order == 0,
        "!=": order != 0,
        "<=": order <= 0,
        ">=": order >= 0,
        "<": order < 0,
        ">": order > 0,
    }[operator]


def _compare(release: str, version: str) -> int:
    """Order of a release against a version; a short version equals all that begin with it."""
    wanted = version_key(version)
    key = _key(release)
    parts = version.lower().removeprefix("v").split(".")
    if len(parts) < 3 and all(part.isdigit() for part in parts):
        return _order(_numbers(release, len(parts)), tuple(int(part) for part in parts))
    return _order(key, wanted)


def _order(left: Iterable[object], right: Iterable[object] | None) -> int:
    return (tuple(left) > tuple(right or ())) - (tuple(left) < tuple(right or ()))


def _numbers(release: str, count: int) -> tuple[int, ...]:
    parts = [int(re.match(r"\d+", part)[0]) for part in release.split(".")[:count]]  # type: ignore[index]
    return tuple(parts)
