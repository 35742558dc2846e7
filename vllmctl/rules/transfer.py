"""Parameters for transfers between servers, and arguments for custom extensions."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults
from vllmctl.rules.registry import rule
from vllmctl.rules.words import shown

_CARRIED = ("vllm_xargs", "kv_transfer_params", "ec_transfer_params")
_PARAMETERS = "kv_transfer_params"


@rule("sp.extra_args_ints")
def integers(case: Case) -> Faults:
    """They travel as 64-bit integers."""
    for name in _CARRIED:
        for path, number in _integers(name, case.value.get(name)):
            if not -(2**63) <= number < 2**64:
                yield Fault(path, f"{path}: integers have 64 bits here, got {number}")


def _integers(path: str, value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, int):
        yield path, value
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _integers(f"{path}[{place}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _integers(f"{path}.{key}", item)


@rule("kv.prompt_token_ids")
def prompt_token_ids(case: Case) -> Faults:
    """Ids that another server has made, in place of the messages (text alone)."""
    given = case.object(_PARAMETERS)
    ids = given.get("prompt_token_ids")
    if ids is None or case.value.get("echo") or case.endpoint.name != "chat.completions":
        return
    if isinstance(ids, list) and ids and all(type(n) is int and n >= 0 for n in ids):
        return
    path = f"{_PARAMETERS}.prompt_token_ids"
    yield Fault(path, f"{path} must be a list of token ids that is not empty, got {shown(ids)}")
