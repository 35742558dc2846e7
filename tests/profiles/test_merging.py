import subprocess
import sys

import pytest

from vllmctl.errors import ConfigError
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, COMPLETE, body_of


def test_puts_user_below_project_below_profiles_left_to_right(user):
    user.write("~/config.toml", "[request]\ntemperature = 0.1\ntop_p = 0.1\ntop_k = 1\nn = 1")
    user.write("vllmctl.toml", "[request]\ntop_p = 0.2\ntop_k = 2\nn = 2")
    user.write("~/profiles/a.toml", "[request]\ntop_k = 3\nn = 3")
    user.write("~/profiles/b.toml", "[request]\nn = 4")
    resolved = resolve(["a", "b"], CHAT, user.env)
    assert body_of(resolved)[0] == {"temperature": 0.1, "top_p": 0.2, "top_k": 3, "n": 4}
    assert [profile.title for profile in resolved.profiles] == [
        "user config",
        "project config",
        "profile a",
        "profile b",
    ]


def test_leaves_the_configs_out_when_asked(user):
    user.write("~/config.toml", "[request]\ntemperature = 0.1")
    assert resolve([], CHAT, user.env, configs=False).layers == []


def test_applies_a_profile_after_what_it_extends(user):
    user.write("~/profiles/base.toml", "[request]\ntemperature = 0.1\ntop_p = 0.1")
    user.write("~/profiles/mid.toml", 'extends = ["base"]\n[request]\ntop_p = 0.2')
    user.write("deep/top.toml", 'extends = "mid"\n[request]\nn = 3')
    resolved = resolve(["./top.toml"], CHAT, user.env)
    assert body_of(resolved)[0] == {"temperature": 0.1, "top_p": 0.2, "n": 3}


def test_applies_what_several_extend_once_where_it_is_first_needed(user):
    user.write("~/profiles/base.toml", "[request]\ntemperature = 0.5")
    user.write("~/profiles/cold.toml", 'extends = ["base"]\n[request]\ntemperature = 0')
    user.write("~/profiles/few.toml", 'extends = ["base"]\n[request]\nn = 2')
    assert body_of(resolve(["cold", "few"], CHAT, user.env))[0] == {"temperature": 0, "n": 2}


def test_applies_a_profile_again_when_it_is_asked_for_again(user):
    user.write("~/profiles/base.toml", "[request]\ntemperature = 0.5")
    user.write("~/profiles/cold.toml", 'extends = ["base"]\n[request]\ntemperature = 0')
    assert body_of(resolve(["cold", "base"], CHAT, user.env))[0] == {"temperature": 0.5}


def test_extends_the_profile_that_it_shadows_by_its_own_name(user):
    user.write("~/profiles/precise.toml", 'extends = ["precise"]\n[request]\ntop_p = 0.5')
    user.write("vllmctl.toml", '[profiles.precise]\nextends = ["precise"]\nrequest.n = 2')
    assert body_of(resolve(["precise"], CHAT, user.env))[0] == {
        "temperature": 0.2,
        "top_p": 0.5,
        "n": 2,
    }


def test_finds_what_is_extended_by_path_beside_the_profile(user):
    user.write("shared/base.toml", "[request]\nn = 2")
    user.write("shared/more/top.toml", 'extends = ["../base.toml"]')
    assert body_of(resolve(["../shared/more/top.toml"], CHAT, user.env))[0] == {"n": 2}


def test_refuses_profiles_that_extend_each_other(user):
    user.write("~/profiles/a.toml", 'description = "x"\nextends = ["b"]')
    user.write("~/profiles/b.toml", 'extends = ["a"]')
    with pytest.raises(ConfigError, match=r"b.toml:1: .*a → b → a"):
        resolve(["a"], CHAT, user.env)


def test_refuses_a_file_that_extends_itself_by_any_path(user):
    user.write("deep/a.toml", 'extends = ["../deep/a.toml"]')
    with pytest.raises(ConfigError, match="extend each other"):
        resolve(["./a.toml"], CHAT, user.env)


def test_says_who_extends_a_profile_that_is_missing(user):
    user.write("~/profiles/a.toml", '\nextends = ["precice"]')
    with pytest.raises(ConfigError, match=r"no profile is called precice \(.*a.toml:2\)") as caught:
        resolve(["a"], CHAT, user.env)
    assert "precise" in caught.value.hint


def test_puts_a_commands_own_section_over_the_shared_one(user):
    user.write(
        "~/profiles/a.toml",
        """
        [complete]
        max_tokens = 3
        [chat]
        max_tokens = 2
        [request]
        max_tokens = 1
        """,
    )
    assert body_of(resolve(["a"], CHAT, user.env), CHAT)[0] == {"max_tokens": 2}
    assert body_of(resolve(["a"], COMPLETE, user.env), COMPLETE)[0] == {"max_tokens": 3}


def test_takes_nested_fields_as_tables_dotted_and_inline(user):
    user.write(
        "~/profiles/a.toml",
        """
        [request]
        stream_options.include_usage = true
        logit_bias = { 15043 = -100, "5" = 1.5 }
        [request.repetition_detection]
        max_pattern_size = 8
        min_count = 4
        [chat.chat_template_kwargs]
        enable_thinking = false
        """,
    )
    body, origins = body_of(resolve(["a"], CHAT, user.env))
    assert body == {
        "stream_options": {"include_usage": True},
        "logit_bias": {"15043": -100, "5": 1.5},
        "repetition_detection": {"max_pattern_size": 8, "min_count": 4},
        "chat_template_kwargs": {"enable_thinking": False},
    }
    where = "profile a (~/.config/vllmctl/profiles/a.toml:{})"
    assert origins["stream_options.include_usage"] == where.format(3)
    assert origins["repetition_detection.min_count"] == where.format(7)
    assert origins["chat_template_kwargs.enable_thinking"] == where.format(9)


def test_gives_every_leaf_an_origin(user):
    user.write("~/profiles/a.toml", "[request]\nlogit_bias = {}\nstop = ['a', 'b']\nn = 1")
    [layer] = resolve(["a"], CHAT, user.env).layers
    assert set(layer.origins) == {"logit_bias", "stop", "n"}


def test_leaves_out_a_shared_field_that_the_endpoint_does_not_have(user):
    user.write("~/profiles/a.toml", "[request]\nn = 1\ntop_logprobs = 5\nsuffix = 'x'")
    resolved = resolve(["a"], COMPLETE, user.env)
    assert body_of(resolved, COMPLETE)[0] == {"n": 1, "suffix": "x"}
    assert [(s.path, str(s.origin)) for s in resolved.skipped] == [
        ("top_logprobs", "profile a (~/.config/vllmctl/profiles/a.toml:3)")
    ]
    assert [s.path for s in resolve(["a"], CHAT, user.env).skipped] == ["suffix"]


def test_gives_other_endpoints_the_shared_fields_that_they_have(user):
    user.write("~/profiles/a.toml", "[request]\npriority = 1\nlogprobs = true\n")
    with pytest.raises(ConfigError, match="expected a whole number, got true"):
        resolve(["a"], "embeddings", user.env)
    user.write("~/profiles/a.toml", "[request]\npriority = 1\ntemperature = 1\n[chat]\nn = 1")
    [layer] = resolve(["a"], "embeddings", user.env).layers
    assert layer.values == {"priority": 1}


def test_merges_the_settings_of_the_server_like_the_fields(user):
    user.write("~/config.toml", "[server]\nbase_url = 'http://a'\ntimeout = '2m'\nretries = 1")
    user.write("~/profiles/a.toml", "[server]\nbase_url = 'http://b'\nheaders.X-Team = 'ml'")
    server = resolve(["a"], CHAT, user.env).server
    assert {key: setting.value for key, setting in server.items()} == {
        "base_url": "http://b",
        "timeout": 120.0,
        "retries": 1,
        "headers.X-Team": "ml",
    }
    assert str(server["base_url"].origin) == "profile a (~/.config/vllmctl/profiles/a.toml:2)"
    assert str(server["timeout"].origin) == "user config (~/.config/vllmctl/config.toml:3)"
    assert server["headers.X-Team"].origin.text.endswith("a.toml:3)")


def test_says_that_a_profile_has_nothing_for_this_command(user):
    resolved = resolve(["no-thinking"], COMPLETE, user.env)
    assert resolved.notices == ["profile no-thinking says nothing that /v1/completions knows"]
    assert resolve(["no-thinking"], CHAT, user.env).notices == []


def test_says_nothing_when_there_is_nothing(user):
    resolved = resolve([], CHAT, user.env)
    assert (resolved.layers, resolved.server, resolved.profiles) == ([], {}, [])


def test_reads_no_toml_when_there_is_no_profile():
    code = (
        "import sys; from vllmctl.env import Environment; "
        "from vllmctl.request.profiles.resolve import resolve; "
        "resolve([], 'completions', Environment(variables={})); "
        "print({'tomllib', 'tomli_w', 'subprocess', 'pydantic_core'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/"
    )
    assert done.stdout == "set()\n"
