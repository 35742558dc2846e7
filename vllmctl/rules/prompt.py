"""The prompt of a completion, as text, token ids or embeddings."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import mend, own_rule, rule
from vllmctl.rules.tokens import LARGEST_ID
from vllmctl.rules.words import shown

_MOST_PROMPTS = 1024


@rule("completions.prompt_shape")
def prompt_shape(case: Case) -> Faults:
    """Types are checked before; a list without prompts is left."""
    if case.value.get("prompt") == [] and not case.value.get("prompt_embeds"):
        yield Fault("prompt", "prompt must not be an empty list")


@rule("completions.prompt_required")
def prompt_required(case: Case) -> Faults:
    """A prompt that is not empty, or embeddings."""
    prompt, embeds = case.sent.get("prompt"), case.sent.get("prompt_embeds")
    if prompt in (None, "") and embeds in (None, []):
        given = "" if "prompt" not in case.sent else f", got {shown(prompt)}"
        yield Fault("prompt", f"a completion needs a prompt that is not empty{given}")


@rule("completions.prompt_count")
def prompt_count(case: Case) -> Faults:
    """A list of token ids is one prompt."""
    for name in ("prompt", "prompt_embeds"):
        given = case.sent.get(name)
        if isinstance(given, list) and len(given) > _MOST_PROMPTS and not _is_ids(given):
            message = f"{name} holds {len(given)} prompts, {_MOST_PROMPTS} are allowed"
            yield Fault(name, f"{message} (VLLM_MAX_COMPLETION_PROMPTS on the server)")


def _is_ids(prompt: list[Any]) -> bool:
    return all(isinstance(item, int) for item in prompt)


@rule("prompt.empty")
def prompt_empty(case: Case) -> Faults:
    """Each prompt has a token."""
    prompt = case.value.get("prompt")
    if isinstance(prompt, list) and not _is_ids(prompt):
        for place, one in enumerate(prompt):
            if one in ("", []):
                path = f"prompt[{place}]"
                yield Fault(path, f"{path} is empty", drop(path) if len(prompt) > 1 else None)


@rule("prompt.token_range")
def token_range(case: Case) -> Faults:
    """How many tokens there are only the server knows; so many there are nowhere."""
    prompt = case.value.get("prompt")
    for path, ids in _lists_of_ids(prompt if isinstance(prompt, list) else []):
        if max(ids) >= LARGEST_ID:
            message = f"{path} holds a token id that no vocabulary has, {shown(max(ids))}"
            yield Fault(path, message, None, Level.ERROR)


def _lists_of_ids(prompt: list[Any]) -> Iterator[tuple[str, list[int]]]:
    if prompt and _is_ids(prompt):
        yield "prompt", prompt
    for place, one in enumerate(prompt):
        if isinstance(one, list) and one and _is_ids(one):
            yield f"prompt[{place}]", one


@rule("completions.multiple_prompts")
def one_prompt(case: Case) -> Faults:
    """The first releases took one."""
    prompt = case.value.get("prompt")
    if isinstance(prompt, list) and len(prompt) > 1 and not _is_ids(prompt):
        message = f"{case.endpoint.target} takes one prompt a request, got {len(prompt)}"
        yield Fault("prompt", message)


@rule("sp.routed_experts_range")
def routed_experts(case: Case) -> Faults:
    """A place within the prompt; a text has no more tokens than bytes, but for a few."""
    start = case.number("routed_experts_prompt_start")
    if start is None:
        return
    most = _most_tokens(case.value.get("prompt"))
    if start < 0 or start > most:
        limit = "" if start < 0 else f" and within the prompt ({most} tokens at most)"
        message = f"routed_experts_prompt_start must be at least 0{limit}, got {start}"
        yield Fault("routed_experts_prompt_start", message, drop("routed_experts_prompt_start"))


def _most_tokens(prompt: Any) -> int:
    """How many tokens a prompt has at most: its ids, or a text's bytes and special tokens."""
    if isinstance(prompt, str):
        return len(prompt.encode(errors="replace")) + 8
    if isinstance(prompt, list) and prompt and _is_ids(prompt):
        return len(prompt)
    return 2**31


@rule("completions.embeds_flag")
def embeds_flag(case: Case) -> Faults:
    """Off by default."""
    if case.value.get("prompt_embeds"):
        message = "prompt_embeds needs a server started with --enable-prompt-embeds"
        yield Fault("prompt_embeds", message)


@rule("completions.embeds_tensor")
def embeds_tensor(case: Case) -> Faults:
    """A saved tensor in base64."""
    given = case.value.get("prompt_embeds")
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, str | bytes) and not _is_base64(one):
            message = f"prompt_embeds must be a saved tensor in base64, got {shown(str(one), 40)}"
            yield Fault("prompt_embeds", message)


def _is_base64(text: str | bytes) -> bool:
    from base64 import b64decode

    try:
        b64decode(text, validate=True)
    except ValueError:
        return False
    return True


@mend("completions.embeds_echo")
def _without_echo(*_: object) -> tuple[Edit, ...]:
    return drop("echo")


@mend("completions.embeds_prompt_logprobs")
def _without_logprobs(*_: object) -> tuple[Edit, ...]:
    return drop("prompt_logprobs")


@mend("completions.suffix_unsupported")
def _without_suffix(*_: object) -> tuple[Edit, ...]:
    return drop("suffix")


@mend("completions.beam_no_stream")
def _without_stream(*_: object) -> tuple[Edit, ...]:
    return drop("stream")


@rule("completions.suffix_fim")
def suffix(case: Case) -> Faults:
    """A text after the place to fill; few models know what to do with it."""
    if not case.is_set("suffix"):
        return
    for name in ("echo", "prompt_embeds", "truncate_prompt_tokens"):
        if case.value.get(name) not in (None, False):
            yield Fault("suffix", f"suffix does not go with {name}", drop(name))
            return
    prompt = case.value.get("prompt")
    texts = prompt if isinstance(prompt, list) else [prompt]
    if prompt is not None and not all(isinstance(text, str) for text in texts):
        yield Fault("suffix", "suffix needs a prompt that is text, not token ids")
        return
    message = "suffix works with models that fill in the middle; others refuse it"
    yield Fault("suffix", message, None, Level.NOTE)


@rule("completions.echo_old")
def echo_old(case: Case) -> Faults:
    """Refused in the first releases."""
    for name in ("echo", "logit_bias"):
        if case.value.get(name):
            yield Fault(name, f"{case.endpoint.target} refuses {name}", drop(name))


@rule("cache_salt.needs_v1")
def salt_needs_v1(case: Case) -> Faults:
    """While there were two engines."""
    if case.value.get("cache_salt"):
        yield Fault("cache_salt", "cache_salt needs the V1 engine on the server")


@mend("cache_salt.non_empty")
def _without_salt(*_: object) -> tuple[Edit, ...]:
    return drop("cache_salt")


@own_rule(
    "messages.empty_prompt",
    "The last turn of the user has something in it.",
    ("messages",),
    kind="normalize",
    endpoints=("chat.completions",),
)
def empty_turn(case: Case) -> Faults:
    """The server takes it; the model answers to nothing."""
    messages = case.items("messages")
    last = messages[-1] if messages else None
    if isinstance(last, dict) and last.get("role") == "user" and _says_nothing(last.get("content")):
        path = f"messages[{len(messages) - 1}]"
        yield Fault(path, f"{path} is empty, so the model answers to nothing")


def _says_nothing(content: Any) -> bool:
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, dict) else None for part in content]
        return all(isinstance(text, str) and not text.strip() for text in texts)
    return content is None or (isinstance(content, str) and not content.strip())
