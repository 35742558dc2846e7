"""Structural tags, which xgrammar alone compiles when a request comes in."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from vllmctl.rules.syntax.ebnf import ebnf_refusal
from vllmctl.rules.syntax.json_schema import RefusalError, is_text
from vllmctl.rules.syntax.tag_format import Format, read_format
from vllmctl.rules.syntax.xgrammar_regex import xgrammar_regex_refusal
from vllmctl.rules.syntax.xgrammar_schema import xgrammar_refusal

_UNLIMITED = frozenset(
    {
        *("any_text", "any_tokens", "triggered_tags", "token_triggered_tags", "dispatch"),
        *("token_dispatch", "tags_with_separator", "star", "plus"),
    }
)
_EXACT = 10**17
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})


def structural_tag_refusal(tag: Any) -> str:
    """Return why a structural tag (JSON in a string, or its object) is refused, or nothing."""
    try:
        _judge(_loaded(tag))
    except RefusalError as refusal:
        return str(refusal)
    except RecursionError:  # what is deeper than is allowed has a rule of its own
        return ""
    return ""


def _loaded(tag: Any) -> Mapping[str, Any]:
    if isinstance(tag, str):
        try:
            tag = json.loads(tag)
        except (ValueError, RecursionError) as error:
            raise RefusalError(f"it is no JSON ({error})") from error
    if not isinstance(tag, dict):
        raise RefusalError("a structural tag is an object")
    return tag


def _judge(tag: Mapping[str, Any]) -> None:
    if "structures" in tag:
        _judge_structures(tag)
        return
    _require_json(tag)
    if tag.get("type", "structural_tag") != "structural_tag":
        raise RefusalError('its type is "structural_tag"')
    if "format" not in tag:
        raise RefusalError("it has no format")
    one = read_format(tag["format"])
    _resolve(one)
    _judge_format(one)


def _judge_structures(tag: Mapping[str, Any]) -> None:
    """The old form: begin, schema and end for each trigger."""
    structures, triggers = tag["structures"], tag.get("triggers")
    if not isinstance(structures, list) or not structures:
        raise RefusalError("structures must be a list that is not empty")
    if not isinstance(triggers, list) or not triggers:
        raise RefusalError("triggers must be a list that is not empty")
    if not all(isinstance(trigger, str) and trigger for trigger in triggers):
        raise RefusalError("triggers are texts that are not empty")
    for structure in structures:
        if not isinstance(structure, dict) or not {"begin", "schema", "end"} <= set(structure):
            raise RefusalError("a structure has begin, schema and end")
        if not isinstance(structure["begin"], str) or not isinstance(structure["end"], str):
            raise RefusalError("begin and end of a structure are texts")
        _require_json([structure["begin"], structure["schema"], structure["end"]])
        schema = structure["schema"]
        _judge_schema(schema if isinstance(schema, dict) else _as_truth(schema))
    _require_triggers(triggers, [structure["begin"] for structure in structures], all_used=True)


def _as_truth(schema: Any) -> bool:
    """A schema that is no object stands for true, when pydantic takes it for that."""
    if isinstance(schema, str) and schema.lower() in _TRUE:
        return True
    if isinstance(schema, int | float) and schema == 1:
        return True
    raise RefusalError("it has no schema")


def _require_json(value: Any) -> None:
    """xgrammar reads it once more, more strictly than Python does."""
    if not is_text(value):
        raise RefusalError("it holds half of a surrogate pair")
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise RefusalError("it holds NaN or Infinity, which is no JSON") from error


def _resolve(one: Format) -> None:
    """Texts of tokens cannot be looked up; within ``repeat`` xgrammar forgets to try it."""
    if one.kind == "repeat":
        _judge_unresolved(one)
        return
    given = one.given
    ends = (given.get("begin"), given.get("end")) if one.kind == "tag" else ()
    tokens = [end.get("token") for end in ends if isinstance(end, dict)]
    tokens += [given["token"]] if one.kind == "token" else []
    if one.kind in ("exclude_token", "any_tokens", "token_triggered_tags", "token_dispatch"):
        tokens += given.get("exclude_tokens", [])
    if one.kind == "token_triggered_tags":
        tokens += given["trigger_tokens"]
    elif one.kind == "token_dispatch":
        tokens += [rule[0] for rule in given["rules"]]
    if any(isinstance(token, str) for token in tokens):
        raise RefusalError("tokens are given by their ids")
    for part in one.parts:
        _resolve(part)


def _judge_unresolved(one: Format) -> None:
    for part in one.parts:
        if part.kind == "token_dispatch":
            raise RefusalError("token_dispatch within repeat crashes the server")
        if part.kind == "token_triggered_tags":
            raise RefusalError("token_triggered_tags cannot be within repeat")
        _judge_unresolved(part)


def _judge_format(one: Format) -> None:
    given = one.given
    for part in one.parts:
        _judge_format(part)
    if one.kind in ("json_schema", "qwen_xml_parameter"):
        _judge_schema(given["json_schema"])
    elif one.kind == "regex":
        _require_none(xgrammar_regex_refusal(given["pattern"]))
    elif one.kind == "grammar":
        _require_none(ebnf_refusal(given["grammar"]))
    elif one.kind == "tag":
        _judge_end(one)
    elif one.kind == "triggered_tags":
        begins = [tag.given["begin"] for tag in one.parts]
        _require_triggers(given["triggers"], begins, all_used=not _takes_one(given))
    elif one.kind == "token_triggered_tags":
        _judge_tokens(one)


def _judge_end(tag: Format) -> None:
    end = tag.given["end"]
    ends = [end] if isinstance(end, str) else end
    (content,) = tag.parts
    if _is_unlimited(content) and not any(ends) and not _is_excluded(content):
        raise RefusalError("a tag has an end that is not empty")


def _is_unlimited(one: Format) -> bool:
    if one.kind in ("sequence", "or"):
        return any(_is_unlimited(part) and not _is_excluded(part) for part in one.parts)
    if one.kind == "optional":
        return _is_unlimited(one.parts[0])
    if one.kind == "repeat":
        most = one.given["max"]
        return most == -1 or most >= 2**31 or (most != 0 and _is_unlimited(one.parts[0]))
    return one.kind in _UNLIMITED


def _is_excluded(one: Format) -> bool:
    texts = one.kind in ("any_text", "triggered_tags", "dispatch")
    tokens = one.kind in ("any_tokens", "token_triggered_tags", "token_dispatch")
    key = "excludes" if texts else "exclude_tokens" if tokens else ""
    return bool(one.given.get(key))


def _judge_tokens(one: Format) -> None:
    triggers = Counter(one.given["trigger_tokens"])
    begins = [tag.given["begin"] for tag in one.parts]
    if not all(isinstance(one, dict) and triggers[one.get("token")] == 1 for one in begins):
        raise RefusalError("each tag begins with one of the trigger_tokens")
    if not _takes_one(one.given) and triggers.keys() - {begin["token"] for begin in begins}:
        raise RefusalError("each of the trigger_tokens begins a tag")


def _takes_one(given: Mapping[str, Any]) -> bool:
    """Whether the answer is one tag: then it does not matter what triggers it."""
    return bool(given.get("at_least_one") and given.get("stop_after_first"))


def _judge_schema(schema: Any) -> None:
    if schema is False:
        raise RefusalError("nothing fits the schema false")
    if schema is not True:
        _require_none(xgrammar_refusal(_rewritten(schema)))


def _rewritten(value: Any) -> Any:
    """A schema as xgrammar writes it anew: whole numbers lose their point."""
    if isinstance(value, dict):
        return {key: _rewritten(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rewritten(one) for one in value]
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return int(value) if is_whole else value


def _require_triggers(triggers: list[str], begins: list[Any], *, all_used: bool) -> None:
    """Each begin starts with one of the triggers, and each trigger is there for a reason."""
    counts = Counter(triggers)
    lengths = {len(trigger) for trigger in counts}
    used: set[str] = set()
    for begin in begins:
        if not isinstance(begin, str):
            raise RefusalError("tags that texts trigger begin with a text")
        starts = {begin[:length] for length in lengths if length <= len(begin)} & counts.keys()
        found = sum(counts[start] for start in starts)
        if found != 1:
            which = "more than one trigger" if found else "no trigger"
            raise RefusalError(f"{which} starts {begin!r}")
        used |= starts
    if all_used and (unused := counts.keys() - used):
        raise RefusalError(f"the trigger {min(unused)!r} starts no tag")


def _require_none(reason: str) -> None:
    if reason:
        raise RefusalError(reason)
