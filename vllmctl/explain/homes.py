"""Where a name lives: the endpoints whose bodies have a place of that name."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.files import read_endpoint
from vllmctl.catalog.load import endpoint, endpoint_names
from vllmctl.catalog.target import Target, newest
from vllmctl.errors import UsageError
from vllmctl.explain.paths import Spot, plain, spots
from vllmctl.fields.sugar import BOTH, BY_COMMAND
from vllmctl.nearest import nearest

_MOST_SHOWN = 8


class Home(NamedTuple):
    """A place of an endpoint's body."""

    of: Endpoint
    spot: Spot


def find_homes(name: str, target: Target, only: str | None = None) -> list[Home]:
    """Return the places that ``name`` means, those of chat and completions first.

    ``name`` is a path, or the last part of one when chat and completions (or ``only``) have
    just one such path. What the target does not have is looked for in other releases.
    Empty when there is none.

    Raises:
        UsageError: the last part of several paths.
    """
    for at in dict.fromkeys((target, newest(target.engine), *_earlier(name, target))):
        homes = _exact(name, at, only) or _by_leaf(name, at, [only] if only else list(BOTH))
        if homes:
            return homes
    return []


def find_elsewhere(name: str, target: Target) -> list[Home]:
    """Return the places of other endpoints whose path ends in ``name``."""
    return _by_leaf(name, target, list(ordered_names(target)))


def inner_paths(name: str, target: Target) -> list[str]:
    """Return the paths inside bodies of chat and completions that end in ``name``."""
    there = [each for each in BOTH if each in endpoint_names(target)]
    paths = (home.spot.path for each in there for home in _leaves(name, each, target))
    return list(dict.fromkeys(paths))


def ordered_names(target: Target, only: str | None = None) -> Iterator[str]:
    """Yield the endpoints that ``target`` has, chat and completions first."""
    there = endpoint_names(target)
    if only:
        yield from (name for name in there if name == only)
        return
    yield from (name for name in BOTH if name in there)
    yield from (name for name in there if name not in BOTH)


def _exact(name: str, target: Target, only: str | None) -> list[Home]:
    path = plain(name)
    first = path.partition(".")[0]
    found = []
    for each in ordered_names(target, only):
        known = read_endpoint(target.engine, each)["fields"]
        is_own = target.served is not None and target.served.decides
        if is_own or first in known or f"{first}[]" in known:  # a form's lists are named so
            of = endpoint(each, target)
            if path in spots(of):
                found.append(Home(of, spots(of)[path]))
    return found


def _by_leaf(name: str, target: Target, names: list[str]) -> list[Home]:
    there = endpoint_names(target)
    found = [home for each in names if each in there for home in _leaves(name, each, target)]
    return _only_path(name, found) if found else []


def _leaves(name: str, each: str, target: Target) -> Iterator[Home]:
    of = endpoint(each, target)
    for spot in spots(of).values():
        if spot.leaf == name and "." in spot.path:
            yield Home(of, spot)


def _only_path(name: str, found: Iterable[Home]) -> list[Home]:
    found = [home for home in found if home.spot.is_here] or list(found)
    paths = list(dict.fromkeys(home.spot.path for home in found))
    if len(paths) > 1:
        more = f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""
        raise UsageError(
            f"{len(paths)} places are called {name}",
            f"say which one: {', '.join(paths[:_MOST_SHOWN])}{more}",
        )
    return found


def _earlier(name: str, target: Target) -> Iterator[Target]:
    """The last releases that had the object which ``name`` was a part of."""
    first = plain(name).partition(".")[0]
    for each in ordered_names(target):
        known = read_endpoint(target.engine, each)["fields"].get(first, {})
        if known.get("until"):
            yield Target(target.engine, known["until"])


def endpoint_name(text: str, target: Target) -> str:
    """Return the endpoint that ``text`` means: its name, path, or a command's name.

    Raises:
        UsageError: none of that name at ``target``.
    """
    from vllmctl.catalog.load import by_path

    known = endpoint_names(target)
    name = BY_COMMAND.get(text, text)
    if name in known:
        return name
    path = by_path(text, target.engine) if "/" in text else None
    if path:
        return path
    near = nearest(text, [*known, *BY_COMMAND], cutoff=0.5)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
    raise UsageError(f"{target} has no endpoint {text!r}", hint)
