"""What to do next after an error, by what kind it is."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from vllmctl.nearest import nearest
from vllmctl.record import Record

if TYPE_CHECKING:
    from vllmctl.client.error_body import Said


def _no_models() -> Sequence[str]:
    return ()


class Asked(Record, frozen=True):
    """What was asked, for words about why it failed.

    ``key_source`` is where the key came from (empty: none was sent); ``url_source`` where
    the address did; ``served`` gives the server's models, and is called only when needed.
    """

    url: str = ""
    method: str = "POST"
    model: str = ""
    key_source: str = ""
    url_source: str = ""
    served: Callable[[], Sequence[str]] = _no_models


_TOO_LONG = r"maximum context length|greater than max_model_len|longer than the maximum model"
_BY_WORDS: tuple[tuple[str, str], ...] = (
    (
        r"enable-auto-tool-choice|tool-call-parser",
        "the server has to be started with --enable-auto-tool-choice --tool-call-parser NAME",
    ),
    (
        r"greater than max allowed",
        "the server's limit, 20 unless it was started with another --max-logprobs",
    ),
    (
        r"(does not support|no) chat|chat template (has|is not|must)|default chat template",
        "a base model without a chat template: use `vllmctl complete`",
    ),
    (
        r"trust-request-chat-template|must be started|--enable-[a-z-]+|restart vllm serve",
        "this is decided when the server is started, not in a request",
    ),
    (r"not a multimodal model", "this model takes text only; leave images, audio and video out"),
    (
        r"engine\s?dead|enginecore|engine process|engine (loop|core)? ?(has )?(died|dead|stopped)",
        "the engine has died: the server must be started again, and its log says why",
    ),
    (r"out of memory", "the server ran out of memory; try a shorter or a smaller request"),
)


def hint_for(status: int, said: "Said", asked: Asked, wait: float | None = None) -> str:
    """Return the next step after ``status``; empty when the server's words say it all.

    ``wait`` is the pause that the server asked for, in seconds.
    """
    if said.page and status < 500 and status not in (413, 429):
        return f"a web page, not vLLM, answers at {asked.url}; is the address right?"
    if re.search(_TOO_LONG, said.message, re.IGNORECASE):
        from vllmctl.client.room import room

        return room(said.message, chat="/chat/" in asked.url)
    for words, hint in _BY_WORDS:
        if re.search(words, f"{said.kind} {said.message}", re.IGNORECASE):
            return hint
    by_status = _BY_STATUS.get(status)
    return by_status(said, asked, wait) if by_status else ""


def _key(_said: "Said", asked: Asked, _wait: float | None) -> str:
    if asked.key_source:
        return f"the server does not take the key from {asked.key_source}"
    return (
        "no key was sent: set VLLMCTL_API_KEY, or api_key_env in a profile "
        "(what is outside /v1, /health say, may need none)"
    )


def _forbidden(_said: "Said", asked: Asked, _wait: float | None) -> str:
    return f"the key from {asked.key_source} may not do this" if asked.key_source else ""


def _not_found(said: "Said", asked: Asked, _wait: float | None) -> str:
    if said.param == "model" or "model" in said.message.lower():
        return _unknown_model(said, asked)
    hint = f"this server has no {asked.method} {asked.url}: another address, model or release?"
    return f"{hint} The address comes from {asked.url_source}" if asked.url_source else hint


def _unknown_model(said: "Said", asked: Asked) -> str:
    names = list(asked.served())
    if not names:
        return "" if "alias" in said.message else "`vllmctl models` lists what it serves"
    guess = nearest(asked.model, names)
    meant = f"did you mean {guess}? " if guess else ""
    told = all(name in said.message for name in names)
    serves = "" if told else f"It serves {', '.join(names)}; "
    return f"{meant}{serves}-m/--model names one"


def _method(_said: "Said", asked: Asked, _wait: float | None) -> str:
    return f"{asked.url} takes no {asked.method}: another program, or another release of vLLM?"


def _too_large(_said: "Said", _asked: Asked, _wait: float | None) -> str:
    return "a proxy's limit mostly, vLLM has none (nginx: client_max_body_size); send less"


def _busy(_said: "Said", _asked: Asked, wait: float | None) -> str:
    asks = f"the server asks to wait {wait:g} s; " if wait is not None else ""
    return f"{asks}--retries N waits and tries again"


def _fault(_said: "Said", _asked: Asked, _wait: float | None) -> str:
    return (
        "the server's log says why; often it is the request: a schema, tool, image or chat "
        "template that it did not expect, or log-probabilities with echo, top_k or top_p"
    )


def _bad_gateway(_said: "Said", _asked: Asked, _wait: float | None) -> str:
    return "a proxy answers, and no server behind it: is vLLM up, and where the proxy looks?"


def _gateway_timeout(_said: "Said", _asked: Asked, _wait: float | None) -> str:
    return "a proxy lost patience: raise its read timeout, or stream, so that bytes keep coming"


_BY_STATUS: dict[int, Callable[["Said", Asked, float | None], str]] = {
    401: _key,
    403: _forbidden,
    404: _not_found,
    405: _method,
    413: _too_large,
    429: _busy,
    500: _fault,
    502: _bad_gateway,
    503: _busy,
    504: _gateway_timeout,
}
