import json
import re
from pathlib import Path

import pytest


def saved(vllmctl, *arguments):
    done = vllmctl("profiles", "save", *arguments)
    assert done.code == 0, done.err
    return done


def test_what_is_saved_is_what_a_request_gets(vllmctl):
    saved(vllmctl, "mine", "--temperature", "0.1", "--no-thinking", "-o", "top_k=5",
          "--description", "Mine", "-m", "tiny", "--base-url", "http://lab:8000")  # fmt: skip
    body = vllmctl("chat", "hi", "-p", "mine", "-n").json
    assert (body["temperature"], body["top_k"], body["model"]) == (0.1, 5, "tiny")
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "http://lab:8000" in vllmctl("chat", "hi", "-p", "mine", "-n", "-v").err


def test_secrets_are_never_written(vllmctl, tmp_path):
    done = saved(vllmctl, "mine", "--api-key", "sk-secret-1", "-H", "Authorization: Bearer sk-2x")
    files = [p.read_text() for p in (tmp_path / "home").rglob("*") if p.is_file()]
    assert files
    assert not any("sk-secret-1" in text or "sk-2x" in text for text in files)
    assert "not saved" in done.err


def test_a_name_is_not_replaced_by_accident(vllmctl):
    saved(vllmctl, "mine", "--seed", "1")
    again = vllmctl("profiles", "save", "mine", "--seed", "2")
    assert (again.code, "--force" in again.err) == (2, True)
    saved(vllmctl, "mine", "--seed", "2", "--force")
    assert vllmctl("chat", "hi", "-p", "mine", "-n").json["seed"] == 2


def test_a_project_profile_goes_into_the_projects_file_and_keeps_the_rest(vllmctl):
    Path("vllmctl.toml").write_text("# ours\n[request]\ntop_p = 0.5\n")
    saved(vllmctl, "short", "--max-tokens", "5", "--project")
    text = Path("vllmctl.toml").read_text()
    assert text.startswith("# ours\n[request]\ntop_p = 0.5\n")
    body = vllmctl("chat", "hi", "-p", "short", "-n").json
    assert (body["top_p"], body["max_tokens"]) == (0.5, 5)


def test_profiles_extend_what_they_were_saved_on_top_of(vllmctl):
    saved(vllmctl, "mine", "-p", "greedy", "--max-tokens", "5")
    text = vllmctl("profiles", "show", "mine").out
    assert 'extends = ["greedy"]' in " ".join(text.split()).replace("[ ", "[").replace(", ]", "]")
    assert "temperature" not in text
    assert vllmctl("chat", "hi", "-p", "mine", "-n").json["temperature"] == 0


def test_complete_has_flags_of_its_own(vllmctl):
    saved(vllmctl, "probe", "--for", "complete", "--logprobs", "5", "--echo")
    body = vllmctl("complete", "hi", "-p", "probe", "-n").json
    assert (body["logprobs"], body["echo"]) == (5, True)
    assert vllmctl("profiles", "save", "x", "--logprobs", "5").code == 2


def test_list_shows_names_places_and_what_is_hidden(vllmctl):
    saved(vllmctl, "greedy", "--seed", "1", "--description", "My own")
    rows = json.loads(vllmctl("profiles", "list", "--format", "json").out)
    mine, shipped = [row for row in rows if row["name"] == "greedy"]
    assert (mine["place"], mine["description"]) == ("user", "My own")
    assert (shipped["place"], shipped["shadowed_by"]) == ("shipped", "user")
    text = vllmctl("profiles", "list").out
    assert "hidden by user" in text
    assert len({row["name"] for row in rows}) >= 8


def test_show_resolved_and_origin(vllmctl):
    saved(vllmctl, "mine", "-p", "greedy", "--max-tokens", "5")
    assert json.loads(vllmctl("profiles", "show", "mine", "--resolved").out) == {
        "temperature": 0, "max_tokens": 5,
    }  # fmt: skip
    lines = vllmctl("profiles", "show", "mine", "--origin").out.splitlines()
    assert any(line.startswith("temperature = 0") and "greedy.toml:" in line for line in lines)
    assert any(line.startswith("max_tokens = 5") and "mine.toml:" in line for line in lines)


def test_several_are_shown_merged_and_without_secrets(vllmctl):
    Path("lab.toml").write_text(
        '[server]\nbase_url = "http://u:secret@lab"\nmodel = "qwen"\ntimeout = "2m"\n'
        '[server.headers]\nX-Team = "a"\nAuthorization = "Bearer secret"\n'
        "[request]\ntemperature = 1\nstream_options.include_usage = true\n"
    )
    lines = vllmctl("profiles", "show", "./lab.toml", "greedy").out.splitlines()
    assert lines == [
        "stream_options.include_usage = true",
        "temperature = 0",
        'server.base_url = "http://…@lab"',
        'server.model = "qwen"',
        "server.timeout = 120.0",
        'server.headers.X-Team = "a"',
        'server.headers.Authorization = "…"',
    ]
    told = vllmctl("profiles", "show", "./lab.toml", "greedy", "--origin").out.splitlines()
    assert [line.partition("  # ")[0] for line in told] == lines
    assert told[3].endswith("# profile lab.toml (lab.toml:3)")
    body = {"stream_options": {"include_usage": True}, "temperature": 0}
    for flag in ("--json", "--resolved"):
        assert vllmctl("profiles", "show", "./lab.toml", "greedy", flag).json == body


def test_check_names_file_line_and_the_nearest_name(vllmctl):
    Path("bad.toml").write_text('[request]\ntempreature = 1\ntop_p = "0.9"\nmin_p = 3\n')
    done = vllmctl("profiles", "check", "./bad.toml")
    assert (done.code, done.out) == (2, "")
    for words in ("bad.toml:2", "temperature", "bad.toml:3"):
        assert words in done.err
    assert vllmctl("profiles", "check").code == 0
    Path("rules.toml").write_text("[request]\nmin_p = 3\n[chat]\nn = 2\ntemperature = 0\n")
    broken = vllmctl("profiles", "check", "./rules.toml")
    assert broken.code == 2
    for words in ("rules.toml:2", "min_p", "rules.toml:4", "n must be 1"):
        assert words in broken.err


def test_path_rm_and_edit(vllmctl, monkeypatch):
    saved(vllmctl, "mine", "--seed", "1")
    path = Path(vllmctl("profiles", "path", "mine").out.strip())
    assert path.read_text().count("seed = 1") == 1
    monkeypatch.setenv("EDITOR", "sed -i s/1/2/")
    assert vllmctl("profiles", "edit", "mine").code == 0
    assert "seed = 2" in path.read_text()
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert vllmctl("profiles", "edit", "mine").code == 2
    assert vllmctl("profiles", "rm", "mine").code == 0
    assert not path.exists()
    assert vllmctl("profiles", "rm", "greedy").code == 2
    assert vllmctl("profiles", "path").out.strip() == str(path.parent)


def test_a_path_to_save_to_looks_like_one(vllmctl):
    refused = vllmctl("profiles", "save", "../evil", "--seed", "1")
    assert refused.code == 2
    assert "../evil.toml" in refused.err
    assert not Path("../evil").exists()
    saved(vllmctl, "./here.toml", "--seed", "1")
    assert vllmctl("chat", "hi", "-p", "./here.toml", "-n").json["seed"] == 1


def test_a_shipped_name_that_is_taken_over_is_told(vllmctl):
    assert "ships with vllmctl" in saved(vllmctl, "greedy", "--seed", "1").err
    assert "ships with vllmctl" in saved(vllmctl, "greedy", "--seed", "1", "--project").err
    assert "ships with" not in saved(vllmctl, "mine", "--seed", "1").err


def test_unknown_names_and_typos_are_told(vllmctl):
    for arguments in (("show", "nope"), ("lst",), ("save",), ("save", "a", "b"), ("save", "a/..")):
        done = vllmctl("profiles", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert "Traceback" not in done.err
    assert "profiles list" in vllmctl("chat", "hi", "-p", "nope", "-n").err


def test_a_cloned_repository_cannot_run_commands_or_take_the_key(vllmctl, monkeypatch, tmp_path):
    Path("vllmctl.toml").write_text(
        f'[server]\nbase_url = "http://evil.example"\napi_key_cmd = "touch {tmp_path}/ran"\n'
    )
    monkeypatch.setenv("VLLMCTL_API_KEY", "sk-mine-1234567890")
    done = vllmctl("chat", "hi", "-n", "-v")
    assert "sk-m" not in done.err
    sent = vllmctl("chat", "hi", "-m", "x")
    assert sent.code != 0
    assert not (tmp_path / "ran").exists()
    assert "trust" in sent.err
    assert vllmctl("profiles", "trust").code == 0


def editor(monkeypatch, tmp_path, text):
    """Have an editor that writes ``text``."""
    script = tmp_path / "editor"
    script.write_text(f"#!/bin/sh\nfor file; do :; done\nprintf '%s' '{text}' > \"$file\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))


@pytest.mark.parametrize(
    ("name", "file"), [("broke", "profiles/broke.toml"), ("config", "config.toml")]
)
def test_a_broken_file_is_found_and_mended(vllmctl, monkeypatch, tmp_path, name, file):
    path = tmp_path / "home/.config/vllmctl" / file
    path.parent.mkdir(parents=True)
    path.write_text("bad [")
    assert vllmctl("profiles", "path", name).out == f"{path}\n"
    editor(monkeypatch, tmp_path, "[request]\nseed = 1\n")
    done = vllmctl("profiles", "edit", name)
    assert (done.code, path.read_text()) == (0, "[request]\nseed = 1\n")


def test_a_broken_profile_is_removed_or_replaced(vllmctl, tmp_path):
    path = tmp_path / "home/.config/vllmctl/profiles/broke.toml"
    path.parent.mkdir(parents=True)
    path.write_text("bad [")
    assert "--force" in vllmctl("profiles", "save", "broke", "--seed", "1").err
    assert path.read_text() == "bad ["
    saved(vllmctl, "broke", "--seed", "1", "--force")
    path.write_text("bad [")
    assert vllmctl("profiles", "rm", "broke").code == 0
    assert not path.exists()


def test_a_broken_configuration_does_not_keep_other_profiles_from_change(vllmctl, tmp_path):
    config = tmp_path / "home/.config/vllmctl/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("bad [")
    saved(vllmctl, "other", "--seed", "1")
    assert vllmctl("profiles", "rm", "other").code == 0
    assert "no TOML" in vllmctl("profiles", "path", "nowhere").err
    Path("vllmctl.toml").write_text("bad [")
    refused = vllmctl("profiles", "save", "other", "--seed", "1", "--project")
    assert (refused.code, Path("vllmctl.toml").read_text()) == (2, "bad [")


def test_the_sections_of_a_configuration_are_told_in_full(vllmctl):
    Path("vllmctl.toml").write_text("[alias]\nx = 1\n")
    assert "[server], [profiles.NAME]" in vllmctl("chat", "x", "-n").err
    Path("one.toml").write_text("[alias]\nx = 1\n")
    Path("vllmctl.toml").unlink()
    assert "profiles.NAME" not in vllmctl("chat", "x", "-n", "-p", "./one.toml").err


@pytest.mark.parametrize("command", ["rm", "path", "edit", "show", "check"])
def test_an_empty_name_is_no_profiles_name(vllmctl, monkeypatch, command):
    monkeypatch.setenv("EDITOR", "rm")
    saved(vllmctl, "mine", "--seed", "1")
    done = vllmctl("profiles", command, "")
    assert (done.code, done.out) == (2, "")
    assert "the name of a profile is empty" in done.err
    assert vllmctl("chat", "hi", "-p", "mine", "-n").code == 0


def test_what_is_extended_has_to_be_sound(vllmctl, tmp_path):
    saved(vllmctl, "mine", "--seed", "1")
    own = Path(vllmctl("profiles", "path").out.strip())
    (own / "broken.toml").write_text("bad [")
    done = vllmctl("profiles", "save", "new", "-p", "broken", "--seed", "2")
    assert (done.code, (own / "new.toml").exists()) == (2, False)
    (own / "cyc.toml").write_text('extends = ["cyc"]\n')
    assert "cyc extends itself" in vllmctl("chat", "hi", "-p", "cyc", "-n").err


def test_every_broken_profile_is_told_beside_a_projects_file(vllmctl):
    Path("vllmctl.toml").write_text("[request]\nseed = 1\n")
    own = Path(vllmctl("profiles", "path").out.strip())
    own.mkdir(parents=True)
    for name in ("one", "two"):
        (own / f"{name}.toml").write_text("bad [")
    told = vllmctl("profiles", "check").err
    assert "one.toml" in told
    assert "two.toml" in told


@pytest.mark.parametrize("editor", ["vim '", "no-such-editor"])
def test_an_editor_that_cannot_be_started_is_told(vllmctl, monkeypatch, editor):
    saved(vllmctl, "mine", "--seed", "1")
    monkeypatch.setenv("EDITOR", editor)
    done = vllmctl("profiles", "edit", "mine")
    assert done.code == 2
    assert f"cannot start {editor}: " in done.err


def test_what_is_no_profile_is_not_trusted(vllmctl):
    Path("bad.toml").write_text("[x")
    done = vllmctl("profiles", "trust", "bad.toml")
    assert (done.code, done.out) == (2, "")
    assert "bad.toml:1: this is no TOML" in done.err


def test_what_a_name_means_is_told_of_profiles_as_of_options(vllmctl):
    Path("odd.toml").write_text("[request]\nenable_thinking = false\nguidedRegex = 'a'\n")
    options = ("-o", "enable_thinking:=false", "-o", "guidedRegex=a")
    told = vllmctl("chat", "hi", "-m", "m", "-n", "-p", "./odd.toml")
    typed = vllmctl("chat", "hi", "-m", "m", "-n", *options)
    assert (told.code, typed.code) == (2, 2)
    assert "set by profile odd.toml (odd.toml:3)" in told.err
    source = re.compile("set by .*")
    assert source.sub("", told.err) == source.sub("", typed.err)
    checked = vllmctl("profiles", "check", "./odd.toml")
    assert checked.code == 2
    assert "odd.toml:3: guidedRegex " in checked.err


def test_a_name_that_has_another_place_in_a_profile_is_refused(vllmctl):
    Path("odd.toml").write_text('[chat]\nbase_url = "http://lab"\nsuffix = "x"\n')
    done = vllmctl("chat", "hi", "-m", "m", "-n", "-p", "./odd.toml")
    assert (done.code, done.out) == (2, "")
    assert "odd.toml:2: chat.base_url: no such field (base_url belongs in [server])" in done.err
    assert "suffix belongs in [complete]" in done.err


def test_a_projects_file_with_named_profiles_is_trusted_until_it_changes(vllmctl):
    file = Path("vllmctl.toml")
    file.write_text('[server]\napi_key_env = "LAB"\n[profiles.fast.request]\nmax_tokens = 5\n')
    assert "not trusted" in vllmctl("chat", "hi", "-n", "-v").err
    assert vllmctl("profiles", "trust").code == 0
    assert "not trusted" not in vllmctl("chat", "hi", "-n", "-v").err
    assert vllmctl("chat", "hi", "-n", "-p", "fast").json["max_tokens"] == 5
    assert vllmctl("profiles", "trust", "nowhere.toml").code == 2
    file.write_text("profiles = 3\n")
    assert "profiles must be a table" in vllmctl("profiles", "trust").err


def test_profiles_of_a_projects_file_are_not_looked_for_at_its_path(vllmctl):
    Path("vllmctl.toml").write_text("[profiles.fast.request]\nmax_tokens = 5\n")
    done = vllmctl("chat", "hi", "-n", "-p", "./vllmctl.toml")
    assert (done.code, done.out) == (2, "")
    assert "called by name" in done.err


def test_each_fault_of_a_named_profile_is_told_once_with_its_mend(vllmctl):
    Path("vllmctl.toml").write_text(
        "[request]\ntop_pp = 1\n[profiles.a]\nmax_tokens = 5\n"
        "[profiles.b.request]\ntemprature = 1\n"
    )
    done = vllmctl("profiles", "check")
    lines = done.err.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"vllmctl.toml:{n}" for n in (2, 4, 6)]
    assert "max_tokens belongs in [profiles.a.request]" in lines[1]


def test_saving_without_a_name_shows_how_to_save(vllmctl):
    done = vllmctl("profiles", "save", "--seed", "1")
    assert (done.code, "hint: vllmctl profiles save " in done.err) == (2, True)
