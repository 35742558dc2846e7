"""Makes request bodies, right and wrong, to ask a real server about: same seed, same bodies.

Usage: python bench/bodies.py [--seed 1] [--count 3000] > bodies.jsonl
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from bench.body_values import (
    BOOLEANS,
    CONTENTS,
    COUPLES,
    HELLO,
    INTEGERS,
    MESSAGE_KEYS,
    NUMBERS,
    OBJECTS,
    OTHERS,
    PARTS,
    ROLES,
    SPECIAL,
    STRUCTURED,
    TEXTS,
)
from bench.damage import damaged, damaged_text
from bench.rich_bodies import RichBodies
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target

Body = dict[str, Any]

CHAT, COMPLETIONS = "chat.completions", "completions"


class Maker:
    """Makes bodies of one endpoint."""

    def __init__(self, of: Endpoint, dice: random.Random) -> None:
        self._of = of
        self._dice = dice

    def body(self) -> Body:
        """Return a body with one, two or several fields that may be wrong."""
        ways = (self._single, self._couple, self._several, self._nested, self._confused)
        return self._dice.choice(ways)()

    def _base(self) -> Body:
        told: Body = {"messages": HELLO} if self._of.name == CHAT else {"prompt": "hi"}
        return {"model": "tiny", **told, "max_tokens": 2}

    def _single(self) -> Body:
        return self._with([self._dice.choice(list(self._of.fields))])

    def _couple(self) -> Body:
        here = [couple for couple in COUPLES if set(couple) <= set(self._of.fields)]
        return self._with(list(self._dice.choice(here)))

    def _several(self) -> Body:
        names = [*self._of.fields, *OTHERS]
        return self._with(self._dice.sample(names, self._dice.randint(3, 8)))

    def _nested(self) -> Body:
        body = self._with(["structured_outputs"])
        if self._of.name == CHAT and self._dice.random() < 0.6:
            body = self._with(["messages"])
        return body | {name: self._value(name) for name in self._dice.sample(list(OTHERS), 1)}

    def _confused(self) -> Body:
        """Values that are meant for other fields, or wrapped once too often."""
        body = self._base()
        for name in self._dice.sample(list(self._of.fields), self._dice.randint(1, 3)):
            value = self._value(self._dice.choice(list(self._of.fields)))
            wrap = self._dice.choice((None, None, None, "list", "object"))
            body[name] = [value] if wrap == "list" else {name: value} if wrap else value
        return body

    def _with(self, names: list[str]) -> Body:
        return self._base() | {name: self._value(name) for name in names}

    def _value(self, name: str) -> Any:
        if name == "messages":
            return self._messages()
        if name == "structured_outputs":
            return self._structured()
        return self._dice.choice(self._values(name))

    def _values(self, name: str) -> list[Any]:
        if name in SPECIAL or name in OTHERS:
            return SPECIAL.get(name) or OTHERS[name]
        schema = self._of.fields[name].schema
        if "enum" in schema:
            return [*schema["enum"], "nope", "", None, 1]
        by_type: dict[str, list[Any]] = {
            "boolean": BOOLEANS,
            "integer": INTEGERS,
            "number": NUMBERS,
            "string": TEXTS,
        }
        return by_type.get(schema.get("type", ""), OBJECTS)

    def _structured(self) -> Any:
        if self._dice.random() < 0.1:
            return self._dice.choice(["x", [], None, 1, {}])
        names = self._dice.sample(list(STRUCTURED), self._dice.choice((1, 1, 1, 2)))
        return {name: self._dice.choice(STRUCTURED[name]) for name in names}

    def _messages(self) -> Any:
        if self._dice.random() < 0.1:
            return self._dice.choice([[], None, "hi", {}, [5], ["hi"], [[]]])
        return [self._message() for _ in range(self._dice.randint(1, 3))]

    def _message(self) -> Any:
        message = {"role": self._dice.choice(ROLES), "content": self._dice.choice(CONTENTS)}
        if self._dice.random() < 0.4:
            count = self._dice.randint(1, 2)
            message["content"] = [self._dice.choice(PARTS) for _ in range(count)]
        for key, values in MESSAGE_KEYS.items():
            if self._dice.random() < 0.15:
                message[key] = self._dice.choice(values)
        if self._dice.random() < 0.1:
            del message[self._dice.choice(("role", "content"))]
        return message


def bodies(seed: int, count: int, target: str = "vllm==0.32.0") -> Iterator[tuple[str, Body]]:
    """Yield ``count`` different bodies, each with the path to send it to."""
    dice = random.Random(seed)
    makers = [Maker(endpoint(name, parse_target(target)), dice) for name in (CHAT, COMPLETIONS)]
    paths = [endpoint(name, parse_target(target)).path for name in (CHAT, COMPLETIONS)]
    seen: set[str] = set()
    while len(seen) < count:
        place = dice.randrange(len(makers))
        body = makers[place].body()
        key = f"{paths[place]} {json.dumps(body, sort_keys=True)}"
        if key not in seen:
            seen.add(key)
            yield paths[place], body


def rich_texts(
    seed: int, count: int, target: str = "vllm==0.32.0"
) -> Iterator[tuple[str, str, int]]:
    """Yield ``count`` different texts of bodies with no, one, two or three faults.

    Each has the path to send it to, and the number of faults that were made.
    """
    dice = random.Random(seed)
    facts = [endpoint(name, parse_target(target)) for name in (CHAT, COMPLETIONS)]
    makers = [(each.path, RichBodies(each, dice)) for each in facts]
    seen: set[str] = set()
    while len(seen) < count:
        path, maker = dice.choice(makers)
        body: Any = maker.body()
        faults = dice.choice((0, 0, 1, 1, 1, 1, 2, 2, 3))
        for _ in range(faults):
            body = damaged(body, dice)
        text = damaged_text(body, dice) if dice.random() < 0.08 else json.dumps(body)
        if text not in seen:
            seen.add(text)
            yield path, text, faults


def main() -> None:
    """Print bodies, one a line."""
    parser = argparse.ArgumentParser(description="Make request bodies, right and wrong.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--rich", action="store_true", help="whole requests, damaged at any depth")
    asked = parser.parse_args()
    write: Callable[[str], object] = print
    if asked.rich:
        for path, text, faults in rich_texts(asked.seed, asked.count):
            write(json.dumps({"path": path, "text": text, "faults": faults}))
        return
    for path, body in bodies(asked.seed, asked.count):
        write(json.dumps({"path": path, "body": body}))


if __name__ == "__main__":
    main()
