import pytest

from vllmctl.errors import UsageError
from vllmctl.request.schema_forms import parse_schema


def members(text):
    return parse_schema(text, "--schema")["properties"]


def test_json_is_taken_as_it_is():
    assert parse_schema(' {"type": "array"}', "--schema") == {"type": "array"}
    assert parse_schema("true", "--schema") is True


def test_the_short_form_lists_members():
    schema = parse_schema("name, age int, tags: list[str], size: small|large, note?", "--schema")
    assert schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "size": {"type": "string", "enum": ["small", "large"]},
            "note": {"type": "string"},
        },
        "required": ["name", "age", "tags", "size"],
        "additionalProperties": False,
    }


def test_types_nest_and_join():
    assert members("a: list[list[int]]")["a"]["items"]["items"] == {"type": "integer"}
    assert members("a: int|null") == {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
    assert members("a\nb float") == {"a": {"type": "string"}, "b": {"type": "number"}}
    assert members("a: str") == {"a": {"type": "string"}}


def test_a_pydantic_model_and_a_dict_are_imported(tmp_path, monkeypatch):
    (tmp_path / "shapes_for_a_test.py").write_text(
        "from pydantic import BaseModel\nclass Person(BaseModel):\n    age: int\n"
        "PLAIN = {'type': 'integer'}\nNUMBER = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    model = parse_schema("shapes_for_a_test:Person", "--schema")
    assert model["properties"]["age"]["type"] == "integer"
    assert parse_schema("shapes_for_a_test:PLAIN", "--schema") == {"type": "integer"}
    for wrong in ("shapes_for_a_test:Nobody", "no_such_module:X", "shapes_for_a_test:NUMBER"):
        with pytest.raises(UsageError, match="--schema: "):
            parse_schema(wrong, "--schema")


@pytest.mark.parametrize("text", ["", " , ", "a: strnig", "1x", "a b c", "{broken"])
def test_what_is_no_schema_is_told(text):
    with pytest.raises(UsageError, match="--schema: "):
        parse_schema(text, "--schema")
