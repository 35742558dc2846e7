"""Wrong types and broken limits, and values that the server reads as another type."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import by_path, endpoint_names
from vllmctl.rules.active import top_of
from vllmctl.rules.case import put
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.words import shown

if TYPE_CHECKING:
    from vllmctl.catalog.type_faults import TypeFault

_BATCH = "/v1/chat/completions/batch"


def type_findings(
    faults: "Iterable[TypeFault]", body: Any, endpoint: Endpoint
) -> Iterator[Finding]:
    """Yield an error for each fault of ``body``, with a mend where one is plain."""
    faults = list(faults)
    if not faults:
        return
    from vllmctl.rules.type_mends import mend

    conversations = [fault for fault in faults if _is_conversation(fault)]
    if conversations:
        yield _several_conversations(endpoint)
    for fault in faults:
        if fault not in conversations:
            text = f"{fault.path}: {fault.message}" if fault.path else fault.message
            message = text + _hint(fault, body, endpoint)
            fix = mend(fault, body, endpoint) if fault.path else None
            yield Finding(Level.ERROR, f"type.{fault.kind}", fault.path, message, fix)


def coerced(sent: Mapping[str, Any], read: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield a warning for each value that the server takes for one of another type."""
    for name, value in sent.items():
        if read[name] is not value:
            yield from _coerced(name, value, read[name])


def _coerced(path: str, sent: Any, read: Any) -> Iterator[Finding]:
    if isinstance(sent, dict) and isinstance(read, dict):
        for key, value in sent.items():
            if key in read:
                yield from _coerced(f"{path}.{key}", value, read[key])
    elif isinstance(sent, list) and isinstance(read, list):
        for place, (one, other) in enumerate(zip(sent, read, strict=False)):
            yield from _coerced(f"{path}[{place}]", one, other)
    elif type(sent) is not type(read) and (isinstance(sent, str | bool) or isinstance(read, bool)):
        message = f"{path}: {shown(sent)} is read as {shown(read)}"
        fix = None if str(read) == "nan" else put(path, read)  # JSON cannot say NaN
        yield Finding(Level.WARNING, "type.coerced", path, message, fix)


def _hint(fault: "TypeFault", body: Any, endpoint: Endpoint) -> str:
    value = fault.input
    if fault.path == "top_k" and isinstance(value, float) and 0 < value < 1:
        return f"; did you mean top_p {value}"
    if not isinstance(body, Mapping) or top_of(fault.path) not in body:
        return ""
    from vllmctl.rules.later import taken_since

    since = taken_since(fault, body, endpoint)
    return f"; {endpoint.target.engine} takes it since {since}" if since else ""


def _is_conversation(fault: "TypeFault") -> bool:
    is_message = fault.path.startswith("messages[") and "." not in fault.path
    return is_message and isinstance(fault.input, list)


def _several_conversations(endpoint: Endpoint) -> Finding:
    message = "messages holds lists, but is one conversation"
    if by_path(_BATCH) in endpoint_names(endpoint.target):
        message += f"; several at once go to {_BATCH} (no stream, no tools, n 1, no beam search)"
    return Finding(Level.ERROR, "type.conversations", "messages", message)
