"""Faults of configuration that people have reported to other programs, and what we do."""

import json
import tomllib
from pathlib import Path

import pytest

from vllmctl.errors import ConfigError
from vllmctl.exitcodes import ExitCode
from vllmctl.request.profiles.check import check_config
from vllmctl.request.profiles.listing import show
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.profiles.write import save
from vllmctl.request.server.connection import connection
from vllmctl.request.server.settings import from_text, merged, of_environment

from .helpers import CHAT, body_of

DATA = Path(__file__).parent.parent / "data" / "profiles"
FAULTS = json.loads((DATA / "config_faults.json").read_text())


@pytest.mark.parametrize("case", FAULTS, ids=[case["id"] for case in FAULTS])
def test_finds_the_faults_of_a_reported_config(case, user):
    user.write("~/config.toml", case["toml"])
    found = check_config(Place.USER, user.env)
    assert [(problem.line, problem.path) for problem in found] == [
        (line, path) for line, path, _ in case["problems"]
    ]
    for problem, (_, _, says) in zip(found, case["problems"], strict=True):
        assert says in f"{problem} {problem.hint}"


@pytest.mark.parametrize("case", FAULTS, ids=[case["id"] for case in FAULTS])
def test_never_goes_on_with_a_reported_config(case, user):
    user.write("~/config.toml", case["toml"])
    with pytest.raises(ConfigError) as caught:
        resolve(["a"] if "profiles.a" in case["toml"] else [], CHAT, user.env)
    assert caught.value.exit_code is ExitCode.USAGE


def test_d004_a_table_that_is_there_twice(user):
    text = '[profiles.qwen]\nmodel = "a"\n[profiles.qwen]\nmodel = "b"\n'
    user.write("~/config.toml", text)
    with pytest.raises(ConfigError) as caught:
        resolve(["qwen"], CHAT, user.env)
    where, _, what = caught.value.message.partition(": ")
    assert where.startswith("~/.config/vllmctl/config.toml:3:")
    assert what == "table [profiles.qwen] is defined twice, first on line 1"


def test_d010_the_environment_beats_a_file(user):
    user.write("~/config.toml", '[server]\nbase_url = "https://api.example.com"')
    user.variables["OPENAI_API_BASE"] = "http://localhost:8000/v1"
    server = merged(resolve([], CHAT, user.env).server, of_environment(user.env))
    assert server["base_url"].value == "http://localhost:8000/v1"
    assert str(server["base_url"].origin) == "OPENAI_API_BASE"
    flags = {"base_url": from_text("base_url", "http://flag", "--base-url", user.env)}
    assert merged(server, flags)["base_url"].value == "http://flag"


def test_d012_says_which_source_gave_the_key_and_that_it_is_a_placeholder(user):
    user.variables["VLLM_API_KEY"] = "changeme"
    settings = {"base_url": from_text("base_url", "http://localhost:8000/v1", "-u", user.env)}
    key = connection(settings, user.env).api_key
    assert str(key.origin) == "VLLM_API_KEY"
    assert key.is_placeholder


def test_d013_sends_what_the_file_says_and_nothing_more(user):
    user.write("~/config.toml", "[profiles.default.request]\ntemperature = 0.6\ntop_p = 0.95")
    body, _ = body_of(resolve(["default"], CHAT, user.env))
    assert body == {"temperature": 0.6, "top_p": 0.95}


def test_d014_shows_no_key(user):
    user.write("~/config.toml", '[profiles.a.server]\napi_key = "sk-test-1234567890"')
    shown = show("a", user.env)
    assert "sk-test-1234567890" not in shown.text + json.dumps(shown.table) + repr(shown.table)


def test_d014_repeats_no_key_in_an_error(user):
    user.write("~/config.toml", '[server]\napi_key = ["sk-test-1234567890"]')
    with pytest.raises(ConfigError) as caught:
        resolve([], CHAT, user.env)
    assert "sk-test" not in caught.value.message + caught.value.hint


def test_d016_warns_once_of_a_key_that_others_may_read(user):
    path = user.write("~/config.toml", '[profiles.a.server]\napi_key = "sk-test-1"\n')
    path.chmod(0o644)
    notices = resolve(["a"], CHAT, user.env).notices
    assert [notice for notice in notices if "chmod" in notice] == [
        f"others may read ~/.config/vllmctl/config.toml, which holds a key: chmod 600 {path}"
    ]
    assert "api_key_env" in notices[0]


def test_d017_reads_a_relative_path_from_the_folder_of_the_file(user):
    user.write("vllmctl.toml", "[profiles.a.chat]\nstructured_outputs.json = '@schemas/x.json'")
    with pytest.raises(ConfigError, match=f"{user.project}/schemas/x.json"):
        resolve(["a"], CHAT, user.env)
    user.write("schemas/x.json", '{"type": "object"}')
    body, _ = body_of(resolve(["a"], CHAT, user.env))
    assert body == {"structured_outputs": {"json": {"type": "object"}}}


def test_d019_expands_a_tilde_and_makes_no_folder_of_that_name(user):
    user.write("~/config.toml", '[profiles.a.server]\nca_file = "~/certs/ca.pem"\n')
    server = resolve(["a"], CHAT, user.env).server
    assert server["ca_file"].value == f"{user.home}/certs/ca.pem"
    save("b", {}, CHAT, user.env, server=server)
    assert not (user.cwd / "~").exists()


def test_d020_works_where_no_home_is_set(user):
    user.variables.clear()
    server = {"base_url": from_text("base_url", "http://localhost:8000/v1", "-u", user.env)}
    found = connection(merged(resolve([], CHAT, user.env).server, server), user.env)
    assert (found.base_url, found.notices) == ("http://localhost:8000/v1", [])


def test_d022_uses_only_the_file_that_is_given(user):
    user.variables["HOME"] = "/nonexistent"
    path = user.write("c.toml", "[request]\nn = 2\n[server]\nbase_url = 'http://localhost:1'")
    resolved = resolve([str(path)], CHAT, user.env)
    assert body_of(resolved)[0] == {"n": 2}
    assert resolved.server["base_url"].value == "http://localhost:1"


def test_d024_writes_toml_that_can_be_read_again(user):
    description = 'say "hi"'
    server = {"ca_file": from_text("ca_file", "C:\\certs\\new.pem", "--ca-file", user.env)}
    saved = save("win", {}, CHAT, user.env, server=server, description=description)
    data = tomllib.loads(saved.path.read_text())
    assert data["description"] == description
    assert data["server"]["ca_file"].endswith("C:\\certs\\new.pem")
    assert resolve(["win"], CHAT, user.env).server["ca_file"].value == data["server"]["ca_file"]


def test_a_key_that_is_set_twice_around_a_text_of_several_lines(tmp_path, monkeypatch):
    (tmp_path / "p.toml").write_bytes(b'1ed=""""""\n1ed="""\n=""" ')
    monkeypatch.chdir(tmp_path)
    from vllmctl.env import Environment
    from vllmctl.errors import ConfigError
    from vllmctl.request.profiles.resolve import resolve

    with pytest.raises(ConfigError, match="p.toml"):
        resolve(["./p.toml"], "completions", Environment(cwd=tmp_path))
