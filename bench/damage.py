"""Makes bodies wrong at any depth, and their texts: what slips into a request."""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

Path = tuple[int | str, ...]

EDGES: tuple[Any, ...] = (
    *(2**31, 2**63, 2**64, -(2**63) - 1, 10**25, -1, 0, -0.0, 1.5, 1e-320, 1e308, 10**400),
    *(float("nan"), float("inf"), float("-inf"), 3.0, 0.1 + 0.2),
)
WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -3, 2.5, "", "x", "true", "1", " 2 ", "nan", "null", [], {}, [None]),
    *([[]], [1, "a"], {"x": 1}, {"type": "text"}, {"name": "f"}, [{}], "é", "\0", "\ud83d", "🙂"),
)
_HALF = re.compile("[\ud800-\udfff]")
_LARGE = 10**6
"""A list of so many items takes all the memory of a real server."""
UNKNOWN = (
    *("frobnicate", "max_new_tokens", "extra_body", "foo bar", "", "Temperature", "__proto__"),
    "\ud83d",
)


def damaged(value: Any, dice: random.Random) -> Any:
    """Return ``value`` with one part of it made wrong; the value itself stays as it is."""
    if not isinstance(value, dict) or not value:
        return dice.choice(WRONG)
    copy = json.loads(json.dumps(value))
    field = dice.choice(list(copy))
    path = dice.choice([(field, *rest) for rest in ((), *_paths(copy[field]))])
    parent = copy
    for part in path[:-1]:
        parent = parent[part]
    dice.choice(_WAYS)(parent, path[-1], dice)
    return copy


def damaged_text(value: Any, dice: random.Random) -> str:
    """Return ``value`` as JSON in which something is wrong, or at least odd."""
    text = json.dumps(value, ensure_ascii=False)
    if dice.random() < 0.5 or _HALF.search(text):
        text = json.dumps(value)
    return dice.choice(_TEXT_WAYS)(text, dice)


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, part in items:
        yield from _paths(part, (*path, key))


def _wrong(parent: Any, key: Any, dice: random.Random) -> None:
    parent[key] = dice.choice(WRONG)


def _edge(parent: Any, key: Any, dice: random.Random) -> None:
    edge = dice.choice(EDGES)
    is_size = str(key).endswith(("Items", "Length", "Properties"))
    parent[key] = edge if not is_size or abs(edge) < _LARGE else dice.choice((-1, 0, 1.5))


def _absent(parent: Any, key: Any, _dice: random.Random) -> None:
    del parent[key]


def _wrapped(parent: Any, key: Any, dice: random.Random) -> None:
    parent[key] = dice.choice(([parent[key]], {str(key): parent[key]}, [parent[key]] * 3))


def _written(parent: Any, key: Any, _dice: random.Random) -> None:
    parent[key] = json.dumps(parent[key])


def _unwrapped(parent: Any, key: Any, dice: random.Random) -> None:
    value = parent[key]
    inner = list(value.values()) if isinstance(value, dict) else value
    parent[key] = dice.choice(inner) if isinstance(inner, list) and inner else None


def _unknown(parent: Any, _key: Any, dice: random.Random) -> None:
    if isinstance(parent, list):
        parent.insert(0, dice.choice(WRONG))
    else:
        parent[dice.choice(UNKNOWN)] = dice.choice(WRONG)


def _misspelt(parent: Any, key: Any, dice: random.Random) -> None:
    if isinstance(parent, list):
        parent.append(parent[key])
        return
    value, name = parent.pop(key), str(key)
    first, *rest = name.split("_")
    camel = first + "".join(part.capitalize() for part in rest)
    place = dice.randrange(len(name)) if name else 0
    names = (
        name[:place] + name[place + 1 :],
        name + "s",
        name.replace("_", "-"),
        camel,
        name.upper(),
    )
    parent[dice.choice(names)] = value


_WAYS: tuple[Callable[[Any, Any, random.Random], None], ...] = (
    *(_wrong, _wrong, _wrong, _edge, _edge, _absent, _wrapped, _written),
    *(_unwrapped, _unknown, _misspelt, _misspelt),
)


def _cut(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def _other(text: str, dice: random.Random) -> str:
    """Another text where a value or a comma stood."""
    old, new = dice.choice(
        (
            (":", "="),
            (",", ",,"),
            ("}", ",}"),
            ('"', "'"),
            ("{", "{ // note\n"),
            ("{", "{/**/"),
            (": ", ": 0"),
            (": ", ": +"),
            (": ", ": NaN, "),
            ("true", "True"),
            ("false", "False"),
            ("null", "None"),
            ("hi", "h\ti"),
            ("hi", "\\ud83d"),
            ("hi", "\\x41"),
            ("2", "2."),
            ("2", "02"),
            ("2", "1e5"),
            ("2", "2" * 4400),
            ("2", "-Infinity"),
        )
    )
    return text.replace(old, new, 1)


def _twice(text: str, dice: random.Random) -> str:
    """A key that is there twice, in front or at the end."""
    key = dice.choice(("max_tokens", "temperature", "messages", "prompt", "model", "stream"))
    value = json.dumps(
        dice.choice((1, 2, 0.5, "hi", None, True, [{"role": "user", "content": "x"}]))
    )
    member = f'"{key}": {value}'
    if dice.random() < 0.5:
        return text.replace("{", f"{{{member}, ", 1)
    return text[:-1] + f", {member}}}"


def _around(text: str, dice: random.Random) -> str:
    ways = ("\ufeff{}", "  {}\n\n", "{}{}", "{},", "[{}]", "{}\n# done", "null{}", "\x0b{}")
    return dice.choice(ways).replace("{}", text)


def _no_object(_text: str, dice: random.Random) -> str:
    texts = ("", " ", "null", "5", '"x"', "[]", "true", "{}", "NaN", "[1, 2]", '"{}"', "\0")
    return dice.choice(texts)


_TEXT_WAYS: tuple[Callable[[str, random.Random], str], ...] = (
    *(_cut, _other, _other, _other, _twice, _twice, _around, _no_object),
)
