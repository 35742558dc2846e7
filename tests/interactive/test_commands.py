"""What the commands say and change, with lines that are piped in."""

import json

import pytest

from vllmctl.cli.interactive.commands import COMMANDS


def test_a_field_is_set_shown_and_taken_away(typed):
    done = typed(
        "/set temperature 0.3", "/set temperature", "/unset temperature", "/set temperature"
    )
    assert done.code == 0
    assert "temperature: 0.3\n" in done.err
    assert "temperature: no longer set\n" in done.err
    shown = done.out.splitlines()
    assert shown[0] == "temperature: 0.3  (/set temperature)"
    assert shown[1] == "temperature is not set; it takes NUM: Randomness; 0 is greedy"


def test_all_that_is_set_is_listed_with_its_origin(typed, tmp_path):
    (tmp_path / "work" / "p.toml").write_text("[request]\ntop_k = 5\n")
    flags = (
        "-s",
        "Be brief",
        "--top-p",
        "0.5",
        "-p",
        "./p.toml",
        "--timeout",
        "9",
        "-u",
        "-f",
        "p.toml",
    )
    done = typed("/set seed 7", "/set", flags=flags)
    lines = done.out.splitlines()
    for line in (
        "top_p: 0.5  (--top-p)", "seed: 7  (/set seed)", "timeout: 9  (--timeout)",
        "usage: true  (--usage)", "system: Be brief  (--system)", "profile: ./p.toml  (--profile)",
        "stream: true  (vllmctl streams by default)", "file: p.toml  (next message)",
    ):  # fmt: skip
        assert line in lines
    assert any(line.startswith("top_k: 5  (profile p.toml (p.toml:2)") for line in lines), lines


def test_secrets_are_not_listed(typed):
    flags = ("--api-key", "sk-secret-123", "-H", "X-Token: secret-456", "-H", "X-Rank: 0")
    done = typed("/set", "/set api-key", "/set header", flags=flags)
    assert "secret" not in done.out + done.err
    assert "api_key: …  (--api-key)" in done.out
    assert "headers.X-Rank: 0" in done.out


@pytest.mark.parametrize(
    "line,words",
    [
        ("/set temperature 5", ["at most 2", "set by /set temperature", "not kept: 1 error"]),
        ("/set temperature hot", ["error: /set temperature: expected a number, got 'hot'"]),
        ("/set temprature 1", ["did you mean temperature?"]),
        ("/set temprature=1", ["did you mean temperature", "not kept: 1 ignored field"]),
        ("/set format json", ["--format json does not go with --interactive"]),
        ("/set show-logprobs pie", ["/set show-logprobs: 'pie' is not one of heat, table, tsv"]),
        ("/set alternatives many", ["/set alternatives: expected a whole number, got 'many'"]),
        ("/set timeout soon", ["/set timeout: "]),
        ("/set alternatives 3", ["--alternatives does nothing by itself"]),
        ("/set --stop", ["--stop wants a value"]),
        ("/profile nowhere", ["nowhere"]),
        ("/file nowhere.txt", ["/file: cannot read nowhere.txt"]),
        ("/image nowhere.png", ["/image: cannot read nowhere.png"]),
        ("/system @nowhere", ["cannot read nowhere"]),
        ("/unset temperature", ["temperature is not set"]),
        ("/unset temprature", ["did you mean temperature?"]),
        ("/undoo", ["no command /undoo", "did you mean /undo?", "//undoo … sends it as a message"]),
        ("/etc/hosts", ["no command /etc/hosts", "/help lists the commands"]),
        ("/undo now", ["/undo takes nothing, got 'now'"]),
        ("/undo", ["nothing was said yet"]),
        ("/retry", ["nothing was said yet"]),
        ("/unset", ["/unset wants NAME"]),
        ("/usage", ["there is no answer yet"]),
        ("/help nothing", ["no command /nothing"]),
        ("/save ../x", ["'../x' is no name for a session"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_changes_nothing(typed, line, words):
    done = typed("/body x", line, "/body x")
    before, after = done.out[: len(done.out) // 2], done.out[len(done.out) // 2 :]
    assert (done.code, before) == (2, after)
    for word in words:
        assert word in done.err


def test_one_fault_does_not_hide_the_next(typed):
    """What was wrong before, or for another reason, does not keep a setting from being made."""
    done = typed(
        "/set --max-tokens 5 --min-tokens 9", "/set max-tokens 5", "/set min-tokens 4", "/body x"
    )
    body = json.loads(done.out)
    assert (body["max_tokens"], body["min_tokens"]) == (5, 4)
    assert done.err.count("not kept") == 1


def test_a_profile_is_merged_and_what_flags_say_stays(typed):
    done = typed(
        "/profile precise",
        "/profile",
        "/set temperature",
        "/unset profile",
        flags=("--top-p", "0.4"),
    )
    assert "temperature: 0.2" in done.err
    assert "profile: precise" in done.err
    assert "* precise" in done.out
    assert "  greedy" in done.out
    assert "temperature: 0.2  (profile precise (" in done.out
    assert "temperature: no longer set" in done.err


def test_what_a_profile_sets_can_be_taken_away(typed):
    done = typed("/unset temperature", "/body x", flags=("-p", "precise"))
    assert "temperature" not in json.loads(done.out)


def test_what_cannot_be_taken_away_is_told(typed, monkeypatch):
    monkeypatch.setenv("VLLMCTL_TIMEOUT", "9")
    done = typed("/unset timeout")
    assert "note: still timeout: 9  (VLLMCTL_TIMEOUT)" in done.err


def test_the_system_message(typed):
    done = typed(
        "/system",
        '/system """',
        "Be brief.",
        "Be kind.",
        '"""',
        "/system",
        "/body x",
        "/unset system",
    )
    assert done.out.startswith("system is not set; it takes TEXT|@FILE: The system message\n")
    assert "system: Be brief.\nBe kind.  (/system)" in done.out
    assert '"content": "Be brief.\\nBe kind."' in done.out
    assert "system: no longer set" in done.err


def test_the_body_is_what_would_be_sent(typed):
    done = typed("One", "/set seed 3", "/body Two", flags=("-q",))
    answer, _, body = done.out.partition("\n")
    assert answer == "Hi."
    assert json.loads(body) == {
        "model": "tiny",
        "messages": [
            {"role": "user", "content": "One"},
            {"role": "assistant", "content": "Hi."},
            {"role": "user", "content": "Two"},
        ],
        "seed": 3,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_body_without_a_message(typed):
    done = typed("/body", flags=("-q",))
    assert json.loads(done.out) == {"stream": True, "stream_options": {"include_usage": True}}


def test_history_undo_and_clear(typed):
    done = typed("One", "Two", "/history", "/undo", "/history", "/clear", "/history", flags=("-q",))
    one = "user\nOne\n\nassistant\nHi.\n\n"
    two = "user\nTwo\n\nassistant\nHi.\n\n"
    assert done.out == f"Hi.\nHi.\n{one}{two}{one}nothing was said yet\n"


def test_a_talk_is_saved_and_goes_on(typed, vllmctl, tmp_path):
    folder = tmp_path / "home" / ".local" / "share" / "vllmctl" / "sessions"
    done = typed("One", "/save trip", "Two")
    assert "kept in ~/.local/share/vllmctl/sessions/trip.jsonl" in done.err
    lines = (folder / "trip.jsonl").read_text().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["One", "Hi.", "Two", "Hi."]
    more = typed("/undo", "Three", flags=("--session", "trip", "-q"))
    assert more.code == 0
    lines = (folder / "trip.jsonl").read_text().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["One", "Hi.", "Three", "Hi."]
    other = typed("x", "/save trip", "/save other")
    assert "there is a session trip already" in other.err
    assert (folder / "trip.jsonl").read_text().splitlines() == lines
    assert (folder / "other.jsonl").exists()


def test_without_a_name_nothing_is_kept(typed, tmp_path):
    typed("One")
    assert not (tmp_path / "home" / ".local" / "share").exists()


def test_clear_leaves_the_session_as_it_is(typed, tmp_path):
    done = typed("One", "/clear", "Two", flags=("--session", "trip"))
    assert "the last one stays in" in done.err
    kept = tmp_path / "home" / ".local" / "share" / "vllmctl" / "sessions" / "trip.jsonl"
    assert len(kept.read_text().splitlines()) == 2


def test_usage_of_the_last_answer(typed):
    done = typed("One", "/usage", flags=("-q",))
    assert "tokens: " in done.err


def test_models_of_the_server(typed):
    done = typed("/model", "/model other", "/model", flags=("-q",))
    assert "served: tiny" in done.out
    assert 'model: "other"  (/model)' in done.out


def test_help_has_every_command(typed):
    done = typed("/help", "/help set", "/?")
    for command in COMMANDS:
        assert f"  {command.name} {command.takes}".rstrip() in done.out
    assert "Ctrl-D" in done.out


def test_leaving(typed):
    for way in ("/exit", "/quit", "/bye"):
        assert typed(way, "/nothing").err.count("error") == 0


def test_notes_can_be_left_out(typed):
    done = typed("/set seed 1", "One", "/undo", "/clear", flags=("-q",))
    assert (done.out, done.err) == ("Hi.\n", "")


def test_the_program_remembers_nothing_of_what_is_piped(typed, tmp_path):
    typed("One")
    assert not (tmp_path / "home" / ".local" / "state").exists()


def test_a_value_that_stays_is_told_where_it_comes_from_now(typed):
    done = typed("/set seed 1", "/set seed 1", flags=("--seed", "1"))
    assert done.err.splitlines() == [
        "seed: 1 as before, now from /set seed",
        "nothing changes",
    ]
