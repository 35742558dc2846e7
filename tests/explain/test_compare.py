"""What a migration has to change."""

import pytest

from vllmctl.errors import UsageError


def diff(printed, *arguments):
    return printed("fields", "--diff", *arguments, "--format", "json").json


def by_name(rows):
    return {row["name"]: row for row in rows}


def test_removed_fields_come_with_their_successors(printed):
    removed = by_name(diff(printed, "0.10.2", "0.33.0")["removed"])
    assert removed["guided_json"]["instead"] == "structured_outputs.json"
    assert removed["best_of"] == {
        "name": "best_of",
        "instead": None,
        "note": removed["best_of"]["note"],
    }
    assert "max_tokens" not in removed


def test_new_objects_are_told_once(printed):
    added = by_name(diff(printed, "0.10.2", "0.33.0")["added"])
    assert "structured_outputs" in added
    assert "structured_outputs.json" not in added


def test_changed_types_defaults_and_limits_are_told(printed):
    changed = by_name(diff(printed, "0.10.2", "0.33.0")["changed"])
    assert changed["parallel_tool_calls"]["what"] == ["default false → true"]
    assert "limits: none → at most 4 items" in changed["stop"]["what"][0]
    assert changed["stream_options.include_usage"]["what"] == ["default true → false"]
    assert any("generation_config.json" in text for text in changed["presence_penalty"]["what"])
    assert "temperature" not in changed


def test_rules_that_came_and_went_are_told(printed):
    told = diff(printed, "0.10.2", "0.33.0")
    assert "sp.temperature_max" in {rule["id"] for rule in told["rules_added"]}
    assert "guided.one_kind" in {rule["id"] for rule in told["rules_removed"]}


def test_the_treatment_of_unknown_fields_is_told(printed):
    assert diff(printed, "0.6.3", "0.6.5")["unknown_fields"] == {
        "from": "refused",
        "to": "ignored",
    }
    page = " ".join(printed("fields", "--diff", "0.6.3", "0.6.5").out.split())
    assert "Unknown fields were refused; now they are ignored." in page


def test_the_way_back_names_the_old_forms(printed):
    told = diff(printed, "0.33.0", "0.10.2", "complete")
    removed = by_name(told["removed"])
    assert told["endpoint"] == "completions"
    assert removed["structured_outputs.json"]["instead"] == "guided_json"
    assert "structured_outputs" not in removed


def test_the_newer_side_is_the_target_when_left_out(printed):
    assert diff(printed, "0.10.2")["to"] == "vllm==0.33.0"
    assert diff(printed, "0.10.2", "--target", "0.11.0")["to"] == "vllm==0.11.0"


def test_engines_can_be_compared_but_not_their_rules(printed):
    told = diff(printed, "0.33.0", "furiosa")
    assert "bad_words" in by_name(told["removed"])
    assert "guided_json" in by_name(told["added"])
    assert (told["rules_added"], told["rules_removed"]) == ([], [])


@pytest.mark.parametrize("order", [("complete", "--diff", "0.10.2", "0.33.0"),
                                   ("--diff", "0.10.2", "complete", "0.33.0")])  # fmt: skip
def test_the_endpoint_may_stand_anywhere(printed, order):
    assert printed("fields", *order).lines[0] == ("completions: from vllm==0.10.2 to vllm==0.33.0")


def test_equal_sides_have_nothing_to_tell(printed):
    told = diff(printed, "0.33.0", "0.33.0")
    assert told["removed"] == told["added"] == told["changed"] == []


@pytest.mark.parametrize("arguments", [("0.1", "0.2", "0.3"), ("0.10.2", "0.0.1"), ("0.10.2x",)])
def test_what_is_no_pair_of_releases_is_refused(printed, arguments):
    with pytest.raises(UsageError):
        printed("fields", "--diff", *arguments)
