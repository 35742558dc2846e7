"""What belongs to the engine's own parameter classes, not to a request."""

from collections.abc import Iterator

from vllmctl.catalog.facts import Endpoint, Field, Model
from vllmctl.catalog.files import read_engine
from vllmctl.catalog.load import endpoint, endpoint_names, engine_models
from vllmctl.catalog.target import Target, newest
from vllmctl.explain.explanation import Event, Explanation, Kind, Place
from vllmctl.explain.history import change_text
from vllmctl.explain.homes import ordered_names
from vllmctl.explain.paths import spots
from vllmctl.explain.prose import prose
from vllmctl.explain.wording import joined, limits, type_text, value_text
from vllmctl.fields.sugar import BOTH

_FIRST = "SamplingParams"


def explain_member(name: str, target: Target) -> Explanation | None:
    """Return what is known of a member of the engine's classes; ``None`` for none."""
    found = _member(name, target)
    if found is None:
        return None
    owner, field, is_here = found
    words = prose(name, target.engine)
    raw = _taken_raw(owner, name, target)
    answer = Explanation(
        name, Kind.ENGINE, target, _verdict(owner, field, is_here, raw), sendable=False
    )
    answer.meaning = [text for text in (field.description, words.unsent, *words.meaning) if text]
    answer.places = [_place(owner, field, is_here)]
    answer.instead = words.instead or _renamed(name, target)
    answer.history = _history(field)
    answer.disagreements = words.disagreements
    if _is_internal(owner, name, target):
        answer.notes.append("The engine sets it by itself; it is no input.")
    return answer


def explain_class(name: str, target: Target) -> Explanation | None:
    """Return what is known of a class: of the engine, or of an object in a body."""
    model = _models(target).get(name) or _models(newest(target.engine)).get(name)
    if model is None:
        return None
    homes = list(_paths_with(name, target))
    verdict = f"A class, no field. In a body, {joined(homes, 'and')} holds such an object."
    if not homes:
        verdict = "A class of the engine, for programs that run it in their own process."
    found = Explanation(name, Kind.CLASS, target, verdict, sendable=bool(homes))
    found.meaning = [model.description] if model.description else []
    found.meaning += prose(name, target.engine).meaning
    found.related = [*homes, *model.fields]
    found.notes = _members_that_stay(model, target)
    return found


def explain_written(name: str, target: Target) -> Explanation | None:
    """Return what was written by hand on a name that the catalogue does not have."""
    words = prose(name, target.engine)
    if not (words.unsent or words.sent):
        return None
    verdict = f"Can be sent. {words.sent}" if words.sent else f"Cannot be sent. {words.unsent}"
    kind = Kind.FIELD if words.sent else Kind.ENGINE
    found = Explanation(name, kind, target, verdict, sendable=bool(words.sent))
    found.meaning = words.meaning
    found.instead = words.instead
    found.disagreements = words.disagreements
    return found


def _member(name: str, target: Target) -> tuple[Model, Field, bool] | None:
    """The member, its class and whether the release has it; sampling comes first."""
    for at in (target, newest(target.engine)):
        models = engine_models(at)
        for model in sorted(models.values(), key=lambda model: model.name != _FIRST):
            if name in model.fields:
                return model, model.fields[name], at == target
            if name in model.absent:
                return model, model.absent[name], False
    return None


def _verdict(owner: Model, field: Field, is_here: bool, raw: str) -> str:
    text = f"Cannot be sent: a member of {owner.name}, for programs that run the engine themselves."
    if raw:
        text = f"Cannot be sent to chat.completions or completions; only {raw}."
    if not is_here:
        text += f" {_span(field)}"
    return text


def _span(field: Field) -> str:
    return f"It was there from {field.since} to {field.until or 'now'}."


def _taken_raw(owner: Model, name: str, target: Target) -> str:
    """The endpoint that takes the engine's object as it is, in words."""
    path = f"sampling_params.{name}"
    if owner.name != _FIRST or "generate" not in endpoint_names(target):
        return ""
    of = endpoint("generate", target)
    spot = spots(of).get(path)
    return f"{of.path} takes it, as {path}" if spot and spot.is_here else ""


def _place(owner: Model, field: Field, is_here: bool) -> Place:
    return Place(
        endpoint=owner.name,
        url="",
        is_here=is_here,
        since=field.since,
        until=field.until,
        type=type_text(field.schema),
        limits=tuple(limits(field.schema)),
        default="none: it must be given" if field.required else value_text(field.default),
        required=field.required,
        schema=field.schema,
        where="engine",
    )


def _history(field: Field) -> list[Event]:
    events = [Event(field.since, "first release with it")]
    events += [Event(change["at"], change_text(change)) for change in field.changes]
    return [*events, *([Event(field.until, "last release with it")] if field.until else [])]


def _renamed(name: str, target: Target) -> str:
    """What the member is called now, as the catalogue has it."""
    if "generate" not in endpoint_names(newest(target.engine)):
        return ""
    of = endpoint("generate", newest(target.engine))
    for fact in of.renames:
        if fact["from"] == f"{_FIRST}.{name}" and fact["to"]:
            return str(fact["to"]).removeprefix(f"{_FIRST}.")
    return ""


def _is_internal(owner: Model, name: str, target: Target) -> bool:
    known = read_engine(target.engine)["models"][owner.name]["fields"][name]
    return bool(known.get("internal"))


def _models(target: Target) -> dict[str, Model]:
    there = (endpoint(name, target) for name in BOTH if name in endpoint_names(target))
    return {**{n: m for of in there for n, m in of.models.items()}, **engine_models(target)}


def _paths_with(name: str, target: Target) -> Iterator[str]:
    seen = set()
    for each in list(ordered_names(target))[: len(BOTH)]:
        for spot in spots(endpoint(each, target)).values():
            if spot.is_here and f"/{name}'" in str(spot.field.schema) and spot.path not in seen:
                seen.add(spot.path)
                yield spot.path


def _members_that_stay(model: Model, target: Target) -> list[str]:
    if model.name != _FIRST:
        return []
    stay = [name for name in model.fields if not _is_sendable(name, target)]
    return [f"Members that no chat or completions request can carry: {', '.join(stay)}."]


def _is_sendable(name: str, target: Target) -> bool:
    return any(_has(endpoint(each, target), name) for each in BOTH)


def _has(of: Endpoint, name: str) -> bool:
    return name in of.fields
