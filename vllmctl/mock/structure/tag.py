"""Makes texts of structural tags: fixed marks around constrained parts."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from vllmctl.mock.structure.grammar import read_grammar
from vllmctl.mock.structure.json_value import make_value
from vllmctl.mock.structure.regex import read_regex
from vllmctl.mock.structure.shapes import ConstraintError, write

Writer = Callable[[Random, str], str]
"""Makes a text by chance; the second argument is what would be said without a constraint."""


def read_tag(specification: Any) -> Writer:
    """Return the writer of a structural tag (its JSON text, or the object).

    Raises:
        ConstraintError: not a structural tag.
    """
    if isinstance(specification, str):
        try:
            specification = json.loads(specification)
        except ValueError:
            raise _broken() from None
    if not isinstance(specification, Mapping):
        raise _broken()
    if "structures" in specification and "triggers" in specification:
        return _free
    form = specification.get("format")
    if not isinstance(form, Mapping):
        raise _broken()
    return _Tag(form).write


def _broken() -> ConstraintError:
    return ConstraintError("Invalid structured_outputs structural_tag specification.")


def _free(_random: Random, free: str) -> str:
    return free


class _Tag:
    """One format, and what it is made of."""

    def __init__(self, form: Mapping[str, Any]) -> None:
        maker = _KINDS.get(str(form.get("type")))
        if maker is None:
            raise _broken()
        try:
            self._write = maker(form)
        except (KeyError, TypeError, AttributeError):
            raise _broken() from None

    def write(self, random: Random, free: str) -> str:
        return self._write(random, free)


def _constant(form: Mapping[str, Any]) -> Writer:
    text = str(form["value"])
    return lambda _random, _free: text


def _json(form: Mapping[str, Any]) -> Writer:
    schema = form["json_schema"]
    return lambda random, _free: json.dumps(make_value(schema, random), ensure_ascii=False)


def _regex(form: Mapping[str, Any]) -> Writer:
    shape = read_regex(form["pattern"])
    return lambda random, _free: write(shape, random)


def _grammar(form: Mapping[str, Any]) -> Writer:
    grammar = read_grammar(form["grammar"])
    return lambda random, _free: write(grammar.start, random, grammar.rules)


def _sequence(form: Mapping[str, Any]) -> Writer:
    parts = [_Tag(one) for one in form["elements"]]
    return lambda random, free: "".join(part.write(random, free) for part in parts)


def _either(form: Mapping[str, Any]) -> Writer:
    options = [_Tag(one) for one in form["elements"]]
    return lambda random, free: random.choice(options).write(random, free)


def _tag(form: Mapping[str, Any]) -> Writer:
    begin, content, end = str(form["begin"]), _Tag(form["content"]), form["end"]
    end = str(end[0]) if isinstance(end, list) else str(end)
    return lambda random, free: f"{begin}{content.write(random, free)}{end}"


def _triggered(form: Mapping[str, Any]) -> Writer:
    tags = [_Tag({"type": "tag", **one}) for one in form["tags"]]
    if not form.get("at_least_one"):
        return _free
    return lambda random, free: random.choice(tags).write(random, free)


def _separated(form: Mapping[str, Any]) -> Writer:
    tags = [_Tag({"type": "tag", **one}) for one in form["tags"]]
    separator = str(form["separator"])
    return lambda random, free: separator.join(
        random.choice(tags).write(random, free) for _ in range(random.randint(1, 2))
    )


def _repeated(form: Mapping[str, Any]) -> Writer:
    return _Tag(form["content"]).write


_KINDS: Mapping[str, Callable[[Mapping[str, Any]], Writer]] = {
    "const_string": _constant,
    "json_schema": _json,
    "qwen_xml_parameter": _json,
    "any_text": lambda _form: _free,
    "regex": _regex,
    "grammar": _grammar,
    "sequence": _sequence,
    "or": _either,
    "tag": _tag,
    "triggered_tags": _triggered,
    "tags_with_separator": _separated,
    "optional": _repeated,
    "plus": _repeated,
    "star": _repeated,
}
