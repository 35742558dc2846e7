"""Make a tiny chat model of the Qwen3 architecture, from nothing but this folder.

The tokenizer is trained on Python's own help texts and on made-up chats; the network
(1.1 M parameters) on the same chats, until it thinks in ``<think>``, ends its turns and
calls ``get_weather`` when tools are given. Runs in the virtual environment that
``install.sh`` makes: ``python make_model.py FOLDER [--steps N]``.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import torch
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Qwen3Config, Qwen3ForCausalLM

TEMPLATE = (Path(__file__).parent / "chat_template.jinja").read_text(encoding="utf-8")
PROSE = "\n\n".join(topics.values())
END_OF_TEXT, END_OF_TURN = "<|endoftext|>", "<|im_end|>"
CONTROL_TOKENS = [END_OF_TEXT, "<|im_start|>", END_OF_TURN]
MARKERS = ["think", "tool_call", "tool_response"]
VOCABULARY = 4000
SEQUENCE, BATCH = 288, 10
PROSE_EVERY = 6  # one row in six is plain English
IGNORED = -100  # a label that the loss leaves out

CITIES = [
    "Paris",
    "London",
    "Rome",
    "Berlin",
    "Madrid",
    "Tokyo",
    "Oslo",
    "Lisbon",
    "Vienna",
    "Dublin",
]
THINGS = ["cats", "dogs", "trains", "stars", "rivers", "bread", "music", "chess", "robots", "bees"]


def function_tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    """Return an OpenAI-style tool with the given properties, ``city`` being required."""
    parameters = {"type": "object", "properties": properties, "required": ["city"]}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


CITY = {"type": "string"}
UNIT = {"type": "string", "enum": ["c", "f"]}
WEATHER_TOOLS = [
    function_tool("get_weather", "Get the weather", city=CITY),
    function_tool("get_weather", "Get the current weather in a city", city=CITY, unit=UNIT),
]
TIME_TOOL = function_tool("get_time", "Get the time in a city", city=CITY)


@dataclass(slots=True)
class Exchange:
    """A question, what the model thinks of it, and its answer."""

    question: str
    thought: str
    answer: str


class Chats:
    """An endless supply of made-up chats; the same seed gives the same chats."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
        self.template = environment.from_string(TEMPLATE)

    def example(self) -> tuple[str, str]:
        """Return a prompt and the answer to learn, both as text with control tokens."""
        messages = self._system()
        tools = None
        if self.rng.random() < 0.4:
            tools = self._tools()
            exchange = self._tool_messages(messages)
        else:
            exchange = self._talk_messages(messages)
        thinks = self.rng.random() < 0.65
        thought = f"<think>\n{exchange.thought}\n</think>\n\n" if thinks else ""
        answer = f"{thought}{exchange.answer}{END_OF_TURN}\n{END_OF_TEXT}"
        return self.prompt(messages, tools=tools, enable_thinking=thinks), answer

    def prompt(self, messages: list[dict[str, Any]], **variables: Any) -> str:
        """Return ``messages`` as the chat template writes them, ready for an answer."""
        text: str = self.template.render(messages=messages, add_generation_prompt=True, **variables)
        return text

    def sentences(self, rounds: int) -> Iterator[str]:
        """Yield the texts that the tokenizer should know well."""
        for _ in range(rounds):
            for exchange in (self._talk(), self._weather()[0]):
                yield from (exchange.question, exchange.thought, exchange.answer)
        for tool in (*WEATHER_TOOLS, TIME_TOOL):
            yield from [json.dumps(tool)] * 20

    def _system(self) -> list[dict[str, Any]]:
        if self.rng.random() >= 0.3:
            return []
        content = self.rng.choice(["You are a helpful assistant.", "Be brief."])
        return [{"role": "system", "content": content}]

    def _tools(self) -> list[dict[str, Any]]:
        tools = [self.rng.choice(WEATHER_TOOLS)]
        return [*tools, TIME_TOOL] if self.rng.random() < 0.5 else tools

    def _tool_messages(self, messages: list[dict[str, Any]]) -> Exchange:
        exchange, city = self._weather()
        messages.append({"role": "user", "content": exchange.question})
        if self.rng.random() >= 0.25:
            return exchange
        function = {"name": "get_weather", "arguments": {"city": city}}
        messages.append({"role": "assistant", "tool_calls": [{"function": function}]})
        result = json.dumps({"temp": self.rng.randint(1, 30)})
        messages.append({"role": "tool", "content": result})
        return Exchange("", "The tool has answered.", f"It is sunny in {city}.")

    def _talk_messages(self, messages: list[dict[str, Any]]) -> Exchange:
        if self.rng.random() < 0.25:
            earlier = self._talk()
            messages.append({"role": "user", "content": earlier.question})
            messages.append({"role": "assistant", "content": earlier.answer})
        exchange = self._talk()
        messages.append({"role": "user", "content": exchange.question})
        return exchange

    def _talk(self) -> Exchange:
        kinds = [self._greeting, self._story, self._sum, self._unknown_weather]
        return self.rng.choices(kinds, weights=[35, 35, 15, 15])[0]()

    def _greeting(self) -> Exchange:
        return Exchange(
            self.rng.choice(["Hello", "Hi there!"]),
            "The user says hello, so I will greet them.",
            "Hello! I am a tiny model. How can I help you today?",
        )

    def _story(self) -> Exchange:
        thing = self.rng.choice(THINGS)
        starts = ["Tell me about {}.", "Write a poem about {}.", "What do you know about {}?"]
        return Exchange(
            self.rng.choice([*starts, "Tell me a story about {}"]).format(thing),
            f"The user asks about {thing}. I will write a few sentences.",
            f"Here is what I know about {thing}. They are very common, and many people like "
            f"{thing} a lot. One, two, three, four, five, six, seven, eight, nine, ten.",
        )

    def _sum(self) -> Exchange:
        a, b = self.rng.randint(1, 9), self.rng.randint(1, 9)
        return Exchange(f"What is {a}+{b}?", f"I must add {a} and {b}.", f"{a}+{b} is {a + b}.")

    def _unknown_weather(self) -> Exchange:
        city = self.rng.choice(CITIES)
        return Exchange(
            f"What is the weather in {city}?",
            f"The user wants the weather in {city}.",
            f"I do not know the weather in {city} today.",
        )

    def _weather(self) -> tuple[Exchange, str]:
        city = self.rng.choice(CITIES)
        call = json.dumps({"name": "get_weather", "arguments": {"city": city}})
        starts = [
            "What is the weather in {}?",
            "Weather in {}, please.",
            "How is the weather in {}?",
        ]
        exchange = Exchange(
            self.rng.choice(starts).format(city),
            f"The user wants the weather in {city}. I should call get_weather.",
            f"<tool_call>\n{call}\n</tool_call>",
        )
        return exchange, city


def train_tokenizer(chats: Chats) -> Tokenizer:
    """Return a byte-level BPE tokenizer that knows the control tokens and markers."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=CONTROL_TOKENS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([PROSE, *chats.sentences(600)], trainer)
    marks = [mark for name in MARKERS for mark in (f"<{name}>", f"</{name}>")]
    tokenizer.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in marks])
    return tokenizer


def make_network(tokenizer: Tokenizer) -> Qwen3ForCausalLM:
    """Return an untrained network of the Qwen3 architecture."""
    config = Qwen3Config(
        vocab_size=-(-tokenizer.get_vocab_size() // 64) * 64,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.token_to_id(END_OF_TURN),
        pad_token_id=tokenizer.token_to_id(END_OF_TEXT),
        bos_token_id=None,
        rms_norm_eps=1e-6,
        use_sliding_window=False,
    )
    return Qwen3ForCausalLM(config)


def train(network: Qwen3ForCausalLM, tokenizer: Tokenizer, chats: Chats, steps: int) -> None:
    """Train for ``steps`` batches; the loss is printed now and then."""
    prose = tokenizer.encode(PROSE).ids
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 4e-3, total_steps=max(steps, 100), pct_start=0.05
    )
    started = time.monotonic()
    network.train()
    for step in range(steps):
        loss = batch_loss(network, *make_batch(tokenizer, chats, prose))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0 or step == steps - 1:
            seconds = time.monotonic() - started
            print(f"step {step}: loss {loss.item():.3f}, {seconds:.0f} s", flush=True)
    network.eval()


def make_batch(
    tokenizer: Tokenizer, chats: Chats, prose: list[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and labels, each (rows, tokens); prompts and padding have no label."""
    inputs, labels = [], []
    padding = tokenizer.token_to_id(END_OF_TEXT)
    for row in range(BATCH):
        if row % PROSE_EVERY == 0:
            start = chats.rng.randrange(len(prose) - SEQUENCE)
            tokens = known = prose[start : start + SEQUENCE]
        else:
            prompt, answer = (tokenizer.encode(text).ids for text in chats.example())
            tokens = (prompt + answer)[:SEQUENCE]
            known = ([IGNORED] * len(prompt) + answer)[:SEQUENCE]
        missing = SEQUENCE - len(tokens)
        inputs.append(tokens + [padding] * missing)
        labels.append(known + [IGNORED] * missing)
    return torch.tensor(inputs), torch.tensor(labels)


def batch_loss(
    network: Qwen3ForCausalLM, inputs: torch.Tensor, labels: torch.Tensor
) -> torch.Tensor:
    """Return the mean cross entropy of the labelled tokens.

    Only the labelled positions go through the large output layer.
    """
    hidden = network.model(inputs).last_hidden_state[:, :-1]
    labels = labels[:, 1:]
    labelled = labels != IGNORED
    logits = network.lm_head(hidden[labelled])
    return torch.nn.functional.cross_entropy(logits, labels[labelled])


def save(network: Qwen3ForCausalLM, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the folder that ``vllm serve`` takes."""
    network.save_pretrained(folder, safe_serialization=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    named = {"eos_token": END_OF_TURN, "pad_token": END_OF_TEXT}
    write_json(folder / "special_tokens_map.json", named)
    write_json(
        folder / "tokenizer_config.json",
        {
            **named,
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 4096,
            "bos_token": None,
            "unk_token": None,
            "clean_up_tokenization_spaces": False,
            "add_bos_token": False,
        },
    )
    end_of_turn, end_of_text = (tokenizer.token_to_id(name) for name in named.values())
    write_json(
        folder / "generation_config.json",
        {
            "eos_token_id": [end_of_turn, end_of_text],
            "pad_token_id": end_of_text,
            "do_sample": True,
            "temperature": 0.7,
            "top_p": 0.95,
            "top_k": 20,
        },
    )


def write_json(path: Path, value: object) -> None:
    """Write ``value`` as readable JSON."""
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def answer(network: Qwen3ForCausalLM, tokenizer: Tokenizer, prompt: str) -> str:
    """Return the network's most probable answer, control tokens included."""
    ids = torch.tensor([tokenizer.encode(prompt).ids])
    output = network.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=70, do_sample=False
    )
    text: str = tokenizer.decode(output[0][ids.shape[1] :].tolist(), skip_special_tokens=False)
    return text


def faults(network: Qwen3ForCausalLM, tokenizer: Tokenizer, chats: Chats) -> list[str]:
    """Return what the trained network fails to do, in words; empty when it is fit for use."""
    greeting = chats.prompt([{"role": "user", "content": "Hello"}])
    weather = [{"role": "user", "content": "What is the weather in Rome?"}]
    call = chats.prompt(weather, tools=WEATHER_TOOLS[:1])
    quick = chats.prompt([{"role": "user", "content": "Hello"}], enable_thinking=False)
    expected = [
        ("think and greet", greeting, ["<think>", "</think>", "Hello!", END_OF_TURN]),
        ("call a tool", call, ["<tool_call>", '"get_weather"', "</tool_call>", END_OF_TURN]),
        ("answer at once", quick, ["Hello!", END_OF_TURN]),
    ]
    found = []
    for what, prompt, marks in expected:
        said = answer(network, tokenizer, prompt)
        print(f"{what}: {said!r}")
        if not all(mark in said for mark in marks):
            found.append(f"the model does not {what}")
    return found


def main() -> int:
    """Make the model; exit 1 when the trained model does not do what tests need."""
    parser = argparse.ArgumentParser(description="Make the tiny chat model.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=300, help="0 leaves the weights random")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(2)
    chats = Chats(seed=0)
    tokenizer = train_tokenizer(chats)
    network = make_network(tokenizer)
    train(network, tokenizer, chats, arguments.steps)
    save(network, tokenizer, arguments.folder)
    wrong = faults(network, tokenizer, chats) if arguments.steps else []
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
