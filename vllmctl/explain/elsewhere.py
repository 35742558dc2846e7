"""Names that are no field here: of model files, and of other servers."""

from vllmctl.catalog.load import answer_renames
from vllmctl.catalog.target import Target
from vllmctl.explain.defaults import KEYS, UNREAD, FileKey, keys_of
from vllmctl.explain.explanation import Explanation, Kind
from vllmctl.explain.prose import prose
from vllmctl.explain.wording import joined
from vllmctl.rules.foreign import foreign_name

_FILE = "generation_config.json"


def explain_generation_key(name: str, target: Target) -> Explanation | None:
    """Return what a key of ``generation_config.json`` does, or the file itself."""
    if name in (_FILE, "generation_config"):
        return _the_file(target)
    key = name.removeprefix(f"{_FILE}.").removeprefix("generation_config.")
    read = next((known for known in keys_of(target) if known.name == key), None)
    later = next((known for known in KEYS if known.name == key), None)
    words = prose(f"{_FILE}:{key}", target.engine)
    if not (read or later or words.meaning or key in UNREAD):
        return None
    found = Explanation(key, Kind.GENERATION_KEY, target, _verdict(key, read, target), False)
    found.meaning = words.meaning
    found.instead = read.fields[-1] if read else words.instead
    found.related = list(read.fields) if read else []
    _add_foreign(found)
    return found


def explain_foreign(name: str, target: Target) -> Explanation | None:
    """Return what a name of another server or library is called here."""
    known = foreign_name(name)
    if known is None:
        return None
    path, note = known
    verdict = f"Not a field here; {f'it is {path}' if path else 'nothing takes its place'}."
    found = Explanation(name, Kind.ELSEWHERE, target, verdict, sendable=False)
    found.meaning = [_sentence(note)] if note else []
    found.instead = path
    found.related = [path] if path else []
    return found


def explain_answer_key(name: str, target: Target) -> Explanation | None:
    """Return what became of a key of answers that has another name by now."""
    for fact in answer_renames(target.engine):
        old, new = (fact[side].split()[0].rpartition(".")[2] for side in ("from", "to"))
        if name == old:
            verdict = f"No field: a key of answers and of messages, called {new} by now."
            found = Explanation(name, Kind.ELSEWHERE, target, verdict, sendable=False)
            found.meaning = [fact["note"]]
            return found
    return None


def _the_file(target: Target) -> Explanation:
    verdict = "No field: a file of the model, from which the server takes defaults."
    found = Explanation(_FILE, Kind.GENERATION_KEY, target, verdict, sendable=False)
    found.meaning = [*prose(_FILE, target.engine).meaning]
    found.notes = [f"{key.name} sets {joined(list(key.fields), 'and')}" for key in keys_of(target)]
    found.related = [key.fields[-1] for key in keys_of(target)]
    return found


def _verdict(key: str, read: FileKey | None, target: Target) -> str:
    where = f"A key of the model's {_FILE}, not of a request"
    if read:
        return f"{where}: it is the default of {joined(list(read.fields), 'and')}."
    written = prose(f"{_FILE}:{key}", target.engine).meaning
    return f"{where}." if written else f"{where}; {target} takes no default from it."


def _add_foreign(found: Explanation) -> None:
    known = foreign_name(found.name)
    if known is None or found.instead:
        return
    path, note = known
    found.instead = path
    if note and not found.meaning:
        found.notes.append(_sentence(note))


def _sentence(note: str) -> str:
    first = note if note.startswith("vLLM") else note[0].upper() + note[1:]
    return f"{first}."
