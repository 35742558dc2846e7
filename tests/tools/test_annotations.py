"""What annotations stand for."""

import ast
from collections.abc import Callable
from typing import Any

import pytest

from tools.catalogue.annotations import Annotations
from tools.catalogue.constants import Constants
from tools.catalogue.modules import Sources

INTEGERS = {"type": "array", "items": {"type": "integer"}}
MODULE = """
    from enum import Enum
    from typing import Annotated, Any, Literal, Optional, Union, TypeAlias
    import elsewhere
    import elsewhere.types as t
    from elsewhere import Thing
    from pydantic import BeforeValidator, BaseModel, Field, NonNegativeInt, conint, conlist
    from vllm.shared import *
    from .sibling import Level, LIMIT

    class Part(BaseModel):
        pass

    class Colour(str, Enum):
        RED = "red"
        BLUE = "blue"
        _hidden = "grey"

    Ids: TypeAlias = list[int] | None
    Known = Literal["a", "b"]
    Tree = dict[str, "Tree"]
    Zero = Annotated[int, BeforeValidator(lambda v: 0 if v is None else v)]
"""
SHARED = "Name = str\n"
SIBLING = "import enum\nLIMIT = 2**4 - 1\nclass Level(enum.IntEnum):\n    LOW = 1\n    HIGH = 2\n"


@pytest.fixture
def release(sources) -> Sources:
    return sources(
        {
            "vllm/shared.py": SHARED,
            "vllm/pack/__init__.py": "",
            "vllm/pack/sibling.py": SIBLING,
            "vllm/pack/protocol.py": MODULE,
        }
    )


@pytest.fixture
def annotations(release: Sources) -> Annotations:
    return Annotations(release, Constants(release))


@pytest.fixture
def schema_of(annotations: Annotations, release: Sources) -> Callable[[str], Any]:
    module = release.module("vllm.pack.protocol")
    assert module
    return lambda text: annotations.schema(module, ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("Name", {"type": "string"}),
        ("Any", {}),
        ("bool | None", {"type": "boolean", "nullable": True}),
        ("Optional[float]", {"type": "number", "nullable": True}),
        ("list[int]", INTEGERS),
        ("list", {"type": "array"}),
        ("set[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (
            "tuple[int, str]",
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        ),
        ("dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}),
        ("dict[int, Any]", {"type": "object", "propertyNames": {"type": "integer"}}),
        ("int | str | int", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            "Union[Ids, str]",
            {"anyOf": [INTEGERS, {"type": "string"}], "nullable": True},
        ),
        ("'list[int]'", INTEGERS),
        ("Literal['x', None]", {"enum": ["x"], "type": "string", "nullable": True}),
        ("Literal[True, False]", {"enum": [True, False], "type": "boolean"}),
        ("Literal[Known, 'c']", {"enum": ["a", "b", "c"], "type": "string"}),
        ("Literal['a'] | Literal['b']", {"enum": ["a", "b"], "type": "string"}),
        ("Colour", {"enum": ["red", "blue"], "type": "string"}),
        ("Level", {"enum": [1, 2], "type": "integer"}),
        ("Part", {"$ref": "#/models/Part"}),
        ("Tree", {"type": "object", "additionalProperties": {"$ref": "#/models/Tree"}}),
        ("Thing", {"x-external": "elsewhere.Thing"}),
        ("t.Deep", {"x-external": "elsewhere.types.Deep"}),
        ("NonNegativeInt", {"type": "integer", "minimum": 0}),
        ("conint(ge=1, lt=LIMIT)", {"type": "integer", "minimum": 1, "exclusiveMaximum": 15}),
        ("conlist(int, max_length=3)", {**INTEGERS, "maxItems": 3}),
        ("Zero", {"type": "integer", "nullable": True}),
        (
            "Annotated[str, Field(min_length=1, pattern='^a')]",
            {"type": "string", "minLength": 1, "pattern": "^a"},
        ),
        (
            "Annotated[list[int] | None, Field(max_length=2)]",
            {**INTEGERS, "maxItems": 2, "nullable": True},
        ),
        (
            "Annotated[int | str, Field(ge=0)]",
            {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]},
        ),
        (
            "Annotated[elsewhere.Array, GetPydanticSchema(lambda _, h: h(list[int]))]",
            INTEGERS,
        ),
    ],
)
def test_annotation_becomes_schema(schema_of, annotation: str, schema: Any) -> None:
    assert schema_of(annotation) == schema


def test_classes_that_are_named_are_collected(schema_of, annotations: Annotations) -> None:
    schema_of("list[Part | Colour]")
    assert list(annotations.models) == ["Part"]
