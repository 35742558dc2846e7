import os
import sys

import pytest

from vllmctl.errors import ConfigError
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.profiles.trust import distrust, is_trusted, trust
from vllmctl.request.server.connection import connection
from vllmctl.request.server.settings import Setting, merged, of_environment

from .helpers import CHAT

SECRET = "sk-test-1234567890"


def connect(user, names=(), *, dry_run=False, flags=None):
    server = resolve(list(names), CHAT, user.env).server
    settings = merged(server, of_environment(user.env), flags or {})
    return connection(settings, user.env, dry_run=dry_run)


def test_takes_the_key_from_a_variable_and_says_from_where(user):
    user.write("~/config.toml", "[server]\napi_key_env = 'TEAM_KEY'")
    user.variables["TEAM_KEY"] = f" {SECRET}\n"
    key = connect(user).api_key
    assert key.value == SECRET
    assert str(key.origin) == "user config (~/.config/vllmctl/config.toml:2)"


def test_says_which_variable_is_not_set(user):
    user.write("~/config.toml", "[server]\napi_key_env = 'TEAM_KEY'")
    with pytest.raises(ConfigError, match=r"TEAM_KEY is not set.*config.toml:2"):
        connect(user)


def test_needs_no_key_for_a_dry_run(user):
    user.write("~/config.toml", "[server]\napi_key_env = 'TEAM_KEY'")
    found = connect(user, dry_run=True)
    assert found.api_key is None
    assert "TEAM_KEY is not set" in found.notices[0]


@pytest.mark.parametrize("command", ["\"printf '%s\\n' $WORD; echo no\"", '["printf", "k-1\\nno"]'])
def test_takes_the_first_line_that_a_command_prints(user, command, monkeypatch):
    monkeypatch.setenv("WORD", "k-1")
    user.write("~/config.toml", f"[server]\napi_key_cmd = {command}")
    assert connect(user).api_key.value == "k-1"


def test_runs_the_command_in_the_folder_of_the_profile_and_keeps_standard_input_from_it(user):
    user.write("~/config.toml", "[server]\napi_key_cmd = 'cat key.txt -'")
    (user.config / "key.txt").write_text("from-file\n")
    assert connect(user).api_key.value == "from-file"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("'exit 3'", "failed with exit status 3"),
        ("'true'", "printed nothing"),
        ("['/no/such']", "No such"),
    ],
)
def test_says_why_a_command_gave_no_key(user, command, reason):
    user.write("~/config.toml", f"[server]\napi_key_cmd = {command}")
    with pytest.raises(ConfigError, match=rf"api_key_cmd .*{reason}.*config.toml:2"):
        connect(user)


def test_runs_no_command_in_a_dry_run(user):
    marker = user.home / "ran"
    user.write("~/config.toml", f"[server]\napi_key_cmd = 'touch {marker}; echo k'")
    key = connect(user, dry_run=True).api_key
    assert key.value is None
    assert key.masked == "(a command prints it)"
    assert not marker.exists()


def test_refuses_a_key_that_would_break_the_header(user):
    user.write("~/config.toml", "[server]\napi_key_cmd = 'printf \"a\\tb\"'")
    with pytest.raises(ConfigError, match="characters that no header can carry"):
        connect(user)


def test_falls_back_to_the_variable_of_the_server_itself(user):
    user.variables["VLLM_API_KEY"] = "changeme"
    key = connect(user).api_key
    assert (key.value, str(key.origin), key.is_placeholder) == ("changeme", "VLLM_API_KEY", True)


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("EMPTY", True),
        ("xxx", True),
        ("<your-key>", True),
        ("sk-xxxx", True),
        (SECRET, False),
        ("k1", False),
    ],
)
def test_knows_a_placeholder(user, text, placeholder):
    user.variables["VLLMCTL_API_KEY"] = text
    assert connect(user).api_key.is_placeholder is placeholder


def test_never_shows_the_key_by_accident(user):
    user.variables["VLLMCTL_API_KEY"] = SECRET
    found = connect(user)
    assert SECRET not in repr(found)
    assert found.api_key.masked == "…"


def test_warns_of_a_key_in_plain_text_and_of_others_who_may_read_it(user):
    path = user.write("~/config.toml", f"[server]\napi_key = '{SECRET}'")
    path.chmod(0o644)
    plain, mode = resolve([], CHAT, user.env).notices
    assert "config.toml:2: a key in plain text" in plain
    assert f"chmod 600 {path}" in mode
    assert SECRET not in plain + mode
    path.chmod(0o600)
    assert len(resolve([], CHAT, user.env).notices) == 1


def test_warns_of_a_key_that_goes_over_the_network_in_plain_text(user):
    user.variables |= {"VLLMCTL_API_KEY": SECRET, "VLLMCTL_BASE_URL": "http://u:pw@gpu:8000"}
    [notice] = connect(user).notices
    assert "in plain text" in notice
    assert "pw" not in notice
    for safe in ("https://gpu", "http://localhost:1", "unix:///x"):
        user.variables["VLLMCTL_BASE_URL"] = safe
        assert connect(user).notices == []


NEED_TRUST = [
    "api_key_cmd = 'echo k'",
    "api_key_env = 'HOME'",
    "api_key_keyring = 'a/b'",
    "insecure = true",
    "proxy = 'http://evil:1'",
    "ca_file = 'evil.pem'",
    "cert_file = 'x'",
    "key_file = 'x'",
]


@pytest.mark.parametrize("line", NEED_TRUST)
def test_takes_nothing_dangerous_from_an_untrusted_project(user, line):
    user.write("vllmctl.toml", f"[server]\n{line}")
    with pytest.raises(ConfigError, match=r"not trusted: project config \(.*vllmctl.toml:2\)") as e:
        connect(user)
    assert "vllmctl profiles trust" in e.value.hint
    [notice] = connect(user, dry_run=True).notices
    assert "not trusted" in notice


@pytest.mark.parametrize("line", NEED_TRUST)
def test_takes_nothing_dangerous_from_a_path_either(user, line):
    user.write("deep/x.toml", f"[server]\n{line}")
    with pytest.raises(ConfigError, match=r"not trusted: profile x.toml"):
        connect(user, ["./x.toml"])


def test_a_flag_makes_the_projects_setting_harmless(user):
    user.write("vllmctl.toml", "[server]\napi_key_cmd = 'echo k'")
    flags = {"api_key": Setting("mine", Origin("flag", "--api-key"))}
    assert connect(user, flags=flags).api_key.value == "mine"


SERVERS = ["https://evil.example", "http://127.0.0.1:9", "http://localhost:8000", "unix:///tmp/x"]


@pytest.mark.parametrize("url", SERVERS)
@pytest.mark.parametrize("source", ["variable", "config", "fallback"])
def test_sends_no_key_of_the_user_to_a_server_of_an_untrusted_project(user, source, url):
    if source == "config":
        user.write("~/config.toml", "[server]\napi_key_env = 'TEAM_KEY'")
    user.variables[
        {"variable": "VLLMCTL_API_KEY", "config": "TEAM_KEY"}.get(source, "VLLM_API_KEY")
    ] = SECRET
    user.write("vllmctl.toml", f"[server]\nbase_url = '{url}'")
    found = connect(user)
    assert found.base_url == url
    assert found.api_key is None
    assert "the key (" in found.notices[0]
    assert "is not sent: project config" in found.notices[0]


def test_sends_no_secret_header_of_the_user_there_either(user):
    user.write("~/config.toml", "[server.headers]\nAuthorization = 'Basic x'\nX-Team = 'ml'")
    user.write("vllmctl.toml", "[server]\nbase_url = 'https://evil.example'")
    found = connect(user)
    assert found.headers == {"X-Team": "ml"}
    assert any("the header Authorization" in notice for notice in found.notices)


def test_sends_the_key_to_a_server_that_the_users_own_config_names_too(user):
    user.write("~/config.toml", "[server]\nbase_url = 'http://localhost:8000/v1/'")
    user.variables["VLLMCTL_API_KEY"] = SECRET
    for url, key in (("http://localhost:8000", SECRET), ("http://localhost:8001", None)):
        user.write("vllmctl.toml", f"[server]\nbase_url = '{url}'")
        found = connect(user)
        assert (found.api_key and found.api_key.value) == key


def test_sends_the_key_where_the_user_says_so_or_to_a_mock(user):
    user.write("vllmctl.toml", "[server]\nbase_url = 'mock:'")
    user.variables["VLLMCTL_API_KEY"] = SECRET
    assert connect(user).api_key.value == SECRET
    user.write("vllmctl.toml", "[server]\nbase_url = 'https://gpu.example'")
    flags = {"api_key": Setting("mine", Origin("flag", "--api-key"))}
    assert connect(user, flags=flags).api_key.value == "mine"
    user.variables["VLLMCTL_BASE_URL"] = "https://mine.example"
    assert connect(user).api_key.value == SECRET


def test_trusts_a_project_until_it_changes(user):
    path = user.write("vllmctl.toml", "[server]\napi_key_cmd = 'echo k'")
    trust(path, user.env)
    assert connect(user).api_key.value == "k"
    path.write_text("[server]\napi_key_cmd = 'echo evil'")
    with pytest.raises(ConfigError, match="not trusted"):
        connect(user)
    path.write_text("[server]\napi_key_cmd = 'echo k'")
    assert connect(user).api_key.value == "k"
    assert distrust(path, user.env)
    assert not distrust(path, user.env)
    assert not is_trusted(path, path.read_bytes(), user.env)


def test_trusts_what_the_environment_names(user):
    path = user.write("vllmctl.toml", "[server]\napi_key_cmd = 'echo k'")
    for named in (str(path), str(user.project), f"/nowhere{os.pathsep}..{os.pathsep}"):
        user.variables["VLLMCTL_TRUST"] = named
        assert connect(user).api_key.value == "k"
    user.variables["VLLMCTL_TRUST"] = "/nowhere:"
    with pytest.raises(ConfigError, match="not trusted"):
        connect(user)


def test_trust_without_a_home_names_the_variable(user):
    path = user.write("vllmctl.toml", "")
    user.variables.clear()
    with pytest.raises(ConfigError) as caught:
        trust(path, user.env)
    assert "VLLMCTL_TRUST" in caught.value.hint


def test_trusts_nothing_when_the_list_is_broken(user):
    path = user.write("vllmctl.toml", "")
    user.write("~/trusted.toml", "files = 3")
    assert not is_trusted(path, b"", user.env)
    user.write("~/trusted.toml", "= broken")
    trust(path, user.env)
    assert is_trusted(path, b"", user.env)


def test_uses_the_python_that_runs_it_as_a_command(user):
    code = "import sys; print('k'); print('noise', file=sys.stderr)"
    user.write("~/config.toml", f'[server]\napi_key_cmd = ["{sys.executable}", "-c", "{code}"]')
    assert connect(user).api_key.value == "k"
