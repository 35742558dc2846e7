"""Constants of the source: limits and defaults."""

import ast
from typing import Any

import pytest

from tools.catalogue.constants import Constants, Unknown

MODULE = """
    import torch
    from vllm import envs
    LOW = -(2**31)
    WIDE = torch.iinfo(torch.long)

    class Sizes:
        SMALL = LOW
"""
ENVS = """
    import os
    variables = {
        "MAX_STOPS": lambda: int(os.getenv("MAX_STOPS", "4")),
        "BASE": lambda: os.environ.get("BASE", "here"),
    }
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1", -1),
        ("-(2**63)", -(2**63)),
        ("1 << 10", 1024),
        ("'a' + 'b'", "ab"),
        ("LOW", -(2**31)),
        ("Sizes.SMALL", -(2**31)),
        ("WIDE.max", 2**63 - 1),
        ("torch.iinfo(torch.int64).min", -(2**63)),
        ("[LOW, 1.5]", [-(2**31), 1.5]),
        ("frozenset({'x'})", ["x"]),
        ("list()", []),
        ("{'a': None}", {"a": None}),
        ("envs.MAX_STOPS", {"env": "MAX_STOPS", "default": 4}),
        ("envs.BASE", {"env": "BASE", "default": "here"}),
        ("envs.LOST", {"env": "LOST", "default": None}),
    ],
)
def test_expression_has_a_value(sources, text: str, value: Any) -> None:
    found = _value(sources, text)
    assert (found, isinstance(found, Unknown)) == (value, False)


@pytest.mark.parametrize("text", ["make()", "torch.float", "nowhere", "1 + make()"])
def test_what_is_no_constant_is_kept_as_text(sources, text: str) -> None:
    found = _value(sources, text)
    assert (found, isinstance(found, Unknown)) == (text, True)


def _value(sources, text: str) -> Any:
    release = sources({"vllm/__init__.py": "", "vllm/envs.py": ENVS, "vllm/a.py": MODULE})
    expression = ast.parse(text, mode="eval").body
    return Constants(release).value(release.module("vllm.a"), expression)
