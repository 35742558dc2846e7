"""What names mean, across imports."""

import ast

import pytest

from tools.catalogue.modules import Defined, ModuleName, Outside

FILES = {
    "vllm/__init__.py": 'PLACES = {"Lazy": ".deep.things:Lazy"}\n',
    "vllm/deep/__init__.py": "from .things import *\n",
    "vllm/deep/things.py": "class Lazy: ...\nclass Starred: ...\n",
    "vllm/deep/user.py": """
        import numpy as np
        import vllm.deep.things
        from .. import deep
        from . import things as near
        from vllm import Lazy
        from vllm.deep import Starred, Missing
        from .things import Lazy as Renamed
        from openai.types import Message
        try:
            from typing import A
        except ImportError:
            A = None
    """,
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lazy", "vllm.deep.things Lazy"),
        ("Starred", "vllm.deep.things Starred"),
        ("Renamed", "vllm.deep.things Lazy"),
        ("near.Lazy", "vllm.deep.things Lazy"),
        ("vllm.deep.things.Lazy", "vllm.deep.things Lazy"),
        ("deep", ModuleName("vllm.deep")),
        ("np.array", Outside("numpy.array")),
        ("Message", Outside("openai.types.Message")),
        ("Missing", Outside("vllm.deep.Missing")),
        ("A", "vllm.deep.user A"),
        ("nothing", None),
    ],
)
def test_name_is_followed_to_its_definition(sources, text: str, found: object) -> None:
    release = sources(FILES)
    meaning = release.resolve(release.module("vllm.deep.user"), ast.parse(text, mode="eval").body)
    if isinstance(meaning, Defined):
        name = getattr(meaning.node, "name", "A")
        assert f"{meaning.module.name} {name}" == found
    else:
        assert meaning == found


def test_imports_in_a_circle_end(sources) -> None:
    release = sources(
        {"vllm/a.py": "from vllm.b import X\n", "vllm/b.py": "from vllm.a import X\n"}
    )
    assert release.lookup(release.module("vllm.a"), "X") == Outside("vllm.b.X")


def test_file_that_is_no_python_is_passed_over(sources) -> None:
    assert sources({"vllm/a.py": "not python at all"}).module("vllm.a") is None
