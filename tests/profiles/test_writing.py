import os
import stat
import tomllib

import pytest

from vllmctl.errors import ConfigError
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.check import check
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.profiles.write import remove, save
from vllmctl.request.server.connection import connection
from vllmctl.request.server.settings import Setting

from .helpers import CHAT, COMPLETE, body_of


def flag(value, name="--x"):
    return Setting(value, Origin("flag", name))


def test_saves_what_it_reads_again(user):
    values = {
        "temperature": 0.2,
        "stop": ["\n", "@all", "\\@x"],
        "bad_words": ["C:\\new", 'say "hi"', "é"],
        "logprobs": True,
        "top_logprobs": 3,
        "chat_template_kwargs": {"enable_thinking": False},
        "repetition_detection": {"max_pattern_size": 8, "min_count": 4},
        "messages": [{"role": "system", "content": "a\r\nb\n"}],
        "logit_bias": {"5": -1},
    }
    saved = save("mine", values, CHAT, user.env, description="What it is", extends=["greedy"])
    assert saved.path == user.config / "profiles" / "mine.toml"
    assert saved.notices == []
    assert body_of(resolve(["mine"], CHAT, user.env))[0] == values
    assert check("mine", user.env) == []
    assert tomllib.loads(saved.path.read_text())["description"] == "What it is"


def test_puts_a_field_where_it_holds(user):
    values = {"n": 1, "logprobs": 3, "suffix": "x", "bad_words": ["a"]}
    table = tomllib.loads(save("mine", values, COMPLETE, user.env).path.read_text())
    assert table == {
        "request": {"n": 1, "bad_words": ["a"]},
        "complete": {"logprobs": 3, "suffix": "x"},
    }


def test_writes_no_secret_and_says_so(user):
    server = {
        "base_url": flag("http://me:pw@gpu:8000/v1"),
        "api_key": flag("sk-test"),
        "headers.Authorization": flag("Bearer abc"),
        "headers.X-Team": flag("ml"),
        "timeout": flag(90.0),
        "idle_timeout": flag(0.5),
        "insecure": flag(True),
    }
    saved = save("mine", {}, CHAT, user.env, server=server)
    text = saved.path.read_text()
    assert not any(secret in text for secret in ("sk-test", "abc", "pw", "me:"))
    assert tomllib.loads(text) == {
        "server": {
            "base_url": "http://gpu:8000/v1",
            "timeout": 90,
            "idle_timeout": 0.5,
            "insecure": True,
            "headers": {"X-Team": "ml"},
        }
    }
    assert [notice.split(" not saved")[0] for notice in saved.notices] == [
        "user and password of base_url are",
        "the key is",
        "the header Authorization is",
    ]


def test_leaves_null_out_and_says_so(user):
    saved = save("mine", {"n": None, "stream_options": {"include_usage": None}}, CHAT, user.env)
    assert [notice.split(" ")[0] for notice in saved.notices] == [
        "n",
        "stream_options.include_usage",
    ]
    with pytest.raises(ConfigError, match="stop cannot be saved: TOML has no null"):
        save("other", {"stop": [None]}, CHAT, user.env)


def test_replaces_only_when_told_to(user):
    first = save("mine", {"n": 1}, CHAT, user.env)
    with pytest.raises(ConfigError, match="mine.toml is there already") as caught:
        save("mine", {"n": 2}, CHAT, user.env)
    assert "--force" in caught.value.hint
    save("mine", {"n": 2}, CHAT, user.env, force=True)
    assert tomllib.loads(first.path.read_text()) == {"request": {"n": 2}}


def test_replaces_a_named_table_of_the_users_config_in_place(user):
    path = user.write("~/config.toml", "# keep\n[profiles.mine.request]\nn = 1\n# end\n")
    with pytest.raises(ConfigError, match=r"profiles.mine of .*config.toml is there already"):
        save("mine", {"n": 2}, CHAT, user.env)
    save("mine", {"n": 2}, CHAT, user.env, force=True)
    assert path.read_text() == "# keep\n[profiles.mine.request]\nn = 2\n# end\n"
    assert not (user.config / "profiles").exists()


def test_saves_into_the_nearest_project_file_and_keeps_the_rest(user):
    path = user.write("vllmctl.toml", "# ours\n[request]\nn = 1 # one\n")
    save("mine", {"n": 2}, CHAT, user.env, where=Place.PROJECT)
    assert path.read_text() == (
        "# ours\n[request]\nn = 1 # one\n\n[profiles.mine.request]\nn = 2\n"
    )


def test_starts_a_project_file_in_the_current_folder(user):
    saved = save("mine", {"n": 2}, CHAT, user.env, where=Place.PROJECT)
    assert saved.shown == "vllmctl.toml"
    assert body_of(resolve(["mine"], CHAT, user.env))[0] == {"n": 2}


def test_keeps_marks_and_line_ends_of_a_shared_file(user):
    path = user.project / "vllmctl.toml"
    path.write_bytes(b"\xef\xbb\xbf# ours\r\n[request]\r\nn = 1\r\n")
    save("mine", {"n": 2}, CHAT, user.env, where=Place.PROJECT)
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf# ours\r\n[request]\r\nn = 1\r\n\r\n[profiles.mine")
    assert content.count(b"\n") == content.count(b"\r\n")


def test_saves_to_a_path(user):
    saved = save("sub/x.toml", {"n": 2}, CHAT, user.env)
    assert saved.path == user.cwd / "sub" / "x.toml"
    assert body_of(resolve(["sub/x.toml"], CHAT, user.env))[0] == {"n": 2}


def test_writes_the_paths_of_what_it_extends_from_its_own_folder(user):
    user.write("deep/base.toml", "[request]\nn = 3")
    save("mine", {}, CHAT, user.env, extends=["./base.toml"])
    save("./top.toml", {}, CHAT, user.env, extends=["./base.toml"])
    assert body_of(resolve(["mine"], CHAT, user.env))[0] == {"n": 3}
    assert tomllib.loads((user.cwd / "top.toml").read_text()) == {"extends": ["./base.toml"]}


def test_trusts_what_it_wrote_itself_and_nothing_else(user):
    server = {"base_url": flag("https://gpu.example")}
    user.variables["VLLMCTL_API_KEY"] = "k"

    def key(name):
        settings = {
            **resolve([name], CHAT, user.env).server,
            "api_key": Setting("k", Origin("environment", "K")),
        }
        return connection(settings, user.env).api_key

    save("mine", {}, CHAT, user.env, server=server, where=Place.PROJECT)
    save("./x.toml", {}, CHAT, user.env, server=server)
    assert key("mine")
    assert key("./x.toml")
    path = user.cwd / "vllmctl.toml"
    path.write_text(path.read_text() + "\n# somebody else was here\n")
    save("other", {}, CHAT, user.env, server=server, where=Place.PROJECT)
    assert not key("other")


@pytest.mark.parametrize("name", ["", "a b", ".hidden", "-x", "a\nb", "ä"])
def test_refuses_what_is_no_name(user, name):
    with pytest.raises(ConfigError, match="is no name for a profile"):
        save(name, {}, CHAT, user.env)


def test_refuses_to_save_what_could_not_be_read(user):
    with pytest.raises(ConfigError, match="temperature: expected a number"):
        save("mine", {"temperature": "hot"}, CHAT, user.env)
    assert not (user.config / "profiles").exists()


def test_says_that_there_is_no_place_without_a_home(user):
    user.variables.clear()
    with pytest.raises(ConfigError, match="HOME is not set") as caught:
        save("mine", {}, CHAT, user.env)
    assert "path" in caught.value.hint


def test_removes_a_file_or_a_table_and_keeps_the_rest(user):
    user.write("~/profiles/mine.toml", "")
    path = user.write("~/config.toml", "# keep\n[request]\nn = 1\n\n# mine\n[profiles.mine]\n")
    assert remove("mine", user.env).path.name == "mine.toml"
    assert remove("mine", user.env).path == path
    assert path.read_text() == "# keep\n[request]\nn = 1\n"
    with pytest.raises(ConfigError, match="no profile is called mine"):
        remove("mine", user.env)


def test_removes_from_the_place_that_was_named(user):
    user.write("vllmctl.toml", "[profiles.mine]\n")
    user.write("~/profiles/mine.toml", "")
    assert remove("mine", user.env, where=Place.USER).path == user.config / "profiles" / "mine.toml"


def test_removes_nothing_that_ships_with_the_tool(user):
    with pytest.raises(ConfigError, match="ships with vllmctl"):
        remove("precise", user.env)


def test_asks_for_a_hand_where_text_cannot_be_changed(user):
    text = "[profiles]\nmine = { request = { n = 1 } }\n"
    path = user.write("~/config.toml", text)
    for change in (
        lambda: remove("mine", user.env),
        lambda: save("mine", {}, CHAT, user.env, force=True),
    ):
        with pytest.raises(ConfigError, match="not a table of its own") as caught:
            change()
        assert caught.value.hint == "change it by hand"
    assert path.read_text() == text


def test_keeps_the_mode_of_a_file_and_follows_links(user):
    real = user.write("~/real.toml", "[request]\nn = 1\n")
    real.chmod(0o640)
    link = user.config / "profiles" / "mine.toml"
    link.parent.mkdir()
    link.symlink_to(real)
    save("mine", {"n": 2}, CHAT, user.env, force=True)
    assert link.is_symlink()
    assert tomllib.loads(real.read_text()) == {"request": {"n": 2}}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_gives_a_new_file_the_usual_mode(user, monkeypatch):
    mask = os.umask(0o027)
    try:
        path = save("mine", {}, CHAT, user.env).path
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_leaves_the_old_file_when_writing_fails(user, monkeypatch):
    path = user.write("~/profiles/mine.toml", "[request]\nn = 1\n")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match=r"cannot write .*mine.toml: No space left on device"):
        save("mine", {"n": 2}, CHAT, user.env, force=True)
    assert path.read_text() == "[request]\nn = 1\n"
    assert list(path.parent.iterdir()) == [path]


def test_says_why_a_folder_cannot_be_made(user):
    (user.home / ".config").write_text("a file")
    with pytest.raises(ConfigError, match=r"cannot write ~/.config/vllmctl/profiles/mine.toml: "):
        save("mine", {}, CHAT, user.env)


def test_says_that_a_link_leads_nowhere(user):
    loop = user.cwd / "loop.toml"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match="cannot write loop.toml"):
        write_atomically(loop, "", user.env)
