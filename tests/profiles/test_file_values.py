import json

import pytest

from vllmctl.errors import ConfigError
from vllmctl.request.profiles.check import check
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, COMPLETE, body_of

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_reads_a_file_from_the_folder_of_the_profile(user):
    user.write("schemas/x.json", json.dumps(SCHEMA))
    user.write("vllmctl.toml", "[chat]\nstructured_outputs.json = '@schemas/x.json'")
    body, origins = body_of(resolve([], CHAT, user.env))
    assert body == {"structured_outputs": {"json": SCHEMA}}
    assert origins["structured_outputs.json.type"].endswith("vllmctl.toml:2)")


def test_reads_a_file_from_home(user):
    (user.home / "t.jinja").write_text("{{ messages }}")
    user.write("~/profiles/a.toml", "[chat]\nchat_template = '@~/t.jinja'")
    assert body_of(resolve(["a"], CHAT, user.env))[0] == {"chat_template": "{{ messages }}"}


def test_reads_json_only_where_a_text_would_not_do_or_the_name_says_so(user):
    user.write("~/profiles/tools.txt", '[{"type": "function", "function": {"name": "f"}}]')
    user.write("~/profiles/number.json", "5")
    user.write("~/profiles/stops.json", '["x", "y"]')
    user.write("~/profiles/stop.txt", '["x"]')
    user.write(
        "~/profiles/a.toml",
        """
        [request]
        user = "@number.json"
        stop = "@stops.json"
        [chat]
        tools = "@tools.txt"
        [complete]
        suffix = "@stop.txt"
        """,
    )
    assert body_of(resolve(["a"], CHAT, user.env))[0] == {
        "user": "5",
        "stop": ["x", "y"],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    assert body_of(resolve(["a"], COMPLETE, user.env), COMPLETE)[0]["suffix"] == '["x"]'


def test_reads_files_inside_lists_and_tables(user):
    user.write("~/profiles/system.md", "Be kind.")
    user.write(
        "~/profiles/a.toml",
        "[[chat.messages]]\nrole = 'system'\ncontent = '@system.md'\n"
        "[chat.chat_template_kwargs]\nnote = '@system.md'",
    )
    body, _ = body_of(resolve(["a"], CHAT, user.env))
    assert body["messages"] == [{"role": "system", "content": "Be kind."}]
    assert body["chat_template_kwargs"] == {"note": "Be kind."}


@pytest.mark.parametrize(
    ("written", "meant"), [("\\@all", "@all"), ("\\\\@all", "\\@all"), ("a@b", "a@b")]
)
def test_a_backslash_keeps_an_at_sign(user, written, meant):
    user.write("~/profiles/a.toml", f"[request]\nstop = ['{written}']")
    assert body_of(resolve(["a"], CHAT, user.env))[0] == {"stop": [meant]}


BROKEN = [
    ("user = '@no.txt'", "cannot read {folder}/no.txt: No such file", "a text that begins with @"),
    ("user = '@'", "names no file", ""),
    ("user = '@-'", "standard input", ""),
    ("user = '@bytes'", "not UTF-8", ""),
    ("user = '@.'", "Is a directory", ""),
    ("logit_bias = '@text'", "is not JSON", "takes no text"),
    ("n = '@text'", "is not JSON", ""),
    ("stop = '@bad.json'", "is not JSON", ""),
    ("stop = '@deep.json'", "is not JSON", ""),
    ("logit_bias = '@deeper.json'", "is not JSON", ""),
]


@pytest.mark.parametrize(("line", "message", "hint"), BROKEN)
def test_says_what_is_wrong_with_a_file_once_and_where(user, line, message, hint):
    folder = user.config / "profiles"
    user.write("~/profiles/text", "hello")
    user.write("~/profiles/bad.json", "{")
    user.write("~/profiles/deep.json", "[" * 400 + "]" * 400)
    user.write("~/profiles/deeper.json", "[" * 100_000)
    (folder / "bytes").write_bytes(b"\xff\xfa\x00")
    user.write("~/profiles/a.toml", f"[request]\n{line}")
    [problem] = check("a", user.env)
    assert problem.line == 2
    assert message.format(folder=folder) in problem.message
    assert hint in problem.hint


def test_checks_the_content_of_a_file_like_a_value(user):
    user.write("~/profiles/a.json", '{"min_count": "two"}')
    user.write("~/profiles/a.toml", "[request]\nrepetition_detection = '@a.json'")
    with pytest.raises(ConfigError, match=r"a.toml:2: request.repetition_detection.min_count: exp"):
        resolve(["a"], CHAT, user.env)


def test_takes_null_from_a_json_file(user):
    user.write("~/profiles/a.json", '{"include_usage": null}')
    user.write("~/profiles/a.toml", "[request]\nstream_options = '@a.json'")
    assert body_of(resolve(["a"], CHAT, user.env))[0] == {"stream_options": {"include_usage": None}}


def test_reads_nothing_outside_an_untrusted_project(user):
    (user.home / "secret").write_text("password")
    user.write("vllmctl.toml", "[request]\nuser = '@~/secret'\nstop = '@deep/../../home/secret'")
    with pytest.raises(ConfigError) as caught:
        resolve([], CHAT, user.env)
    assert caught.value.message.count("which is not trusted") == 2
    assert "vllmctl profiles trust" in caught.value.message


def test_follows_no_link_out_of_an_untrusted_project(user):
    (user.home / "secret").write_text("password")
    (user.project / "link").symlink_to(user.home / "secret")
    user.write("vllmctl.toml", "[request]\nuser = '@link'")
    with pytest.raises(ConfigError, match="not trusted"):
        resolve([], CHAT, user.env)
