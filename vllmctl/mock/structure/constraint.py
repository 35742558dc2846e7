"""From a request's structured outputs to a writer of texts that keep them."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from vllmctl.mock.structure.grammar import read_grammar
from vllmctl.mock.structure.json_value import make_value
from vllmctl.mock.structure.regex import read_regex
from vllmctl.mock.structure.shapes import ConstraintError, write
from vllmctl.mock.structure.tag import Writer, read_tag
from vllmctl.rules.syntax.grammar import judge_grammar
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.schema import judge_schema

_ANY_OBJECT = {"type": "object", "additionalProperties": {"type": "string"}}


def read_constraint(body: Mapping[str, Any]) -> Writer | None:
    """Return what makes texts as ``body`` wants them, or ``None`` when it wants none.

    Reads ``structured_outputs``, ``response_format`` and the ``guided_*`` fields of older
    releases; beam search keeps none of them.

    Raises:
        ConstraintError: a constraint that is not well formed, or that nothing satisfies.
    """
    kind, value = _kind(body)
    if kind is None or body.get("use_beam_search"):
        return None
    try:
        writer = _KINDS[kind](value)
        writer(Random(0), "")
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError, OverflowError):
        fault = ConstraintError(f"Grammar error: invalid {kind}")
    except ConstraintError as found:
        fault = found
    else:
        return writer
    if not _is_accepted(kind, value):
        raise fault from None
    return json_writer(True) if kind == "json" else lambda _random, free: free


def _is_accepted(kind: str, value: Any) -> bool:
    """Whether the server makes something of a constraint that is too odd for this."""
    if kind == "json":
        return not judge_schema(value).reason
    judge = {"regex": judge_regex, "grammar": judge_grammar}.get(kind)
    return judge is not None and isinstance(value, str) and not judge(value).reason


def json_writer(schema: Any) -> Writer:
    """Return a writer of JSON that keeps ``schema`` (a schema, or its JSON text)."""
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except ValueError:
            raise ConstraintError("Invalid JSON grammar specification.") from None
    return lambda random, _free: json.dumps(make_value(schema, random), ensure_ascii=False)


def _kind(body: Mapping[str, Any]) -> tuple[str | None, Any]:
    """The one kind of constraint; a response format is set over structured outputs."""
    given = {**(body.get("structured_outputs") or {}), **_of_format(body.get("response_format"))}
    for kind in _KINDS:
        value = given.get(kind, body.get(f"guided_{kind}"))
        if value is not None and value is not False:
            return kind, value
    return None, None


def _of_format(form: Mapping[str, Any] | None) -> dict[str, Any]:
    kind = (form or {}).get("type")
    if form is None or kind not in ("json_schema", "json_object", "structural_tag"):
        return {}
    if kind == "json_schema":
        return {"json": (form.get("json_schema") or {}).get("schema")}
    return {kind: True} if kind == "json_object" else {kind: form}


def _regex(pattern: str) -> Writer:
    try:
        shape = read_regex(pattern)
    except ConstraintError as fault:
        raise ConstraintError(
            f'Grammar error: at 1(8): invalid regex "{pattern}" (in regex): {fault}\n'
            f"   1 | start: /{pattern}/\n              ^"
        ) from None
    return lambda random, _free: write(shape, random)


def _grammar(text: str) -> Writer:
    grammar = read_grammar(text)
    return lambda random, _free: write(grammar.start, random, grammar.rules)


def _choice(options: list[str]) -> Writer:
    if not options:
        raise ConstraintError(f"Choice '{options}' cannot be an empty list")
    return lambda random, _free: random.choice(options)


_KINDS: Mapping[str, Callable[[Any], Writer]] = {
    "json": json_writer,
    "regex": _regex,
    "choice": _choice,
    "grammar": _grammar,
    "json_object": lambda _: json_writer(_ANY_OBJECT),
    "structural_tag": read_tag,
}
