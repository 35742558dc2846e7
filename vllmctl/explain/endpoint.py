"""The explanation of an endpoint."""

from vllmctl.catalog.load import by_path, endpoint, endpoint_names
from vllmctl.catalog.target import Target
from vllmctl.explain.explanation import Explanation, Kind


def explain_endpoint(name: str, target: Target) -> Explanation | None:
    """Return what an endpoint is; ``name`` is its name or its path."""
    known = endpoint_names(target)
    found = name if name in known else by_path(name, target.engine) if "/" in name else None
    if found not in known or found is None:
        return None
    of = endpoint(found, target)
    verdict = f"An endpoint: {of.method} {of.path}, since {of.since}."
    answer = Explanation(found, Kind.ENDPOINT, target, verdict, sendable=True)
    answer.meaning = [of.description] if of.description else []
    answer.notes = [f"It has {len(of.fields)} fields: vllmctl fields {found}"]
    if of.fields:
        answer.notes.append(f"Fields that it does not know are {of.unknown}.")
    return answer
