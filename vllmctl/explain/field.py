"""The explanation of a field: of the body, of an object in it, removed or not yet there."""

from collections.abc import Sequence

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.load import endpoint, endpoint_names
from vllmctl.catalog.retired import Replacement, replacement
from vllmctl.catalog.target import Target, index
from vllmctl.explain.defaults import deciders, default_text
from vllmctl.explain.example import command_of, example, option_of
from vllmctl.explain.explanation import Explanation, Kind, Place
from vllmctl.explain.history import history
from vllmctl.explain.homes import Home
from vllmctl.explain.prose import Prose, prose
from vllmctl.explain.related import related, rulings
from vllmctl.explain.wording import joined, limits, type_text
from vllmctl.fields.faces import faces

_EFFECTS = {
    "ignored": "it is taken and has no effect",
    "render endpoints only": "it is taken and has no effect; only render endpoints read it",
    "echoed": "it is taken and only given back in the answer",
    "refused": "a request with it is refused",
    "gpt-oss and Solar Open only": "it counts for gpt-oss and Solar Open models only",
}


def explain_field(homes: Sequence[Home], target: Target) -> Explanation:
    """Return what is known of the place that ``homes`` are; ``target`` gets the request."""
    homes = [_at(home, target) for home in homes]
    here = _here(homes)
    first = (here or homes)[0]
    path = first.spot.path
    main = _main(here or homes)
    words = prose(path, target.engine)
    kind = _kind(first, target)
    rules = rulings(path, main)
    became = replacement(first.of, path) if not here else None
    found = Explanation(path, kind, target, _verdict(here, first, target), _is_taken(here))
    found.meaning = _meaning(path, first.spot.field, words)
    found.places = [_place(home, words) for home in homes]
    found.decided_by = _decided_by(first, words) if here else []
    found.rules = rules
    found.history = history(path, [(home.of, home.spot.field) for home in _main(homes)])
    found.related = related(path, first.of, rules)
    found.disagreements = words.disagreements
    found.instead = (became.to or "") if became else "" if here else words.instead
    found.notes = [*_notes(first, became), *_still_there(homes, here)]
    _add_command_line(found, first, words)
    return found


def not_on(endpoint_name: str, found: Explanation) -> Explanation:
    """Return ``found`` as it is for an endpoint that has no such field."""
    found.sendable = False
    of = endpoint(endpoint_name, found.target)
    found.verdict = f"Not a field of {endpoint_name}. {_consequence(of)} {found.verdict}"
    return found


def _is_taken(here: Sequence[Home]) -> bool:
    return any(home.spot.field.effect != "refused" for home in here)


def _main(homes: Sequence[Home]) -> list[Home]:
    """The places of chat and completions, or all where those have none."""
    return [home for home in homes if command_of(home.of.name)] or list(homes)


def _here(homes: Sequence[Home]) -> list[Home]:
    """The places that the release has; none when chat and completions lost theirs."""
    if not any(home.spot.is_here for home in _main(homes)):
        return []
    return [home for home in homes if home.spot.is_here]


def _still_there(homes: Sequence[Home], here: Sequence[Home]) -> list[str]:
    others = [home for home in homes if home.spot.is_here and home not in here]
    idle = " without effect" if others and all(home.spot.field.effect for home in others) else ""
    names = joined([home.of.name for home in others], "and")
    return [f"It is still a field of {names}{',' if idle else ''}{idle}."] if others else []


def _at(home: Home, target: Target) -> Home:
    """A place found in another release is not here, whatever that release says."""
    if home.of.target == target:
        return home
    return Home(_endpoint_at(home.of, target), home.spot._replace(is_here=False))


def _endpoint_at(of: Endpoint, target: Target) -> Endpoint:
    if of.target.engine != target.engine or of.name not in endpoint_names(target):
        return of
    return endpoint(of.name, target)


def _kind(home: Home, target: Target) -> Kind:
    if home.spot.is_here:
        return Kind.FIELD
    return Kind.LATER if _is_later(home.spot.field, target) else Kind.REMOVED


def _is_later(field: Field, target: Target) -> bool:
    return bool(field.since) and index(field.since, target.engine) > index(
        target.release, target.engine
    )


def _meaning(path: str, field: Field, words: Prose) -> list[str]:
    line = field.description
    face = faces().get(path)
    if not line and face:
        line = f"{face.help}."
    return [text for text in (line, *words.meaning) if text]


def _place(home: Home, words: Prose) -> Place:
    field = home.spot.field
    default = words.default.get(home.of.name, words.default.get("", ""))
    return Place(
        endpoint=home.of.name,
        url=home.of.path,
        is_here=home.spot.is_here,
        since=field.since,
        until=field.until,
        type=type_text(field.schema),
        limits=tuple(limits(field.schema)),
        default=default_text(field, home.of.target, default),
        required=field.required,
        schema=field.schema,
        deprecated_since=field.deprecated_since,
        effect=field.effect,
        where=field.place,
    )


def _decided_by(home: Home, words: Prose) -> list[str]:
    if "." in home.spot.path:
        return []
    default = words.default.get(home.of.name, words.default.get("", ""))
    return list(deciders(home.spot.field, home.of.target, default))


def _verdict(here: Sequence[Home], first: Home, target: Target) -> str:
    field = first.spot.field
    if here:
        return _can_be_sent(here)
    if _is_later(field, target):
        return f"Not in {target}: it came with {field.since}. {_consequence(first.of)}"
    if field.until:
        return f"Removed: {field.until} was the last release with it. {_consequence(first.of)}"
    return f"Not in {target}. {_consequence(first.of)}"


def _can_be_sent(here: Sequence[Home]) -> str:
    """Where it counts, and where it is taken for nothing; chat and completions first."""
    old = ", but deprecated" if here[0].spot.field.deprecated_since else ""
    effects = list(dict.fromkeys(home.spot.field.effect for home in here))
    sentences = []
    for effect in effects:
        places = _places([home for home in here if home.spot.field.effect == effect])
        if effect is None:
            sentences.append(f"Can be sent to {places}{old}.")
        else:
            sentences.append(f"On {places} {_EFFECTS.get(effect, f'it is {effect}')}.")
    return " ".join(sentences)


def _places(here: Sequence[Home]) -> str:
    """The endpoints in words: chat and completions, or the first few; the others by number."""
    main = [home.of.name for home in here if command_of(home.of.name)]
    named = main or [home.of.name for home in here[:3]]
    others = len(here) - len(named)
    more = [f"{others} other endpoint{'s' if others > 1 else ''}"] if others else []
    return joined([*named, *more], "and")


def _consequence(of: Endpoint) -> str:
    if of.unknown == "refused":
        return "The server refuses a request with it."
    return "The server answers 200 and ignores it."


def _notes(first: Home, became: Replacement | None) -> list[str]:
    notes = []
    if became:
        gone = f"Use {became.to}" if became.to else "Nothing replaced it"
        notes.append(f"{gone}.{f' {became.note}' if became.note else ''}")
    for header in first.of.headers:
        if header.get("stands_for") == first.spot.path:
            notes.append(f"The header {header['name']} stands for it.")
    return notes


def _add_command_line(found: Explanation, first: Home, words: Prose) -> None:
    option = option_of(first.of, first.spot.path)
    if option is None:
        return
    found.flag = option.names[0]
    found.example = example(first.of, first.spot.path, first.spot.field, words.example)
    found.profile = _profile_key(found)


def _profile_key(found: Explanation) -> str:
    commands = {"chat.completions": "chat", "completions": "complete"}
    sections = [commands[p.endpoint] for p in found.places if p.endpoint in commands and p.is_here]
    types = {place.type for place in found.places if place.endpoint in commands and place.is_here}
    if not sections:
        return ""
    shared = len(sections) > 1 and len(types) == 1
    names = ["request"] if shared else sections
    return " and ".join(f"[{name}] {found.name}" for name in names)
