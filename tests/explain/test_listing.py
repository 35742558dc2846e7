"""Tables of an endpoint's fields."""

import pytest

from vllmctl.catalog.load import endpoint, walk
from vllmctl.catalog.target import parse_target
from vllmctl.errors import UsageError
from vllmctl.explain.wording import short_type, type_text


def names(printed, *arguments):
    return [row["name"] for row in printed("fields", *arguments, "--format", "json").json]


@pytest.mark.parametrize("target", ["0.6.3", "0.11.2", "0.33.0", "furiosa"])
def test_it_lists_the_fields_of_the_release(printed, target):
    of = endpoint("chat.completions", parse_target(target))
    assert set(names(printed, "--target", target)) == set(of.fields)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ((), "chat.completions"),
        (("chat",), "chat.completions"),
        (("complete",), "completions"),
        (("/v1/embeddings",), "embeddings"),
        (("rerank",), "rerank"),
    ],
)
def test_an_endpoint_has_several_names(printed, typed, name):
    assert printed("fields", *typed).lines[0].startswith(f"{name} at vllm==0.33.0")


def test_nested_fields_come_with_their_object(printed):
    found = names(printed, "complete", "--nested")
    of = endpoint("completions", parse_target("vllm"))
    assert {path for path, _ in walk(of)} <= set(found)
    place = found.index("stream_options")
    assert found[place + 1] == "stream_options.include_usage"


def test_groups_are_those_of_the_help_page(printed):
    rows = printed("fields", "--format", "json").json
    groups = list(dict.fromkeys(row["group"] for row in rows))
    assert groups[:4] == ["prompt", "sampling", "length", "structured"]
    assert "other" not in groups


def test_search_looks_at_names_and_meanings_in_any_release_and_depth(printed):
    assert "stream_options.include_usage" in names(printed, "--search", "usage")
    assert "guided_json" in names(printed, "--search", "schema")
    assert "repetition_detection" in names(printed, "--search", "repeat")
    assert names(printed, "--search", "top-k") == ["top_k"]
    assert printed("fields", "--search", "zzz").lines == [
        "chat.completions at vllm==0.33.0: no fields"
    ]


def test_since_keeps_what_came_with_a_release_or_later(printed):
    assert names(printed, "--since", "0.33.0") == ["return_weight_versions"]
    later = names(printed, "--since", "0.32.0")
    assert {"mm_payload", "return_mm_kwargs", "return_weight_versions"} == set(later)
    with pytest.raises(UsageError):
        printed("fields", "--since", "0.0.9")


def test_removed_lists_what_became_of_each(printed):
    rows = {
        row["name"]: row
        for row in printed("fields", "complete", "--removed", "--format", "json").json
    }
    assert rows["guided_json"]["instead"] == "structured_outputs.json"
    assert rows["best_of"]["instead"] is None
    assert rows["best_of"]["until"] == "0.11.2"
    assert "structured_outputs.disable_fallback" in rows
    assert not any(row["is_here"] for row in rows.values())


def test_removed_knows_no_fields_of_later_releases(printed):
    assert "structured_outputs" not in names(printed, "--removed", "--target", "0.10.2")
    assert "early_stopping" in names(printed, "--removed", "--target", "0.10.2")


def test_a_row_says_what_changed(printed):
    row = next(row for row in printed("fields", "--format", "json").json if row["name"] == "top_k")
    assert {"release": "0.6.6", "what": "default -1 → null"} in row["changes"]
    assert (row["default"], row["flag"], row["group"]) == ("0", "--top-k", "sampling")


@pytest.mark.parametrize("words", [("0.33.0",), ("vllm==0.33.0",)])
def test_a_release_is_no_endpoint(printed, words):
    with pytest.raises(UsageError) as fault:
        printed("fields", *words)
    assert "--target" in fault.value.hint


def test_one_endpoint_at_a_time(printed):
    with pytest.raises(UsageError):
        printed("fields", "chat", "complete")
    with pytest.raises(UsageError) as fault:
        printed("fields", "chatt")
    assert fault.value.hint == "did you mean chat?"
    with pytest.raises(UsageError) as fault:
        printed("fields", "zzzz")
    assert "there are chat.completions, " in fault.value.hint


@pytest.mark.parametrize(
    ("values", "text", "short"),
    [
        ([False, True], "one of false, true", "false|true"),
        ([True], "true", "true"),
        ([0, 1], "one of 0, 1", "0|1"),
        (["a", "b"], "one of a, b", "a|b"),
        (["a"], '"a"', "a"),
    ],
)
def test_values_that_are_no_text_are_written_as_json(values, text, short):
    assert (type_text({"enum": values}), short_type({"enum": values})) == (text, short)
