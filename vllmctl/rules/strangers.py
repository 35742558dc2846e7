"""What an unknown name is: misspelt, removed, foreign, or at the wrong place."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import walk
from vllmctl.catalog.retired import renamed, replacement
from vllmctl.catalog.target import following, index
from vllmctl.nearest import nearest
from vllmctl.record import replace
from vllmctl.rules.case import Fault, drop, move
from vllmctl.rules.expression import is_taken
from vllmctl.rules.finding import Edit
from vllmctl.rules.foreign import AT_TOP, Foreign, fold, foreign
from vllmctl.rules.forms import converted
from vllmctl.rules.siblings import like_it, sibling_fields, sibling_with
from vllmctl.rules.words import listed

_CONTAINERS = (
    *("extra_body", "parameters", "options", "sampling_params", "generation_config"),
    *("params", "sampling_parameters", "generation_kwargs", "generate_kwargs", "model_kwargs"),
)
"""Objects whose members are meant as fields of the body."""

_PROMPT = Foreign((), form="input")
_PROMPTS = ("prompt", "input")
"""What the model is to answer: a text at one endpoint and messages at another."""

_LIKE, _VERY_LIKE = 0.75, 0.8
"""How like a name must be to one of this endpoint's, and to any other that is told about."""

_MOST_KEPT = 1000
"""Misspelt names whose right one is kept; files of requests repeat their mistakes."""

Told = tuple[str, Fault]
"""A code, and what is to be said."""

Guess = Callable[[str, Mapping[str, Any]], Told | None]


class Strangers:
    """Tells what unknown names of one endpoint are; prepared once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._near: dict[str, str | None] = {}
        self._like: dict[str, str | None] = {}
        self._guesses: tuple[Guess, ...] = (
            self._container,
            self._other_release,
            self._other_spelling,
            self._foreign,
            self._other_place,
            self._other_endpoint,
            self._known_elsewhere,
            self._nearest,
            self._like_one_elsewhere,
        )

    def told(self, name: str, body: Mapping[str, Any]) -> Told:
        """Return the first guess at what ``name`` is."""
        for guess in self._guesses:
            guessed = guess(name, body)
            if guessed is not None:
                return guessed
        return "unknown", Fault(name, f"{self._endpoint.path} has no field {name}", drop(name))

    def _container(self, name: str, body: Mapping[str, Any]) -> Told | None:
        members = body[name]
        if name not in _CONTAINERS or not isinstance(members, dict):
            return None
        fix = _lifted(name, members, body)
        known = foreign(name)
        what = known.note if known else f"no field: {AT_TOP}"
        return "wrapped", Fault(name, f"{name} is {what}", (*fix, *drop(name)))

    def _other_release(self, name: str, body: Mapping[str, Any]) -> Told | None:
        field = self._endpoint.absent.get(name)
        became = replacement(self._endpoint, name)
        parts = self._parts_elsewhere(name, body)
        if parts:
            return self._story(name)[0], self._apart(name, parts, body)
        if field is None and became is None:
            return None
        code, story = self._story(name)
        if became is None:
            return code, Fault(name, story, drop(name))
        note = f" ({became.note.rstrip('.')})" if became.note else ""
        if became.to is None:
            return code, Fault(name, f"{story}, and nothing takes its place{note}", drop(name))
        message = f"{story}: use {became.to}{note}"
        return code, Fault(name, message, self._moved(name, became.to, body))

    def _parts_elsewhere(self, name: str, body: Mapping[str, Any]) -> dict[str, str]:
        """Where the parts of an object that this release does not have yet are said."""
        members = body[name] if isinstance(body[name], dict) else {}
        found = {path: replacement(self._endpoint, path) for path in _paths(name, members)}
        return {path: became.to for path, became in found.items() if became and became.to}

    def _apart(self, name: str, parts: Mapping[str, str], body: Mapping[str, Any]) -> Fault:
        moves = [
            Edit("remove", path) if is_taken(body, to) else Edit("move", path, to=to)
            for path, to in parts.items()
        ]
        message = f"{self._story(name)[1]}: use {listed(parts.values())}"
        return Fault(name, message, (*moves, *drop(name)))

    def _story(self, name: str) -> tuple[str, str]:
        """Whether a field is gone or not there yet, as a code and in words."""
        target, field = self._endpoint.target, self._endpoint.absent.get(name)
        now = index(target.release, target.engine)
        if field is not None and index(field.since, target.engine) > now:
            return "not_yet", f"{name} came with {field.since}, {target} does not have it yet"
        if field is None or field.until is None:
            return "not_here", f"{target} does not have {name}"
        gone = following(field.until, target.engine)
        return "removed", f"{name} was removed in {gone}"

    def _other_spelling(self, name: str, body: Mapping[str, Any]) -> Told | None:
        same = self._folded.get(fold(name))
        if same is None:
            return None
        message = f"{name} is written {same} here"
        return "spelling", Fault(name, message, self._moved(name, same, body))

    def _foreign(self, name: str, body: Mapping[str, Any]) -> Told | None:
        known = foreign(name)
        if known is None:
            return None
        path = next((path for path in known.paths if self._has(path)), "")
        note = f": {known.note}" if known.note else ""
        if not path:
            message = self._nowhere_here(name, known) or f"{name} is no field of vLLM's{note}"
            return "foreign", Fault(name, message, drop(name))
        message = f"{name} is called {path} here" + (f" ({known.note})" if known.note else "")
        return "foreign", Fault(name, message, self._converted(name, path, known, body))

    def _nowhere_here(self, name: str, known: Foreign) -> str:
        """Where else a foreign name has a meaning, if it has any."""
        for path in known.paths:
            sibling = sibling_with(path.partition(".")[0], self._endpoint)
            if sibling is not None:
                return (
                    f"{name} is called {path} on {sibling}; {self._endpoint.path} has no such field"
                )
        return ""

    def _converted(
        self, name: str, path: str, known: Foreign, body: Mapping[str, Any]
    ) -> tuple[Edit, ...] | None:
        if not known.form:
            return self._moved(name, path, body)
        values = converted(known.form, body[name], self._endpoint)
        if values is None:
            return None
        sets = [
            Edit("set", path, value)
            for path, value in values.items()
            if not is_taken(body, path) and self._has(path)
        ]
        return (*sets, *drop(name))

    def _other_place(self, name: str, body: Mapping[str, Any]) -> Told | None:
        places = self._leaves.get(name)
        if not places:
            return None
        message = f"{name} is a part of {listed((p.rpartition('.')[0] for p in places), 'or')}"
        fix = self._moved(name, places[0], body) if len(places) == 1 else None
        return "misplaced", Fault(name, message, fix)

    def _other_endpoint(self, name: str, body: Mapping[str, Any]) -> Told | None:
        sibling = sibling_with(name, self._endpoint)
        if sibling is None:
            return None
        here = like_it(name, self._endpoint)
        message = f"{name} is a field of {sibling}, not of {self._endpoint.path}"
        if here is None:
            return "other_endpoint", Fault(name, message, drop(name))
        fix = self._converted(name, here, _PROMPT, body) if name in _PROMPTS else None
        fix = fix or self._moved(name, here, body)
        return "other_endpoint", Fault(name, f"{message}: use {here}", fix)

    def _known_elsewhere(self, name: str, body: Mapping[str, Any]) -> Told | None:
        """A name that is told about, in another spelling: ``guidedJson``."""
        return self._as(self._told_about.get(fold(name)), name, body)

    def _like_one_elsewhere(self, name: str, body: Mapping[str, Any]) -> Told | None:
        """A misspelt name of something that is no field here: ``guided_jsonn``."""
        near = self._kept(self._like, name, self._told_about.values(), _VERY_LIKE)
        return self._as(near, name, body)

    def _as(self, meant: str | None, name: str, body: Mapping[str, Any]) -> Told | None:
        """What is told of the name that was ``meant``, with the mend of the one that was sent."""
        if meant is None or meant == name or meant in body:
            return None
        code, fault = self.told(meant, {meant if key == name else key: body[key] for key in body})
        if code == "unknown":
            return None
        fix = fault.fix and tuple(_from(edit, meant, name) for edit in fault.fix)
        return code, Fault(name, f"{name} looks like {meant}: {fault.message}", fix)

    def _nearest(self, name: str, body: Mapping[str, Any]) -> Told | None:
        near = self._kept(self._near, name, self._endpoint.fields, _LIKE)
        if near is None:
            return None
        message = f"{self._endpoint.path} has no field {name}: did you mean {near}?"
        return "misspelt", Fault(name, message.rstrip("?"), self._moved(name, near, body))

    def _kept(
        self, kept: dict[str, str | None], name: str, names: Iterable[str], cutoff: float
    ) -> str | None:
        """The nearest of ``names``, looked for once."""
        if name in kept:
            return kept[name]
        near = nearest(name, names, cutoff=cutoff)
        if len(kept) < _MOST_KEPT:
            kept[name] = near
        return near

    def _moved(self, name: str, to: str, body: Mapping[str, Any]) -> tuple[Edit, ...]:
        """Move a value, or drop it when its right place is taken."""
        return drop(name) if is_taken(body, to) or body[name] is None else move(name, to)

    def _has(self, path: str) -> bool:
        return path.partition(".")[0] in self._endpoint.fields

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return {fold(name): name for name in self._endpoint.fields}

    @cached_property
    def _told_about(self) -> Mapping[str, str]:
        """What is no field here and yet told about, by its name without habits of spelling."""
        from vllmctl.rules.template import SWITCHES

        of = self._endpoint
        fields = (*sibling_fields(of), *self._leaves, *of.absent, *renamed(of))
        switches = (name for name in SWITCHES if "_" in name)  # plain words mean many things
        names = (*fields, *_CONTAINERS, *switches)
        return {fold(name): name for name in names if name not in of.fields}

    @cached_property
    def _leaves(self) -> Mapping[str, list[str]]:
        """Where the parts of nested objects are, by their name."""
        leaves: dict[str, list[str]] = {}
        for path, _ in walk(self._endpoint):
            if "." in path:
                leaves.setdefault(path.rpartition(".")[2], []).append(path)
        return leaves


def _lifted(path: str, members: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[Edit]:
    """Lift members to the top: what is there already counts, and objects become one."""
    for member, value in members.items():
        place = f"{path}.{member}"
        there = body.get(member)
        if member in _CONTAINERS and isinstance(value, dict):
            yield from _lifted(place, value, body)
        elif isinstance(value, dict) and isinstance(there, dict):
            yield from (
                Edit("move", f"{place}.{name}", to=f"{member}.{name}")
                for name in value
                if name not in there
            )
        else:
            taken = member in body
            yield Edit("remove", place) if taken else Edit("move", place, to=member)


def _from(edit: Edit, meant: str, name: str) -> Edit:
    """The edit of what was sent as ``name``."""
    path = edit.path
    if path != meant and not path.startswith(f"{meant}."):
        return edit
    return replace(edit, path=f"{name}{path.removeprefix(meant)}")


def _paths(name: str, members: Mapping[str, Any]) -> list[str]:
    return [f"{name}.{member}" for member in members]
