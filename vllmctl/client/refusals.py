"""What servers refused for want of a flag: learnt from their words, remembered, checked again.

A server that was started anew may have the flag by now. So what is remembered counts for
sure only while the very process runs that refused; its start is in ``/metrics``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from time import time
from typing import Any

from vllmctl.catalog.served import Refusal
from vllmctl.client.probe import hurried
from vllmctl.client.server import Server
from vllmctl.client.transport import open_exchange
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.request.cache_file import CacheFile

_WORDS = (
    (r'"auto" tool choice requires', "tool_choice.auto_needs_flags"),
    (r"tool_choice=.* requires --tool-call-parser", "tool_choice.forced_needs_parser"),
    (r"logprobs of .* greater than max allowed: (\d+)", "sp.max_logprobs"),
    (r"^max_(?:completion_)?tokens=.* max_model_len ?= ?(\d+)", "context.max_tokens_over"),
    (r"^truncate_prompt_tokens=.* max_model_len ?= ?(\d+)", "truncate.too_large"),
    (r"reasoning_config is not configured", "thinking_token_budget.config"),
    (r"--trust-request-chat-template", "chat_template.trust"),
    (r"--trust-request-mm-kwargs", "mm_kwargs.trust"),
    (r"--enable-prompt-embeds", "completions.embeds_flag"),
    (r"--enable-mm-embeds", "messages.mm_embeds_flag"),
    (r"--allowed-local-media-path", "messages.local_media"),
    (r"is not a multimodal model", "messages.text_model"),
    (r"FIM completion", "completions.suffix_fim"),
    (r"[Pp]riority scheduling is not enabled", "priority.v0"),
    (r"--logits-processor-pattern", "logits_processors.pattern"),
    (r"[Ss]peculative decoding", "sp.spec_decode"),
    (r"kv-sharing-fast-prefill", "sp.kv_sharing"),
    (r"[Dd]iffusion", "sp.diffusion"),
)
"""A server's words, with the number that they name, and the rule that they bear out."""

_LONGEST_KEPT = 30 * 24 * 3600
_MOST_KEPT = 100
_LONGEST_WORDS = 200
_PATIENCE = 2.0
# Plain texts: an ordinary run looks at none of them and should not pay for compiling them.
_START = rb"(?m)^process_start_time_seconds ([0-9.e+]+)"
_CREATED = rb"(?m)^\S+_created(?:\{[^}\n]*\})? ([0-9.e+]+)"


def rule_in(message: str) -> tuple[str, int | None]:
    """Return the rule that a server's words bear out (empty: none), and the number in them."""
    for words, rule in _WORDS:
        found = re.search(words, message)
        if found:
            return rule, int(found[1]) if found.re.groups else None
    return "", None


def learn(server: Server, message: str, env: Environment) -> None:
    """Remember what ``message`` shows about a server; most messages show nothing."""
    rule, limit = rule_in(message)
    if not rule or server.url.is_mock:
        return
    started = process_start(server)
    entry = {"words": message[:_LONGEST_WORDS], "at": time(), "limit": limit}

    def with_entry(known: Mapping[str, Any]) -> Mapping[str, Any]:
        rules = _rules(known) if _same(known.get("started"), started) else {}
        return {"started": started, "rules": {**rules, rule: entry}}

    _Memory(env).update(server, with_entry)


def recall(server: Server, env: Environment) -> Mapping[str, Refusal]:
    """Return what a server refused lately, by rule; nobody is asked."""
    found = {}
    for rule, entry in _rules(_Memory(env).of(server)).items():
        refusal = _refusal(entry)
        if refusal is not None:
            found[rule] = refusal
    return found


def confirmed(server: Server, env: Environment) -> Mapping[str, Refusal]:
    """Return what is remembered of a server, after a look whether the same process runs.

    That is one request. Of a process that is gone everything is forgotten; where the start
    cannot be told, nothing is sure.
    """
    found = recall(server, env)
    memory = _Memory(env)
    before, now = memory.of(server).get("started"), process_start(server)
    if not found or before is None or now is None:
        return found
    if not _same(before, now):
        memory.update(server, lambda known: known if _same(known.get("started"), now) else {})
        return {}
    return {rule: refusal._replace(is_current=True) for rule, refusal in found.items()}


def forget(server: Server, rules: Iterable[str], env: Environment) -> None:
    """Forget that a server refused what it has just answered."""
    memory, gone = _Memory(env), set(rules)
    if not gone & _rules(memory.of(server)).keys():
        return

    def without(known: Mapping[str, Any]) -> Mapping[str, Any]:
        left = {rule: entry for rule, entry in _rules(known).items() if rule not in gone}
        return {**known, "rules": left} if left else {}

    memory.update(server, without)


def process_start(server: Server) -> float | None:
    """Return when a server was started (Unix time), or ``None`` when it does not tell."""
    try:
        with open_exchange(hurried(server, _PATIENCE), "GET", "/metrics") as response:
            page = response.read() if response.status == 200 else b""
    except VllmctlError:
        return None
    start = re.search(_START, page)
    times = [start[1]] if start else re.findall(_CREATED, page)
    try:
        return min(map(float, times), default=None)
    except ValueError:
        return None


def _same(one: Any, other: Any) -> bool:
    """Whether two starts are one; a server that tells none may be the same one."""
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return one is other
    return bool(abs(one - other) < 1)


def _rules(known: Mapping[str, Any]) -> dict[str, Any]:
    rules = known.get("rules")
    return rules if isinstance(rules, dict) else {}


def _refusal(entry: Any) -> Refusal | None:
    if not isinstance(entry, dict):
        return None
    words, at, limit = entry.get("words"), entry.get("at"), entry.get("limit")
    if not isinstance(words, str) or not isinstance(at, int | float):
        return None
    if not 0 <= time() - at < _LONGEST_KEPT:
        return None
    return Refusal(words, at, limit if isinstance(limit, int) else None)


class _Memory:
    """What is remembered of all servers."""

    def __init__(self, env: Environment) -> None:
        self._file = CacheFile("refusals.json", env)

    def of(self, server: Server) -> dict[str, Any]:
        """Return what is kept of a server."""
        return _of(server, self._file.read_object())

    def update(
        self, server: Server, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> None:
        """Keep what ``change`` makes of what is kept of a server; nothing in it: forget it."""

        def changed(every: dict[str, Any]) -> dict[str, Any]:
            after = change(_of(server, every))
            others = {name: known for name, known in every.items() if name != server.url.name}
            kept = {**others, server.url.name: after} if after else others
            return dict(list(kept.items())[-_MOST_KEPT:])

        self._file.update_object(changed)


def _of(server: Server, every: Mapping[str, Any]) -> dict[str, Any]:
    known = every.get(server.url.name)
    return known if isinstance(known, dict) else {}
