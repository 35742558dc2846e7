import pytest

from vllmctl.errors import UsageError
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.server.connection import connection, is_loopback
from vllmctl.request.server.keys import parse_duration
from vllmctl.request.server.settings import Setting, from_text, merged, of_environment

from .helpers import CHAT


def values(settings):
    return {key: setting.value for key, setting in settings.items()}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (90, 90),
        (1.5, 1.5),
        ("90", 90),
        ("90s", 90),
        ("2m", 120),
        ("500ms", 0.5),
        ("1.5 h", 5400),
        (0, 0),
    ],
)
def test_reads_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "banana", "-1", -1, "1d", True, float("nan"), [], "1e3", None]
)
def test_refuses_what_is_no_duration_and_names_the_forms(text):
    with pytest.raises(UsageError, match="seconds, or a text such as 90s, 2m or 500ms"):
        parse_duration(text)


def test_takes_connection_settings_from_the_environment(user):
    user.variables |= {
        "VLLMCTL_BASE_URL": "http://a:8000",
        "VLLMCTL_API_KEY": " k ",
        "VLLMCTL_MODEL": "m",
        "VLLMCTL_TIMEOUT": "2m",
        "VLLMCTL_RETRIES": "3",
        "VLLMCTL_CA_FILE": "ca.pem",
        "VLLMCTL_TARGET": "",
    }
    settings = of_environment(user.env)
    assert values(settings) == {
        "base_url": "http://a:8000",
        "api_key": "k",
        "model": "m",
        "timeout": 120.0,
        "retries": 3,
        "ca_file": f"{user.cwd}/ca.pem",
    }
    assert settings["model"].origin == Origin("environment", "VLLMCTL_MODEL")


def test_names_the_variable_whose_value_cannot_be(user):
    user.variables["VLLMCTL_TIMEOUT"] = "soon"
    with pytest.raises(UsageError, match="VLLMCTL_TIMEOUT: expected seconds"):
        of_environment(user.env)


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_takes_the_openai_key_only_with_the_openai_url(user, name):
    user.variables |= {"OPENAI_API_KEY": "sk-openai"}
    assert of_environment(user.env) == {}
    user.variables[name] = "http://b/v1"
    assert values(of_environment(user.env)) == {"base_url": "http://b/v1", "api_key": "sk-openai"}
    user.variables["VLLMCTL_BASE_URL"] = "http://a"
    assert values(of_environment(user.env)) == {"base_url": "http://a"}


def test_sends_no_profiles_key_to_a_url_of_openais_variables(user):
    user.variables |= {"OPENAI_BASE_URL": "http://b/v1", "K": "secret"}
    profile = {"api_key_env": Setting("K", Origin("profile", "p"))}
    found = connection(merged(profile, of_environment(user.env)), user.env)
    assert (found.base_url, found.api_key) == ("http://b/v1", None)


def test_a_later_source_of_the_key_replaces_the_earlier_one():
    first = {"api_key_env": Setting("A", Origin("profile", "a"))}
    second = {"api_key_cmd": Setting("b", Origin("profile", "b"))}
    flag = {"api_key": Setting("c", Origin("flag", "--api-key"))}
    assert values(merged(first, second)) == {"api_key_cmd": "b"}
    assert values(merged(first, second, flag)) == {"api_key": "c"}


def test_headers_replace_each_other_in_any_case():
    first = {"headers.X-Team": Setting("a", Origin("profile", "a"))}
    second = {"headers.x-team": Setting("b", Origin("flag", "-H"))}
    assert values(merged(first, second)) == {"headers.x-team": "b"}


def test_flags_win_over_environment_and_environment_over_profiles(user):
    user.write("~/config.toml", "[server]\nbase_url = 'http://profile'\nmodel = 'p'\nretries = 1")
    user.variables |= {"VLLMCTL_BASE_URL": "http://env", "VLLMCTL_MODEL": "e"}
    flags = {"base_url": from_text("base_url", "http://flag", "--base-url", user.env)}
    server = resolve([], CHAT, user.env).server
    found = connection(merged(server, of_environment(user.env), flags), user.env)
    assert (found.base_url, found.model, found.retries) == ("http://flag", "e", 1)
    assert str(found.origins["base_url"]) == "--base-url"
    assert str(found.origins["model"]) == "VLLMCTL_MODEL"


def test_expands_paths_from_the_folder_of_the_profile(user):
    user.write("~/config.toml", "[server]\nca_file = '~/certs/ca.pem'\nkey_file = 'k.pem'")
    server = resolve([], CHAT, user.env).server
    assert server["ca_file"].value == f"{user.home}/certs/ca.pem"
    assert server["key_file"].value == f"{user.config}/k.pem"


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:8000/v1", True),
        ("localhost:8000", True),
        ("127.0.0.1", True),
        ("http://127.1.2.3", True),
        ("http://[::1]:8000", True),
        ("unix:///run/vllm.sock", True),
        ("http://127.0.0.1.evil.com", False),
        ("http://localhost.evil.com", False),
        ("http://localhost@evil.com", False),
        ("http://evil.com/localhost", False),
        ("http://[::1", False),
        ("http://gpu:8000", False),
        ("", False),
    ],
)
def test_knows_what_is_this_machine(url, here):
    assert is_loopback(url) is here
