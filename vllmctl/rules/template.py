"""The chat template, its arguments, and what is done to the last message."""

from collections.abc import Mapping
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, move, put
from vllmctl.rules.finding import Level
from vllmctl.rules.parts import ROLES
from vllmctl.rules.registry import TEMPLATED, mend, own_rule, rule
from vllmctl.rules.words import listed, shown

_CHAT = ("chat.completions",)
_ARGUMENTS = "chat_template_kwargs"
_RESERVED = ("messages", "conversation", "self")
_OVERRULED = ("add_generation_prompt", "continue_final_message")
_VERY_LIKE = 0.87
SWITCHES = ("enable_thinking", "thinking", "preserve_thinking")
_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "padding": (None, True, False, "longest", "max_length", "do_not_pad"),
    "truncation": (
        *(None, True, False, "only_first", "only_second", "longest_first", "do_not_truncate"),
    ),
    "return_tensors": (None, "pt", "np", "mlx"),
}


@mend("prompt.continue_vs_generation")
def _no_generation(*_: object) -> tuple[Any, ...]:
    return put("add_generation_prompt", False)


@rule("prompt.continue_needs_off")
def continue_needs_off(case: Case) -> Faults:
    """The default of the one does not go with the other."""
    reused = case.object("kv_transfer_params").get("prompt_token_ids")
    generation = case.value.get("add_generation_prompt", True)
    if case.value.get("continue_final_message") and generation and not reused:
        message = "continue_final_message needs add_generation_prompt: false, whose default is true"
        fix = put("add_generation_prompt", False)
        yield Fault("continue_final_message", message, fix, Level.ERROR)


@own_rule(
    "prompt.continued_role",
    "continue_final_message goes on with the last message, whoever it is from.",
    ("continue_final_message",),
    kind="normalize",
    endpoints=TEMPLATED,
    since="0.6.3",
)
def continued_role(case: Case) -> Faults:
    """Even with the user's."""
    last = case.items("messages")[-1:]
    role = last[0].get("role") if last and isinstance(last[0], dict) else None
    if case.value.get("continue_final_message") is True and role not in (None, "assistant"):
        message = f"continue_final_message goes on with a message of role {role}, the last one"
        level = Level.NOTE if role in ROLES else Level.WARNING
        if level is Level.WARNING:
            message += "; the server refuses it where the template leaves that role out"
        yield Fault("continue_final_message", message, None, level)


@own_rule(
    "prompt.continued_thoughts",
    "A reasoning parser takes the continuation of a message for thoughts, as nothing ends them.",
    ("continue_final_message", _ARGUMENTS),
    kind="normalize",
    endpoints=_CHAT,
    since="0.9.0",
)
def continued_thoughts(case: Case) -> Faults:
    """Unless the template is told that there are none."""
    switches = case.object(_ARGUMENTS)
    thinks = not any(switches.get(name) is False for name in ("enable_thinking", "thinking"))
    if case.value.get("continue_final_message") is True and thinks:
        message = (
            "a server with a reasoning parser gives the continuation as reasoning, and null as "
            f"content, unless {_ARGUMENTS}.enable_thinking is false"
        )
        yield Fault("continue_final_message", message, None, Level.NOTE)


@own_rule(
    "prompt.text_is_null",
    "The usual renderer hands over token ids, so that prompt_text is null in the answer.",
    ("return_prompt_text",),
    kind="normalize",
    endpoints=_CHAT,
    since="0.21.0",
)
def text_is_null(case: Case) -> Faults:
    """What gives the prompt's ids is another field."""
    if case.value.get("return_prompt_text") is True:
        message = "prompt_text mostly comes back null; return_token_ids gives the prompt's ids"
        yield Fault("return_prompt_text", message, None, Level.NOTE)


@rule("chat_template.trust")
def trust(case: Case) -> Faults:
    """Templates are programs."""
    paths = ["chat_template"] if case.value.get("chat_template") else []
    paths += [f"{_ARGUMENTS}.chat_template"] if case.object(_ARGUMENTS).get("chat_template") else []
    for path in paths:
        message = f"{path} needs a server with --trust-request-chat-template; others refuse it"
        yield Fault(path, message)


@rule("chat_template.kwargs_unexpected")
def reserved_arguments(case: Case) -> Faults:
    """Names that the call of the template gives itself."""
    for name, value in case.object(_ARGUMENTS).items():
        path = f"{_ARGUMENTS}.{name}"
        if name in _RESERVED and value is not None:
            yield Fault(path, f"{path}: the server gives {name} itself", drop(path))
        elif name in _CHOICES and not _is_choice(value, _CHOICES[name]):
            message = f"{path} is none of {listed(map(shown, _CHOICES[name]), 'or')}"
            yield Fault(path, message, drop(path))
        elif name in ("tools", "documents") and not _is_objects(value):
            yield Fault(
                path, f"{path} must be a list of objects; there is a field {name}", drop(path)
            )
        elif name == "chat_template" and not isinstance(value, str | None):
            yield Fault(path, f"{path} must be a text, got {shown(value)}", drop(path))
        elif name == "tokenizer_kwargs" and not isinstance(value, dict | None):
            yield Fault(path, f"{path} must be an object, got {shown(value)}", drop(path))
        elif name == "return_assistant_tokens_mask" and value:
            yield Fault(path, f"{path} cannot be asked for", drop(path))


def _is_choice(value: Any, choices: tuple[Any, ...]) -> bool:
    return any(
        value is choice or (isinstance(value, str) and value == choice) for choice in choices
    )


def _is_objects(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(x, dict) for x in value))


@own_rule(
    "chat_template_kwargs.overruled",
    "The request's own fields win over arguments of the same name.",
    (_ARGUMENTS,),
    endpoints=TEMPLATED,
    since="0.11.0",
)
def overruled(case: Case) -> Faults:
    """Also by their defaults."""
    for name in _OVERRULED:
        if case.object(_ARGUMENTS).get(name) is not None:
            path = f"{_ARGUMENTS}.{name}"
            message = f"{path} is overruled by the field {name}, also by its default"
            yield Fault(path, message, drop(path) if name in case.sent else move(path, name))


@own_rule(
    "chat_template_kwargs.text_for_switch",
    "A template takes any text for true.",
    (_ARGUMENTS,),
    kind="normalize",
    endpoints=TEMPLATED,
)
def text_for_switch(case: Case) -> Faults:
    """Even the text false."""
    for name in SWITCHES:
        value = case.object(_ARGUMENTS).get(name)
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            path = f"{_ARGUMENTS}.{name}"
            message = f"{path} {shown(value)} is a text, and a template takes any text for true"
            yield Fault(path, message, put(path, value.strip().lower() == "true"))


@own_rule(
    "reasoning_effort.contradicted",
    "An argument enable_thinking wins over what reasoning_effort would set.",
    ("reasoning_effort", _ARGUMENTS),
    kind="normalize",
    endpoints=_CHAT,
    since="0.22.0",
)
def contradicted(case: Case) -> Faults:
    """To think and not to think."""
    effort, switch = (
        case.value.get("reasoning_effort"),
        case.object(_ARGUMENTS).get("enable_thinking"),
    )
    if effort is not None and isinstance(switch, bool) and switch != (effort != "none"):
        message = (
            f"reasoning_effort {shown(effort)} and {_ARGUMENTS}.enable_thinking {shown(switch)} "
            "contradict each other; the template sees both, and enable_thinking stays as it is"
        )
        yield Fault("reasoning_effort", message)


@own_rule(
    "chat_template.not_a_template",
    "A chat template is the template itself, not the name of a file.",
    ("chat_template",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def no_template(case: Case) -> Faults:
    """Every prompt would be this text."""
    text = case.value.get("chat_template")
    if isinstance(text, str) and text and "{{" not in text and "{%" not in text:
        kind = "looks like the name of a file" if text.endswith(".jinja") else "has no {{ or {%"
        message = f"chat_template {shown(text, 40)} {kind}: every prompt would be this text"
        yield Fault("chat_template", message)


@own_rule(
    "chat_template.syntax",
    "A chat template is Jinja.",
    ("chat_template", _ARGUMENTS),
    kind="reject",
    endpoints=TEMPLATED,
)
def syntax(case: Case) -> Faults:
    """What can be told without Jinja itself."""
    given = {
        "chat_template": case.value.get("chat_template"),
        f"{_ARGUMENTS}.chat_template": case.object(_ARGUMENTS).get("chat_template"),
    }
    for path, text in given.items():
        if isinstance(text, str) and "{" in text:
            from vllmctl.rules.syntax.jinja import jinja_refusal

            reason = jinja_refusal(text)
            if reason:
                yield Fault(path, f"{path} is no Jinja: {reason}")


@own_rule(
    "chat_template.thinking_switch",
    "enable_thinking is a plain value: the server looks up what it reads answers with by it.",
    (_ARGUMENTS,),
    kind="reject",
    endpoints=_CHAT,
    since="0.32.0",
)
def thinking_switch(case: Case) -> Faults:
    """Neither a list nor an object can be looked up."""
    value = case.object(_ARGUMENTS).get("enable_thinking")
    if isinstance(value, list | dict):
        path = f"{_ARGUMENTS}.enable_thinking"
        yield Fault(path, f"{path} must be true or false, got {shown(value)}")


@rule("mm_kwargs.trust")
def media_arguments(case: Case) -> Faults:
    """They can cost a server a lot."""
    for name in ("mm_processor_kwargs", "media_io_kwargs"):
        if case.value.get(name):
            yield Fault(name, f"{name} needs a server with --trust-request-mm-kwargs")


@rule("thinking_token_budget.config", "thinking_token_budget.v2runner")
def budget_config(case: Case) -> Faults:
    """Somebody has to know where thinking ends."""
    if case.is_set("thinking_token_budget"):
        message = (
            "thinking_token_budget needs a server with --reasoning-parser or --reasoning-config"
        )
        yield Fault("thinking_token_budget", message)


@rule("thinking_token_budget.range")
def budget_range(case: Case) -> Faults:
    """-1 is no limit."""
    value = case.sent.get("thinking_token_budget")
    if value is None:
        return
    if type(value) is not int or value < -1:
        message = (
            f"thinking_token_budget must be an integer of at least 0, or -1, got {shown(value)}"
        )
        yield Fault("thinking_token_budget", message, drop("thinking_token_budget"))


@own_rule(
    "echo.other_role",
    "echo puts the last message in front of an answer of the same role.",
    ("echo",),
    kind="normalize",
    endpoints=_CHAT,
)
def echo_of_nothing(case: Case) -> Faults:
    """An answer is the assistant's, unless no turn of its own is opened for it."""
    last = case.items("messages")[-1:]
    role = last[0].get("role") if last and isinstance(last[0], dict) else "assistant"
    opens = case.value.get("add_generation_prompt") is not False
    if case.value.get("echo") is True and opens and role != "assistant":
        message = f"echo adds nothing: the last message is of role {role}, and no answer is"
        yield Fault("echo", message)


@own_rule(
    "documents.template",
    "Documents go to the chat template; one that does not read them leaves them out.",
    ("documents",),
    kind="normalize",
    endpoints=_CHAT,
)
def documents(case: Case) -> Faults:
    """The server tells nobody whether its template reads them."""
    if case.items("documents"):
        message = "documents count with chat templates that read them; most leave them out"
        yield Fault("documents", message, None, Level.NOTE)


@own_rule(
    "chat_template_kwargs.misspelt",
    "Templates read arguments by their names, and take no notice of others.",
    (_ARGUMENTS,),
    kind="normalize",
    endpoints=TEMPLATED,
)
def misspelt_switch(case: Case) -> Faults:
    """Only of the usual ones it can be told."""
    given = case.object(_ARGUMENTS)
    for name in given:
        if name in SWITCHES:
            continue
        from vllmctl.nearest import nearest

        near = nearest(name, SWITCHES, cutoff=_VERY_LIKE)
        if near is not None and near not in given:
            path = f"{_ARGUMENTS}.{name}"
            message = f"{path}: the usual name is {near}; templates leave out what they do not know"
            yield Fault(path, message, move(path, f"{_ARGUMENTS}.{near}"))
