"""Targets: profiles, values, messages; what people write into files and flags."""

from tools.fuzz.place import scratch
from tools.fuzz.target import Target
from tools.fuzz.terminal import on_terminal
from vllmctl.errors import UsageError, VllmctlError
from vllmctl.fields.kinds import Form, Kind
from vllmctl.fields.sugar import CHAT, COMPLETE
from vllmctl.lint.profile import lint_profile
from vllmctl.request.profiles.listing import list_profiles, show
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.server.connection import connection
from vllmctl.request.sources import Sources
from vllmctl.request.values import guess, parse_assignment, parse_flag, parse_json, unescape

_PROFILES = (
    b'description = "d"\nextends = ["greedy"]\n[request]\ntemperature = 0.2\nstop = ["a"]\n'
    b'[chat]\nmessages = [{role = "user", content = "@x"}]\n[server]\nbase_url = "http://h:1"\n'
    b'api_key = "sk-1"\nheaders = {X-Team = "ml"}\ntimeout = "90s"\n',
    b"[request]\nrepetition_detection.min_count = 4\n[request.structured_outputs]\nregex = 'a+'\n",
    b"[[request.tools]]\ntype = 'function'\n[request.tools.function]\nname = 'f'\n",
    b'extends = ["./p.toml"]\n',
    b"request = {temperature = 1e9, seed = 0x10, logit_bias = {1 = 2}}\n",
    b'[server]\nproxy = "http://u:p@h"\ntarget = "vllm==0.11.0"\napi_key_env = "HOME"\n',
    b"[request]\nseed = \"\"\"\n1\n\"\"\"\nmodel = '''m'''\nvllm_xargs = {a = 1979-05-27}\n",
)
_PROFILE_WORDS = (
    b"[request]\n", b"[chat]\n", b"[complete]\n", b"[server]\n", b"[profiles.a]\n", b"[[x]]\n",
    b"extends = ", b"description = ", b"temperature", b"messages", b"= {", b"= [", b"a.b.c = 1\n",
    b'"""', b"'''", b"#", b"\\u001b", b"@", b"\\@", b"@/", b"1979-05-27T07:32:00Z", b"inf", b"nan",
    b"0x", b"1_0", b"base_url = ", b"headers = ", b"[" * 3000, b"a." * 3000,
)  # fmt: skip
_VALUES = (
    b'{"a": [1, 2.5e3, null]}',
    b"1,2,3",
    b"a=b",
    b"a:={}",
    b"1e5",
    b"true",
    b"\\n\\x41\\u00e9",
    b"[[1],[2]]",
    b"@x",
    b"+5",
)


def try_profile(data: bytes) -> None:
    """A profile is read or refused in words, whatever one does with it."""
    path = scratch() / "p.toml"
    path.write_bytes(data)
    env = on_terminal(scratch(), {"HOME": str(scratch())})
    for endpoint in (CHAT, COMPLETE):
        try:
            settings = resolve([str(path)], endpoint, env).server
            connection(settings, env, dry_run=True)
        except VllmctlError as fault:
            assert fault.message
    try:
        show(str(path), env).text.encode("utf-8", "surrogatepass")
        lint_profile(str(path), env, None, None)
    except VllmctlError as fault:
        assert fault.message


def try_config(data: bytes) -> None:
    """A project's file that is broken breaks no list."""
    path = scratch() / "vllmctl.toml"
    path.write_bytes(data)
    env = on_terminal(scratch(), {"HOME": str(scratch())})
    try:
        assert list_profiles(env)
    finally:
        path.unlink()


def try_value(data: bytes) -> None:
    """A text is a value of a form, or no such value in words."""
    text = data.decode("utf-8", "surrogateescape")
    for form in Form:
        kind = Kind(form)
        try:
            parse_flag([text, text], kind, "--x")
        except UsageError as fault:
            assert fault.message
    for read in (parse_json, parse_assignment):
        try:
            read(text, "--x")
        except UsageError as fault:
            assert fault.message
    guess(text)
    unescape(text)
    try:
        Sources(on_terminal(scratch())).resolve(text, "--x")
    except UsageError as fault:
        assert fault.message


TARGETS = {
    "profile": Target(try_profile, _PROFILES, _PROFILE_WORDS, seconds=20),
    "config": Target(try_config, _PROFILES, _PROFILE_WORDS, seconds=20),
    "value": Target(try_value, _VALUES, (b"=", b":=", b",", b"@", b"@-", b"_", b"\\x")),
}
