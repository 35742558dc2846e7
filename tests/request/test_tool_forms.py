"""Tools from JSON and from Python functions."""

import textwrap

import pytest

from vllmctl.errors import UsageError
from vllmctl.request.tool_forms import functions_of, parse_tools

MODULE = '''
    from enum import Enum
    from typing import Annotated, Literal, Optional
    from pydantic import BaseModel, Field

    print("imported")

    class Unit(Enum):
        C = "celsius"
        F = "fahrenheit"

    class Place(BaseModel):
        title: str
        lat: float

    def get_weather(
        city: str,
        unit: Unit = Unit.C,
        days: list[int] = [],
        how: Literal["short", "long"] = "short",
        note: Optional[str] = None,
        place: Place | None = None,
        more: dict[str, float] = {},
        deep: bool = False,
        wind: Annotated[float, Field(description="Least wind", ge=0)] = 0.5,
    ) -> str:
        """Tell the weather.

        Today and later.

        Args:
            city (str): Name of the city,
                in English.
            unit: Scale

        Returns:
            city: not this
        """
        return city

    def by_sphinx(a: int, b):
        """Add.

        :param a: the first
        :param str b: the second
        """

    def plain(x): ...

    def by_place(a, /): ...

    class Odd: ...

    def strange(a: Odd): ...

    JSON = {"type": "function", "function": {"name": "given"}}
'''


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "tools_for_a_test.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "broken_for_a_test.py").write_text("1/0")
    monkeypatch.chdir(tmp_path)


def tool(name):
    (found,) = parse_tools([f"tools_for_a_test:{name}"], "--tool")
    assert found["type"] == "function"
    return found["function"]


def test_a_function_is_a_tool_by_its_signature():
    parameters = tool("get_weather")["parameters"]
    properties = parameters["properties"]
    assert (parameters["type"], parameters["required"]) == ("object", ["city"])
    assert parameters["additionalProperties"] is False
    assert properties["unit"] == {
        "$ref": "#/$defs/Unit",
        "default": "celsius",
        "description": "Scale",
    }
    assert parameters["$defs"]["Unit"] == {"enum": ["celsius", "fahrenheit"], "type": "string"}
    assert properties["days"] == {"default": [], "items": {"type": "integer"}, "type": "array"}
    assert properties["how"]["enum"] == ["short", "long"]
    assert properties["note"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert properties["more"]["additionalProperties"] == {"type": "number"}
    assert properties["deep"] == {"default": False, "type": "boolean"}
    assert properties["wind"]["minimum"] == 0


def test_a_parameter_that_is_called_title_stays():
    place = tool("get_weather")["parameters"]["$defs"]["Place"]
    assert place["properties"] == {"title": {"type": "string"}, "lat": {"type": "number"}}
    assert "title" not in place


def test_the_docstring_describes_the_tool_and_its_parameters():
    weather = tool("get_weather")
    properties = weather["parameters"]["properties"]
    assert weather["description"] == "Tell the weather.\n\nToday and later."
    assert properties["city"]["description"] == "Name of the city, in English."
    assert properties["wind"]["description"] == "Least wind"
    added = tool("by_sphinx")
    assert added["description"] == "Add."
    properties = added["parameters"]["properties"]
    assert [properties[name]["description"] for name in "ab"] == ["the first", "the second"]


def test_without_types_and_docstring_a_name_is_enough():
    assert tool("plain") == {
        "name": "plain",
        "parameters": {
            "type": "object",
            "properties": {"x": {}},
            "required": ["x"],
            "additionalProperties": False,
        },
    }


def test_json_is_taken_as_it_is_and_lists_add_up():
    given = [' {"a": 1}', '[{"b": 2}, {"c": 3}]', "tools_for_a_test:JSON"]
    *first, last = parse_tools(given, "--tool")
    assert first == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert last["function"] == {"name": "given"}


def test_what_a_module_prints_does_not_reach_stdout(capsys, monkeypatch):
    import sys

    monkeypatch.delitem(sys.modules, "tools_for_a_test", raising=False)
    tool("plain")
    assert capsys.readouterr() == ("", "imported\n")


def test_only_functions_can_be_run():
    texts = ["tools_for_a_test:plain", "tools_for_a_test:JSON", "{}", "@x.json"]
    assert list(functions_of(texts, "--tool")) == ["plain"]


@pytest.mark.parametrize(
    "text,words",
    [
        ("tools_for_a_test:nobody", "cannot import tools_for_a_test:nobody"),
        ("no_such_module:x", "cannot import no_such_module:x"),
        ("broken_for_a_test:x", "fails when it is imported: ZeroDivisionError"),
        ("tools_for_a_test:Unit", "is no function"),
        ("tools_for_a_test:by_place", "parameters without a name"),
        ("tools_for_a_test:strange", "Odd is no type that JSON can hold"),
        ("math:sqrt", "math:sqrt cannot be a tool: its signature has no annotation for x"),
        ("weather.json", "neither JSON nor module:function"),
        ("{broken", "not JSON"),
    ],
)
def test_what_can_be_no_tool_is_told(text, words):
    with pytest.raises(UsageError, match="--tool: ") as fault:
        parse_tools([text], "--tool")
    assert words in str(fault.value)
    assert fault.value.hint or words.startswith(("not JSON", "fails"))
