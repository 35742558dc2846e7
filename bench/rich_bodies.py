"""Makes request bodies as people write them: conversations, tools, constraints, all at once.

They are meant to be right, but for what the dice put together; ``damage`` makes them wrong.
"""

import json
import random
from collections.abc import Callable
from typing import Any

from bench.body_values import TAG
from bench.constraints import Constraints
from vllmctl.catalog.facts import Endpoint

Body = dict[str, Any]
Make = Callable[[], Any]

_WORDS = ("hi", "The river", "Was kostet das?", "日本", "é🙂", "a\nb", "x" * 40, "{}", "<think>")
_PART_KEYS = {"refusal": "refusal", "thinking": "thinking"}
_ROLES = ("tool", "function", "wizard", "assistant", "developer")
_NAMES = ("f", "get_weather", "search-2", "g")


class RichBodies:
    """Makes bodies of one endpoint."""

    def __init__(self, of: Endpoint, dice: random.Random) -> None:
        self._dice = dice
        self._constraints = Constraints(dice)
        self._chat = "messages" in of.fields
        own = self._of_chat() if self._chat else self._of_completions()
        self._makers = self._shared() | own
        self._plain = [name for name in of.fields if name in self._makers]

    def body(self) -> Body:
        """Return a body with some fields."""
        count = self._dice.choice((0, 1, 1, 2, 3, 4, 6))
        body: Body = {"model": "tiny", **self._told(), "max_tokens": 2}
        for name in self._dice.sample(self._plain, count):
            body[name] = self._makers[name]()
        if "tool_choice" in body and self._dice.random() < 0.8:
            body["tools"] = self._tools()
            body["tool_choice"] = self._tool_choice(body["tools"])
        return body

    def _told(self) -> Body:
        if self._chat:
            return {"messages": self._messages()}
        return {"prompt": self._prompt()}

    def _one(self, *values: Any) -> Make:
        return lambda: self._dice.choice(values)

    def _shared(self) -> dict[str, Make]:
        one, dice = self._one, self._dice
        return {
            "frequency_penalty": lambda: round(dice.uniform(-2, 2), 3),
            "presence_penalty": lambda: dice.choice((-2, 2, 0.0, 1.5)),
            "repetition_penalty": one(0.1, 1, 1.0, 2.5, 1e-6),
            "temperature": one(0, 0.0, 0.2, 1, 1.3, 2, 1e-5),
            "top_p": one(0.1, 1, 0.999999),
            "top_k": one(-1, 0, 1, 50, 10**6),
            "min_p": one(0, 0.3, 1),
            "n": one(1, 1, 1, 2, 3),
            "seed": one(0, -5, 2**31, 2**63 - 1, -(2**63)),
            "logit_bias": lambda: {str(dice.randrange(4000)): dice.uniform(-99, 99)},
            "stop": lambda: dice.choice((self._word(), [], [self._word() for _ in range(3)])),
            "stop_token_ids": lambda: [dice.randrange(4000) for _ in range(dice.randrange(4))],
            "allowed_token_ids": lambda: [
                dice.randrange(4000) for _ in range(1 + dice.randrange(9))
            ],
            "bad_words": lambda: [self._word() for _ in range(dice.randrange(3))],
            "min_tokens": one(0, 1, 2),
            "stream": one(True, False),
            "user": one("u", ""),
            "ignore_eos": one(True, False),
            "include_stop_str_in_output": one(True, False),
            "skip_special_tokens": one(True, False),
            "spaces_between_special_tokens": one(True, False),
            "use_beam_search": one(True, False),
            "length_penalty": one(0, 1.5, -1),
            "truncate_prompt_tokens": one(-1, 1, 5),
            "truncation_side": one("left", "right"),
            "prompt_logprobs": one(0, 1, 5),
            "add_special_tokens": one(True, False),
            "response_format": self._response_format,
            "structured_outputs": self._structured_outputs,
            "priority": one(-3, 0, 7),
            "request_id": one("r-1", "é"),
            "session_id": one("s"),
            "cache_salt": one("pepper", "a" * 128, "é"),
            "return_tokens_as_token_ids": one(True, False),
            "return_token_ids": one(True, False),
            "vllm_xargs": one({"a": 1}, {"a": "x", "b": [1, 2.5, "y"]}, {}, {"a": 2**63 - 1}),
            "kv_transfer_params": one({"do_remote_decode": False}, {}),
            "repetition_detection": one(
                {"max_pattern_size": 4, "min_count": 2},
                {"max_pattern_size": 8, "min_pattern_size": 2, "min_count": 3},
                {"max_pattern_size": 0},
            ),
            "thinking_token_budget": one(-1, 0, 5, 10**6),
            "logprob_token_ids": lambda: [dice.randrange(4000) for _ in range(dice.randrange(4))],
            "stream_interval": one(1, 5),
        }

    def _of_chat(self) -> dict[str, Make]:
        one = self._one
        return {
            "stream_options": self._stream_options,
            "logprobs": one(True, True, False),
            "top_logprobs": one(0, 1, 5),
            "max_completion_tokens": one(1, 2, 3),
            "tools": self._tools,
            "tool_choice": one("none", "auto"),
            "parallel_tool_calls": one(True, False),
            "reasoning_effort": one("none", "low", "medium", "high"),
            "include_reasoning": one(True, False),
            "echo": one(True, False),
            "add_generation_prompt": one(True, False),
            "continue_final_message": one(True, False),
            "documents": one([], [{"title": "Bees", "text": "They fly."}], [{"a": "b"}]),
            "chat_template": one("{{ messages[-1].content }}", "{% if tools %}t{% endif %}x"),
            "chat_template_kwargs": one({"enable_thinking": False}, {}, {"x": [1, {"y": None}]}),
        }

    def _of_completions(self) -> dict[str, Make]:
        one = self._one
        return {
            "stream_options": self._stream_options,
            "logprobs": one(0, 1, 5),
            "echo": one(True, False),
            "prompt": self._prompt,
        }

    def _word(self) -> str:
        return self._dice.choice(_WORDS)

    def _stream_options(self) -> Body:
        names = ("include_usage", "continuous_usage_stats")
        chosen = self._dice.sample(names, self._dice.randrange(3))
        return {name: self._dice.random() < 0.7 for name in chosen}

    def _prompt(self) -> Any:
        dice = self._dice
        ids = [dice.randrange(4000) for _ in range(1 + dice.randrange(4))]
        return dice.choice(
            (
                self._word(),
                [self._word()],
                [self._word(), self._word()],
                ids,
                [ids, [dice.randrange(4000)]],
            )
        )

    def _messages(self) -> list[Any]:
        """A conversation: perhaps a system message, then turns, perhaps with tool calls."""
        dice = self._dice
        talk: list[Any] = []
        if dice.random() < 0.4:
            role = dice.choice(("system", "system", "developer"))
            talk.append({"role": role, "content": self._content(("text",))})
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            talk.append(self._user())
            if dice.random() < 0.3:
                talk += self._answer()
        return talk

    def _user(self) -> Body:
        role = "user" if self._dice.random() < 0.95 else self._dice.choice(_ROLES)
        kinds = ("text", "text", "input_text", "output_text", "thinking")
        message: Body = {"role": role, "content": self._content(kinds)}
        if self._dice.random() < 0.1:
            message["name"] = "bob"
        return message

    def _answer(self) -> list[Body]:
        dice = self._dice
        message: Body = {"role": "assistant", "content": self._content(("text", "refusal"))}
        if dice.random() < 0.3:
            message[dice.choice(("reasoning", "reasoning_content"))] = self._word()
        if dice.random() < 0.4:
            calls = [self._call(f"c{place}") for place in range(1 + dice.randrange(2))]
            message["tool_calls"] = calls
            if dice.random() < 0.6:
                message["content"] = None
            results = [{"role": "tool", "tool_call_id": call["id"]} for call in calls]
            return [message, *({**one, "content": self._content(("text",))} for one in results)]
        return [message]

    def _call(self, name: str) -> Body:
        arguments = self._dice.choice(('{"city": "Köln"}', "{}", '{"a": [1, {"b": null}]}', ""))
        function = {"name": self._dice.choice(_NAMES), "arguments": arguments}
        return {"id": name, "type": "function", "function": function}

    def _content(self, kinds: tuple[str, ...]) -> Any:
        dice = self._dice
        if dice.random() < 0.5:
            return self._word()
        if dice.random() < 0.1:
            return [self._word(), self._part(kinds[0])][:: dice.choice((1, -1))]
        return [self._part(dice.choice(kinds)) for _ in range(1 + dice.randrange(2))]

    def _part(self, kind: str) -> Body:
        return {"type": kind, _PART_KEYS.get(kind, "text"): self._word()}

    def _tools(self) -> list[Body]:
        names = self._dice.sample(_NAMES, 1 + self._dice.randrange(3))
        return [{"type": "function", "function": self._function(name)} for name in names]

    def _function(self, name: str) -> Body:
        dice = self._dice
        function: Body = {"name": name}
        if dice.random() < 0.7:
            function["parameters"] = self._constraints.object_schema()
        if dice.random() < 0.4:
            function["description"] = self._word()
        if dice.random() < 0.3:
            function["strict"] = dice.random() < 0.5
        return function

    def _tool_choice(self, tools: list[Body]) -> Any:
        name = self._dice.choice(tools)["function"]["name"]
        named = {"type": "function", "function": {"name": name}}
        return self._dice.choice(("none", "auto", "required", named, named))

    def _response_format(self) -> Body:
        schema = self._constraints.schema()
        return self._dice.choice(
            (
                {"type": "text"},
                {"type": "json_object"},
                {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}},
                {
                    "type": "json_schema",
                    "json_schema": {
                        "name": "n",
                        "description": "d",
                        "schema": schema,
                        "strict": True,
                    },
                },
                self._constraints.tag(),
            )
        )

    def _structured_outputs(self) -> Body:
        made = self._constraints
        kinds: dict[str, Make] = {
            "json": lambda: self._dice.choice((dict, json.dumps))(made.schema()),
            "regex": made.regex,
            "choice": lambda: [self._word() for _ in range(1 + self._dice.randrange(3))],
            "grammar": made.grammar,
            "json_object": lambda: True,
            "structural_tag": lambda: json.dumps(self._dice.choice((TAG, made.tag()))),
        }
        kind = self._dice.choice(list(kinds))
        found: Body = {kind: kinds[kind]()}
        if self._dice.random() < 0.2:
            found["disable_any_whitespace"] = True
        if self._dice.random() < 0.1:
            found["whitespace_pattern"] = "[ \\n]?"
        return found
