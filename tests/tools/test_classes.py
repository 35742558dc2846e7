"""What classes tell of their fields."""

from typing import Any

import pytest

from tools.catalogue.annotations import Annotations
from tools.catalogue.classes import Classes
from tools.catalogue.constants import Constants
from tools.catalogue.declarations import Declarations
from tools.catalogue.facts import ModelFacts
from tools.catalogue.modules import Defined

MODULE = """
    from dataclasses import dataclass, field
    from typing import ClassVar, Generic, TypeVar
    from typing_extensions import NotRequired, Required, TypedDict
    import msgspec
    from pydantic import BaseModel, ConfigDict, Extra, Field
    from vllm.utils import random_uuid

    T = TypeVar("T")

    class Mixin:
        shared: int = 1

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        __log__: bool = True
        kind: ClassVar[str] = "x"

        def check(self):
            return self

    class Closed(Open):
        model_config = {"extra": "forbid"}

    class Old(BaseModel):
        class Config:
            extra = Extra.forbid

    class Request(Mixin, Open):
        prompt: str
        given: str = Field(...)
        n: int | None = 1
        tags: list[str] = Field(default_factory=list, max_length=4)
        id: str = Field(default_factory=lambda: f"resp_{random_uuid()}")
        top: int = Field(0, ge=0, validation_alias="topN")
        old: bool | None = Field(default=None, deprecated="gone soon")
        older: bool = Field(default=False, description="Deprecated: use old.")

    class Narrow(Request):
        n: int = 2
        more: float = 0.5

    class Box(BaseModel, Generic[T]):
        value: T

    class Options(TypedDict, total=False):
        a: int
        b: Required[int]

    class Kept(TypedDict):
        __pydantic_config__ = ConfigDict(extra="allow")
        a: int

    class Keys(TypedDict):
        a: int
        b: NotRequired[int]

    @dataclass
    class Data:
        first: int
        second: list[int] = field(default_factory=list)
        third: int = field(default=0, init=False)

    class Struct(msgspec.Struct, omit_defaults=True):
        size: int = 3

    class Plain:
        def __init__(self, width: int, height: "int | None" = None, *, deep=False):
            self.width = width
"""


@pytest.fixture
def model(sources):
    release = sources({"vllm/a.py": MODULE, "vllm/utils.py": "def random_uuid(): ...\n"})
    constants = Constants(release)
    classes = Classes(release, Declarations(Annotations(release, constants), constants))
    module = release.module("vllm.a")

    def read(name: str) -> ModelFacts:
        return classes.model(Defined(module, module.names[name]))

    return read


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Narrow", "pydantic"),
        ("Box", "pydantic"),
        ("Options", "typeddict"),
        ("Data", "dataclass"),
        ("Struct", "msgspec"),
        ("Plain", "class"),
    ],
)
def test_kind_comes_from_ancestors_and_decorators(model, name: str, kind: str) -> None:
    assert model(name).kind == kind


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("Open", "ignored"),
        ("Closed", "refused"),
        ("Old", "refused"),
        ("Box", "ignored"),
        ("Kept", "ignored"),
        ("Keys", None),
    ],
)
def test_policy_for_unknown_fields_is_the_nearest_configuration(model, name, policy) -> None:
    assert model(name).unknown == policy


def test_fields_of_ancestors_come_first_and_the_last_word_counts(model) -> None:
    fields = model("Narrow").fields
    names = "shared prompt given n tags id topN old older more"
    assert list(fields) == names.split()
    assert (fields["n"].schema, fields["n"].default) == ({"type": "integer"}, 2)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("prompt", {"required": True, "default": None}),
        ("given", {"required": True}),
        ("n", {"required": False, "default": 1, "deprecated": False, "attribute": None}),
        ("tags", {"default": [], "required": False}),
        ("id", {"default": None, "default_note": "random id with prefix resp_"}),
        ("topN", {"attribute": "top", "schema": {"type": "integer", "minimum": 0}}),
        ("old", {"deprecated": True}),
        ("older", {"deprecated": True, "source": "vllm/a.py:36"}),
    ],
)
def test_field_is_read_from_its_declaration(model, name: str, expected: dict[str, Any]) -> None:
    facts = model("Request").fields[name]
    assert {key: getattr(facts, key) for key in expected} == expected


@pytest.mark.parametrize(("name", "required"), [("Options", {"b"}), ("Keys", {"a"})])
def test_typed_dictionary_tells_its_required_keys(model, name: str, required: set[str]) -> None:
    fields = model(name).fields
    assert {field for field, facts in fields.items() if facts.required} == required


def test_member_that_no_one_can_give_is_internal(model) -> None:
    fields = model("Data").fields
    assert [name for name, facts in fields.items() if facts.internal] == ["third"]


def test_plain_class_takes_what_its_constructor_takes(model) -> None:
    fields = model("Plain").fields
    required = {name: facts.required for name, facts in fields.items()}
    assert required == {"width": True, "height": False, "deep": False}
