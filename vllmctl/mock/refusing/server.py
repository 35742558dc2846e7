"""What this server refuses: the model's name, lengths, token ids, what no flag allows."""

from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.mock.options import MockOptions
from vllmctl.mock.pieces import VOCABULARY_SIZE
from vllmctl.mock.refusing.wording import blame
from vllmctl.mock.structure.constraint import read_constraint
from vllmctl.mock.structure.shapes import ConstraintError
from vllmctl.mock.wire import RefusedError

Body = Mapping[str, Any]

MAX_LOGPROBS = 20

_NO_TRUST = (
    "Per-request {name} are disabled by default because they can change multimodal {what}. "
    "Start the server with --trust-request-mm-kwargs only when clients are trusted."
)
_MEDIA = (
    ("mm_processor_kwargs", "preprocessing resource usage"),
    (
        "media_io_kwargs",
        "media loading resource usage",
    ),
)


def refuse_model(body: Body, options: MockOptions) -> None:
    """A name that is not served; none, or an empty one, is the first model's."""
    name = body.get("model")
    if name and name not in options.models:
        aliases = "" if len(options.models) == 1 else _aliases(options.models)
        message = f"The model `{name}` does not exist.{aliases}"
        raise RefusedError(message, status=404, kind="NotFoundError", param="model")


def _aliases(names: Sequence[str]) -> str:
    return f" Valid aliases: {', '.join(names)}."


def refuse_lengths(body: Body, options: MockOptions, *, chat: bool) -> None:
    """Lengths that go over the model's on their own."""
    name, most = "max_tokens", body.get("max_tokens")
    if chat and body.get("max_completion_tokens") is not None:
        name, most = "max_completion_tokens", body["max_completion_tokens"]
    limit = options.max_model_len
    if most is not None and most > limit:
        message = f"{name}={most} cannot be greater than max_model_len={limit}. "
        raise blame(f"{message}Please request fewer output tokens.", name, most)
    name, cut = "truncate_prompt_tokens", body.get("truncate_prompt_tokens")
    if cut is not None and cut > limit:
        message = f"{name}={cut} cannot be greater than max_model_len = {limit}. "
        raise blame(f"{message}Please request a smaller truncation size.", name, cut)


def refuse_chat(body: Body, options: MockOptions, endpoint: Endpoint) -> None:
    """What cannot become a prompt."""
    refuse_media(body, endpoint)
    refuse_lengths(body, options, chat=True)


def refuse_media(body: Body, endpoint: Endpoint) -> None:
    """Settings for media, which a server has to trust."""
    for name, what in _MEDIA:
        if body.get(name) and name in endpoint.fields:
            raise blame(_NO_TRUST.format(name=name, what=what), name)


def refuse_suffix(body: Body) -> None:
    """Only models that fill in the middle know a suffix; this one does not."""
    if body.get("suffix") is None:
        return
    prompt = body.get("prompt")
    texts = prompt if isinstance(prompt, list) else [prompt]
    if body.get("echo"):
        message = "Echo is unsupported with suffix."
    elif body.get("prompt_embeds") is not None:
        message = "suffix is not supported with prompt_embeds"
    elif body.get("truncate_prompt_tokens") is not None:
        message = "suffix is not supported with truncate_prompt_tokens"
    elif not all(isinstance(text, str) for text in texts):
        message = "suffix requires text prompt input for FIM completion rendering"
    else:
        message = "suffix is only supported for models with FIM completion rendering"
    raise RefusedError(message, param="suffix")


def refuse_prompt(ids: Sequence[int], options: MockOptions) -> None:
    """A prompt that is too long."""
    if len(ids) > options.max_model_len:
        raise blame(
            f"This model's maximum context length is {options.max_model_len} tokens. However, "
            f"your prompt contains {len(ids)} input tokens, which exceeds this limit even "
            "without any output tokens. Please reduce the length of the input prompt.",
            "input_tokens",
            len(ids),
        )


def refuse_parameters(body: Body, *, chat: bool) -> None:
    """What the engine finds in the parameters: log probabilities, token ids."""
    if body.get("use_beam_search"):
        return
    own = (
        (body.get("top_logprobs") if body.get("logprobs") else None)
        if chat
        else body.get("logprobs")
    )
    if not body.get("logprob_token_ids"):
        _refuse_many(own, "sample", "logprobs")
    _refuse_ids(body, "logprob_token_ids")
    asked = body.get("prompt_logprobs")
    if asked is None and body.get("echo"):
        asked = own
    _refuse_many(asked, "prompt", "prompt_logprobs")
    for name in ("logit_bias", "stop_token_ids"):
        _refuse_ids(body, name)
    allowed = [one for one in body.get("allowed_token_ids") or () if not _is_known(one)]
    if allowed:
        message = "allowed_token_ids contains out-of-vocab token id!"
        raise blame(message, "allowed_token_ids", allowed, late=True)


def refuse_constraint(body: Body) -> None:
    """A schema, regex or grammar that does not compile."""
    if body.get("use_beam_search"):
        return
    try:
        read_constraint(body)
    except ConstraintError as fault:
        raise RefusedError(str(fault), late=True) from None


def unpackable(rule: str, path: str) -> RefusedError:
    """Return how the server fails on its way to the engine."""
    constrains = path.startswith(("structured_outputs.", "response_format."))
    if rule == "text.surrogate" and constrains:
        kind = "Grammar error" if ".choice" in path else "Invalid grammar specification"
        return RefusedError(f"{kind}: it cannot be encoded", late=True)
    return RefusedError("", status=500, kind="InternalServerError", late=True)


def refuse_prompts(body: Body, prompts: Sequence[Sequence[int]]) -> None:
    """What the engine finds in the prompts; it reads the bad words after them."""
    for ids in prompts:
        if not ids:
            raise RefusedError("The decoder prompt cannot be empty", late=True)
        if not _is_known(max(ids)):
            raise RefusedError(f"Token id {max(ids)} is out of vocabulary", late=True)
        if not body.get("use_beam_search"):
            _refuse_start(body, len(ids))
    if not body.get("use_beam_search"):
        _refuse_words(body)


def _refuse_start(body: Body, length: int) -> None:
    start = body.get("routed_experts_prompt_start") or 0
    if start > length:
        name = "routed_experts_prompt_start"
        message = f"{name} must be between 0 and the prompt length ({length}), inclusive."
        raise blame(message, name, start, late=True)


def _refuse_many(count: int | None, kind: str, name: str) -> None:
    count = VOCABULARY_SIZE if count == -1 else count
    if count is not None and count > MAX_LOGPROBS:
        message = (
            f"Requested {kind} logprobs of {count}, which is greater than max allowed: "
            f"{MAX_LOGPROBS}"
        )
        raise blame(message, name, count, late=True)


def _refuse_ids(body: Body, name: str) -> None:
    unknown = [one for one in map(int, body.get(name) or ()) if not _is_known(one)]
    if unknown:
        message = (
            f"token_id(s) {unknown} in {name} contain out-of-vocab token ids. "
            f"Vocabulary size: {VOCABULARY_SIZE}"
        )
        raise blame(message, name, unknown, late=True)


def _is_known(token: int) -> bool:
    return 0 <= token < VOCABULARY_SIZE


def _refuse_words(body: Body) -> None:
    words = body.get("bad_words") or []
    if any(not word.strip() for word in words):
        message = "bad_words entries must tokenize to at least one token."
        raise blame(message, "bad_words", words, late=True)
