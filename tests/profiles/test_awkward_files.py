import os
from pathlib import Path

import pytest

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.request.profiles.listing import list_profiles, profile_names
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, body_of


def test_works_without_a_home(user):
    user.write("vllmctl.toml", "[request]\nn = 2")
    user.variables.clear()
    body, origins = body_of(resolve(["precise"], CHAT, user.env))
    assert body == {"temperature": 0.2, "top_p": 0.9, "n": 2}
    assert origins["n"] == f"project config ({user.project}/vllmctl.toml:2)"


def test_works_with_a_home_that_does_not_exist(user):
    user.variables["HOME"] = "/nonexistent"
    user.write("deep/c.toml", "[request]\nn = 2")
    assert body_of(resolve(["./c.toml"], CHAT, user.env))[0] == {"n": 2}
    assert "precise" in profile_names(user.env)


def test_says_that_a_tilde_means_nothing_without_a_home(user):
    user.variables.clear()
    with pytest.raises(Exception, match="HOME is not set"):
        resolve(["~/x.toml"], CHAT, user.env)


def test_never_makes_anything_by_reading(user):
    before = sorted(user.home.parent.rglob("*"))
    resolve(["precise"], CHAT, user.env)
    list_profiles(user.env)
    assert sorted(user.home.parent.rglob("*")) == before


def test_works_in_a_folder_whose_parents_cannot_be_looked_into(user, monkeypatch):
    is_file = Path.is_file

    def guarded(self, **kwargs):
        if self.parent == user.project:
            raise PermissionError(13, "Permission denied")
        return is_file(self, **kwargs)

    monkeypatch.setattr(Path, "is_file", guarded)
    assert resolve([], CHAT, user.env).layers == []


def test_works_when_the_configuration_folder_is_a_file(user):
    (user.home / ".config").write_text("")
    assert resolve([], CHAT, user.env).layers == []
    assert "precise" in profile_names(user.env)


def test_says_that_a_config_cannot_be_read(user, monkeypatch):
    path = user.write("~/config.toml", "")
    read = Path.read_bytes

    def guarded(self):
        if self == path:
            raise PermissionError(13, "Permission denied")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", guarded)
    message = "cannot read ~/.config/vllmctl/config.toml: Permission denied"
    with pytest.raises(ConfigError, match=message):
        resolve([], CHAT, user.env)


def test_reads_a_file_with_a_mark_and_windows_line_ends(user):
    user.write("~/config.toml", "")
    (user.config / "config.toml").write_bytes(
        b"\xef\xbb\xbf# first\r\n[chat]\r\nuser = '''a\r\nb'''\r\nn = 2\r\n"
    )
    body, origins = body_of(resolve([], CHAT, user.env))
    assert body == {"user": "a\nb", "n": 2}
    assert origins["n"].endswith("config.toml:5)")


def test_says_where_a_file_is_not_utf8(user):
    user.write("~/config.toml", "")
    (user.config / "config.toml").write_bytes(b"# one\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"config.toml:2: byte 0xe9 is not UTF-8"):
        resolve([], CHAT, user.env)


def test_refuses_a_file_that_is_too_large_to_be_one(user):
    path = user.write("deep/model.toml", "")
    os.truncate(path, 5_000_000)
    with pytest.raises(ConfigError, match=r"model.toml is too large for a profile: 5000000 bytes"):
        resolve(["./model.toml"], CHAT, user.env)


def test_reads_a_large_file_and_finds_its_lines(user):
    rows = [f"[profiles.p{i}.request]\nn = {i}\nstop = ['{'x' * 100}']" for i in range(2000)]
    user.write("~/config.toml", "\n".join(rows))
    body, origins = body_of(resolve(["p1999"], CHAT, user.env))
    assert body["n"] == 1999
    assert origins["n"].endswith("config.toml:5999)")


DEEP = [
    "[" * 100_000,
    "a = " + "[" * 100_000,
    "chat.chat_template_kwargs" + ".a" * 2000 + " = 1",
    "request.stop = " + "[" * 200 + "]" * 200,
]


@pytest.mark.parametrize("text", DEEP)
def test_survives_deep_nesting(user, text):
    user.write("~/config.toml", text)
    with pytest.raises(ConfigError):
        resolve([], CHAT, user.env)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_passes_over_what_only_has_the_name_of_a_file(user, make):
    make(user.cwd / "vllmctl.toml")
    user.write("~/profiles/x.toml", "").unlink()
    make(user.config / "profiles" / "x.toml")
    assert resolve([], CHAT, user.env).layers == []
    assert "x" not in profile_names(user.env)


def test_takes_a_profile_from_a_pipe(user):
    reader, writer = os.pipe()
    os.write(writer, b"[request]\nn = 2\n")
    os.close(writer)
    body, _ = body_of(resolve([f"/dev/fd/{reader}"], CHAT, user.env))
    os.close(reader)
    assert body == {"n": 2}


def test_says_that_a_folder_is_no_profile(user):
    with pytest.raises(ConfigError, match="deep is not a file"):
        resolve(["../deep"], CHAT, user.env)


def test_refuses_a_device(user):
    with pytest.raises(ConfigError, match="/dev/zero is not a file"):
        resolve(["/dev/zero"], CHAT, user.env)


def test_takes_an_empty_file(user):
    user.write("~/config.toml", "")
    user.write("~/profiles/empty.toml", "# nothing yet\n")
    assert resolve(["empty"], CHAT, user.env).layers == []


def test_reads_no_configuration_of_the_machine_it_is_tested_on(user):
    assert Environment.config_dir.fget(user.env) == user.config


@pytest.mark.parametrize(
    "text",
    [
        'a=""""""\na=""""\n="""\n',
        "a = [1,\na = 2\n",
        '[a]\nb = """\n[a]\n"""\n[a]\n',
        "a.b = 1\na = 2",
    ],
)
def test_tells_what_stands_twice_or_is_no_toml_at_all(user, text):
    user.write("~/config.toml", text)
    with pytest.raises(ConfigError, match="config.toml:"):
        resolve([], CHAT, user.env)


@pytest.mark.parametrize("number", ["9" * 5000, f"0x{'9' * 5000}", f"[{{a = 0b{'1' * 15_000}}}]"])
def test_a_number_that_cannot_be_written_is_refused(user, number):
    user.write("deep/wide.toml", f"[request]\nseed = {number}\n")
    with pytest.raises(ConfigError, match="a number has more than 4300 digits"):
        resolve(["./wide.toml"], CHAT, user.env)
