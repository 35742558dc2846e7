"""Parameters for transfers between servers, arguments for custom extensions, wide integers."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, searches_beams
from vllmctl.rules.constraint import live_constraint
from vllmctl.rules.registry import own_rule, rule
from vllmctl.rules.words import shown

_CARRIED = ("vllm_xargs", "kv_transfer_params", "ec_transfer_params")
_CONNECTORS = {
    "kv_transfer_params": "--kv-transfer-config",
    "ec_transfer_params": "--ec-transfer-config",
}
_PARAMETERS = "kv_transfer_params"
_SENT_ON = (
    *("top_k", "stream_interval", "thinking_token_budget", "repetition_detection"),
    "chat_template_kwargs",
)
"""Integers without a limit of their own that go to the engine."""


@rule("sp.extra_args_ints")
def integers(case: Case) -> Faults:
    """They travel as 64-bit integers."""
    for name in _CARRIED:
        for path, number in _integers(name, case.value.get(name)):
            if _is_wide(number):
                yield Fault(path, f"{path}: integers have 64 bits here, got {shown(number)}")


@own_rule(
    "sp.int_width",
    "Integers on the way to the engine have 64 bits; the server fails on wider ones.",
    (*_SENT_ON, "structured_outputs", "response_format"),
    kind="reject",
    since="0.8.0",
)
def wide_integers(case: Case) -> Faults:
    """The server cannot pack them, and answers with an internal error."""
    if searches_beams(case):
        return
    for path, value in _sent_on(case):
        for place, number in _integers(path, value):
            if _is_wide(number):
                message = f"{place} must fit 64 bits, got {shown(number)}"
                yield Fault(place, message, drop(place) if path in _SENT_ON else None)


def _sent_on(case: Case) -> Iterator[tuple[str, Any]]:
    for name in _SENT_ON:
        if name != "top_k" or case.number("temperature") != 0:
            yield name, case.value.get(name)
    constraint = live_constraint(case)
    if constraint is not None and isinstance(constraint.get("json"), dict):
        yield constraint.path("json"), constraint.get("json")


def _is_wide(number: int) -> bool:
    return not -(2**63) <= number < 2**64


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


@own_rule(
    "transfer.connector",
    "Only a server with a connector does something with parameters of transfers.",
    tuple(_CONNECTORS),
    kind="server",
)
def connector(case: Case) -> Faults:
    """Others take them and leave them out; token ids of a prompt need none."""
    for name, flag in _CONNECTORS.items():
        given = case.object(name)
        if given and "prompt_token_ids" not in given:
            yield Fault(name, f"{name} counts on servers started with {flag} only")


@own_rule(
    "watermarking.configured",
    "Only a server that was started with a watermark puts it into answers.",
    ("watermarking",),
    kind="server",
)
def watermark(case: Case) -> Faults:
    """Others take it and do nothing."""
    if case.value.get("watermarking") is True:
        yield Fault("watermarking", "watermarking counts on servers with a watermark only")


@own_rule(
    "vllm_xargs.field",
    "vllm_xargs goes to custom extensions; fields in it set nothing.",
    ("vllm_xargs",),
    kind="normalize",
)
def fields_among_arguments(case: Case) -> Faults:
    """Some client libraries say that new fields go there."""
    for name in case.object("vllm_xargs"):
        if name in case.endpoint.fields:
            path = f"vllm_xargs.{name}"
            yield Fault(path, f"{path} does not set {name}, but goes to custom extensions")
