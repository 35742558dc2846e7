"""An explanation as titled sections; the page that they go on is laid out elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vllmctl.explain.example import command_of
from vllmctl.explain.explanation import Explanation, Kind, Place, Ruling
from vllmctl.explain.wording import joined
from vllmctl.record import Record

SAYS = {"reject": "refused", "ignore": "ignored", "normalize": "changed", "server": "server"}
"""What a rule of each kind does to a request, in a word."""

_MOST_OTHERS = 6


class Section(Record, frozen=True):
    """A title, paragraphs, rows of a label and a text, and lines to be copied as they are.

    ``wide`` sections have long labels.
    """

    title: str
    paragraphs: Sequence[str] = ()
    rows: Sequence[tuple[str, str]] = ()
    lines: Sequence[str] = ()
    wide: bool = False


class TableRow(NamedTuple):
    """One row of a table: the cells, and words that may stand below them."""

    cells: tuple[str, str, str, str]
    below: str = ""


def sections(found: Explanation) -> Iterator[Section]:
    """Yield the sections of an explanation, the one that matters most first."""
    title = f"{found.name} ({found.kind}, {found.target.label})"
    yield Section(title, [found.verdict, *found.meaning, *found.notes])
    yield Section("Facts", rows=list(_facts(found)))
    if found.kind is not Kind.RULE:
        yield Section("Rules", rows=[row for rule in found.rules for row in _rule_rows(rule)])
    yield Section("Where documents disagree with the server", found.disagreements)
    yield Section("History", rows=[(event.release, event.text) for event in found.history])
    yield Section("Example", lines=[found.example] if found.example else [])


def _facts(found: Explanation) -> Iterator[tuple[str, str]]:
    if found.instead:
        yield "Use instead", found.instead
    shown = _main(found.places)
    yield from _by_endpoint("Type", shown, lambda place: place.type)
    yield from _by_endpoint("Limits", shown, lambda place: ", ".join(place.limits))
    if found.decided_by and len({place.default for place in shown}) == 1:
        yield from _chain(found.decided_by)
    elif found.kind not in (Kind.REMOVED, Kind.LATER):
        yield from _by_endpoint("Default", shown, lambda place: place.default)
    if found.places and found.places[0].where != "engine":
        yield "Endpoints", _endpoints(found.places)
    if found.kind is Kind.RULE:
        yield from _of_rule(found.rules[0])
    yield from _labels(found)


def _labels(found: Explanation) -> Iterator[tuple[str, str]]:
    if found.flag:
        yield "Flag", found.flag
    if found.profile:
        yield "Profile", found.profile
    if found.related:
        yield "Related", ", ".join(found.related)


def _of_rule(ruling: Ruling) -> Iterator[tuple[str, str]]:
    yield "Kind", ruling.fact.kind
    yield "Endpoints", ", ".join(ruling.endpoints)
    yield "Releases", span(ruling.fact.since, ruling.fact.until)


def span(since: str, until: str | None) -> str:
    """Return releases in words: ``since 0.11.0``, ``0.3.3 to 0.11.2``; rules may have none."""
    if not since:
        return "vllmctl's own check"
    return f"{since} to {until}" if until else f"since {since}"


def _main(places: Sequence[Place]) -> Sequence[Place]:
    """The places of chat and completions, or all where those have none."""
    here = [place for place in places if place.is_here] or places
    return [place for place in here if command_of(place.endpoint)] or here


def _by_endpoint(
    label: str, places: Sequence[Place], text: Callable[[Place], str]
) -> Iterator[tuple[str, str]]:
    """A row, or one an endpoint where they differ."""
    groups: dict[str, list[str]] = {}
    for place in places:
        groups.setdefault(text(place), []).append(place.endpoint)
    if len(groups) == 1 and "" not in groups:
        yield label, next(iter(groups))
        return
    for words, names in groups.items():
        if words:
            yield label, f"{words} ({joined(names[:_MOST_OTHERS], 'and')})"


def _chain(parties: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Who decides on the value, one after the other."""
    for place, party in enumerate(parties):
        yield "" if place else "Decided by", f"{place + 1}. {party}"


def _endpoints(places: Sequence[Place]) -> str:
    shown = [place for place in places if command_of(place.endpoint)] or list(places[:2])
    texts = [f"{place.endpoint} {span(place.since, place.until)}" for place in shown if place.since]
    texts = texts or [place.endpoint for place in shown]
    others = [place.endpoint for place in places if place not in shown]
    more = f" and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
    also = [f"also {', '.join(others[:_MOST_OTHERS])}{more}"] if others else []
    return "; ".join([*texts, *also])


def _rule_rows(ruling: Ruling) -> Iterator[tuple[str, str]]:
    fact = ruling.fact
    where = f" ({ruling.endpoints[0]})" if len(ruling.endpoints) == 1 else ""
    yield SAYS[fact.kind], f"{fact.text}{where} [{fact.id}, {span(fact.since, fact.until)}]"
