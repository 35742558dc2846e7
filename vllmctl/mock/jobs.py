"""From a request's body to the job that answers it."""

from collections.abc import Mapping, Sequence
from random import Random
from threading import Lock
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.mock.job import Job, Planner, new_id
from vllmctl.mock.options import MockOptions
from vllmctl.mock.plan import Plan, chat_plan, completion_plan, thinks
from vllmctl.mock.prompt import chat_prompt
from vllmctl.mock.prompts import completion_prompts, cut
from vllmctl.mock.refusing import order, server
from vllmctl.mock.refusing.judge import CHAT, COMPLETIONS, Judge, judge
from vllmctl.mock.refusing.parts import refuse_parts
from vllmctl.mock.refusing.wording import blame
from vllmctl.mock.sampling import sampling
from vllmctl.mock.tokenizer import decode, encode
from vllmctl.mock.types import Checked
from vllmctl.mock.wire import RefusedError

Body = Mapping[str, Any]
Ids = Sequence[int]

_BLOCK = 128
_MOST_BLOCKS = 10_000
_PROMPT_RULES = (
    "completions.embeds_echo",
    "completions.embeds_prompt_logprobs",
    "completions.prompt_shape",
)


class JobMaker:
    """Makes jobs for one server, and remembers which prompts it has seen."""

    def __init__(self, options: MockOptions) -> None:
        self._options = options
        self._cache = _PrefixCache()

    def chat(self, body: Body, request_id: str) -> Job:
        """Return the job of a chat request.

        Raises:
            RefusedError: the request is not right.
        """
        options = self._options
        facts = endpoint(CHAT, options.target)
        asks = judge(facts, options)
        checked = asks.read(body)
        value = checked.value
        server.refuse_chat(value, options, facts)
        self._refuse_messages(asks, body, checked)
        ids = encode(chat_prompt(value, thinking=thinks(value, options)))

        def plan(_: Ids, random: Random) -> Plan:
            return chat_plan(value, options, random)

        return self._job(
            _Asked(facts, body, value, [cut(ids, value, options.max_model_len)]), plan, request_id
        )

    def completion(self, body: Body, request_id: str) -> Job:
        """Return the job of a completion request.

        Raises:
            RefusedError: the request is not right.
        """
        options = self._options
        facts = endpoint(COMPLETIONS, options.target)
        if body.get("max_tokens", 0) is None:
            body = {name: value for name, value in body.items() if name != "max_tokens"}
        asks = judge(facts, options)
        value = asks.read(body).value
        server.refuse_suffix(value)
        asks.refuse(_PROMPT_RULES, body, value)
        server.refuse_lengths(value, options, chat=False)
        prompts = [cut(ids, value, options.max_model_len) for ids in completion_prompts(value)]

        def plan(ids: Ids, random: Random) -> Plan:
            return completion_plan(decode(ids), value, options, random)

        return self._job(_Asked(facts, body, value, prompts), plan, request_id)

    def tokens(self, name: str, body: Body) -> Body:
        """Return the body of ``/tokenize`` or ``/detokenize`` as the server reads it.

        Raises:
            RefusedError: the request is not right.
        """
        facts = endpoint(name, self._options.target)
        asks = judge(facts, self._options)
        checked = asks.read(body)
        value = checked.value
        if "messages" in value:
            server.refuse_media(value, facts)
            self._refuse_messages(asks, body, checked)
        asks.refuse((*order.PROMPT, *order.TOKENS), body, value)
        return value

    def _refuse_messages(self, asks: Judge, body: Body, checked: Checked) -> None:
        """Raise what is found while messages become a prompt."""
        value, joins = checked.value, asks.knows("messages.part_text")
        refuse_parts(value["messages"], self._options.models[0], checked.unread, joins=joins)
        asks.refuse(order.TEMPLATE, body, value)
        if checked.stumbles:
            raise RefusedError("string indices must be integers, not 'str'")

    def _job(self, asked: "_Asked", plan: Planner, request_id: str) -> Job:
        options, value, prompts = self._options, asked.value, asked.prompts
        chat = asked.facts.name == CHAT
        asks = judge(asked.facts, options)
        asks.refuse(order.PROMPT, asked.body, value)
        for ids in prompts:
            server.refuse_prompt(ids, options)
        asks.refuse_sampling(asked.body, value)
        asks.refuse_in_engine(asked.body, value, prompts)
        room = options.max_model_len - max(map(len, prompts))
        if room < 1:
            raise blame(f"max_tokens must be at least 1, got {room}.", "max_tokens", room)
        cached, created = self._cache.use(prompts)
        name = value.get("request_id") or request_id or new_id()
        return Job(
            id=f"{'chatcmpl' if chat else 'cmpl'}-{name}",
            body=value,
            options=options,
            prompts=prompts,
            limits=sampling(value, room, chat=chat),
            plan=plan,
            cached=cached,
            created_cache=created,
        )


class _Asked(NamedTuple):
    """A body that is right so far: as sent, as read, and its prompts."""

    facts: Endpoint
    body: Body
    value: Body
    prompts: list[list[int]]


class _PrefixCache:
    """Which prompt beginnings were seen, in blocks as the engine's cache has them."""

    def __init__(self) -> None:
        self._seen: dict[int, None] = {}
        self._lock = Lock()

    def use(self, prompts: Sequence[Ids]) -> tuple[int, int]:
        """Return how many tokens were found, and how many were put in."""
        found = created = 0
        with self._lock:
            for ids in prompts:
                for end in range(_BLOCK, len(ids) + 1, _BLOCK):
                    key = hash(tuple(ids[:end]))
                    if key in self._seen:
                        found += _BLOCK
                    else:
                        created += _BLOCK
                        self._seen[key] = None
            while len(self._seen) > _MOST_BLOCKS:
                self._seen.pop(next(iter(self._seen)))
        return found, created
