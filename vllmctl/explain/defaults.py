"""Who decides on a value that the request leaves out.

Three parties in this order: the request, the model's ``generation_config.json``, the
default of the API. The catalogue has the rule (``defaults.generation_config``); which key
of the file stands for which field since when is here.
"""

from collections.abc import Iterator
from typing import NamedTuple

from vllmctl.catalog.facts import Field
from vllmctl.catalog.load import engine_models
from vllmctl.catalog.target import Target, index
from vllmctl.explain.wording import value_text


class FileKey(NamedTuple):
    """A key of ``generation_config.json`` that an engine reads, and since which release."""

    engine: str
    name: str
    fields: tuple[str, ...]
    since: str


KEYS = (
    *(
        FileKey("vllm", name, (name,), "0.6.6")
        for name in ("repetition_penalty", "temperature", "top_k", "top_p", "min_p")
    ),
    FileKey("vllm", "max_new_tokens", ("max_completion_tokens", "max_tokens"), "0.7.0"),
    FileKey("vllm", "presence_penalty", ("presence_penalty",), "0.31.0"),
    FileKey("vllm", "frequency_penalty", ("frequency_penalty",), "0.31.0"),
    FileKey("vllm", "skip_special_tokens", ("skip_special_tokens",), "0.33.0"),
    *(
        FileKey("furiosa", name, (name,), "2026.2.0")
        for name in ("repetition_penalty", "temperature", "top_k", "top_p", "min_p")
    ),
    FileKey("furiosa", "max_new_tokens", ("max_completion_tokens", "max_tokens"), "2026.2.0"),
    FileKey("furiosa", "stop_strings", ("stop",), "2026.4.0"),
)
"""Read from vllm/config/model.py and furiosa_llm/generation_config.py of each release."""

UNREAD = (
    "do_sample",
    "num_beams",
    "num_beam_groups",
    "diversity_penalty",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "penalty_alpha",
    "num_return_sequences",
    "max_length",
    "min_length",
    "min_new_tokens",
    "pad_token_id",
    "bos_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "suppress_tokens",
    "begin_suppress_tokens",
    "transformers_version",
)
"""Keys that such files have and neither engine takes a default from."""

_ON_BY_DEFAULT = "0.8.0"


def keys_of(target: Target) -> tuple[FileKey, ...]:
    """Return the keys that ``target`` reads."""
    now = index(target.release, target.engine)
    return tuple(
        key for key in KEYS if key.engine == target.engine and index(key.since, key.engine) <= now
    )


def file_key(field: Field, target: Target) -> FileKey | None:
    """Return the key that fills in ``field``, where its own default leaves that open."""
    if field.default is not None or field.required:
        return None
    return next((key for key in keys_of(target) if field.name in key.fields), None)


def deciders(field: Field, target: Target, written: str = "") -> Iterator[str]:
    """Yield who decides, first who comes first; ``written`` replaces the last one's words."""
    if field.required:
        yield "the request: it must be given"
        return
    yield "the request"
    key = file_key(field, target)
    if key:
        yield f"the model's generation_config.json ({key.name}){_unless(target)}"
    yield f"the API's default: {default_text(field, target, written)}"


def default_text(field: Field, target: Target, written: str = "") -> str:
    """Return what holds in the end when nobody sets a value."""
    if written or field.default_note:
        return written or field.default_note
    if field.required:
        return "none: it must be given"
    if field.default is not None:
        return value_text(field.default)
    member = engine_models(target).get("SamplingParams")
    inner = member.fields.get(field.name) if member else None
    if inner is not None and inner.default not in (None, []):
        return value_text(inner.default)
    return "not set"


def _unless(target: Target) -> str:
    if target.engine != "vllm":
        return ""
    if index(target.release) < index(_ON_BY_DEFAULT):
        return ", if the server was started with --generation-config"
    return ", unless the server runs with --generation-config vllm"
