import pytest

from vllmctl.catalog.target import parse_target
from vllmctl.errors import ConfigError
from vllmctl.exitcodes import ExitCode
from vllmctl.request.profiles.check import check, check_config
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, COMPLETE, body_of


def problems_of(user, text, **kwargs):
    """What ``check`` finds in a profile: path, line, message and hint of each problem."""
    user.write("~/profiles/a.toml", text)
    found = check("a", user.env, **kwargs)
    assert all(problem.file == "~/.config/vllmctl/profiles/a.toml" for problem in found)
    return [(p.line, p.path, p.message, p.hint) for p in found]


UNKNOWN = [
    ("base_url = 'http://x'", "base_url", "outside its section", "base_url belongs in [server]"),
    ("temperature = 1", "temperature", "outside its section", "temperature belongs in [request]"),
    ("top_logprobs = 1", "top_logprobs", "outside its section", "belongs in [chat]"),
    ("suffix = 'x'", "suffix", "outside its section", "belongs in [complete]"),
    ("[stream_options]\ninclude_usage = true", "stream_options", "outside", "belongs in [request]"),
    ("mdoel = 'm'", "mdoel", "no such key", "did you mean model in [server]?"),
    ("temprature = 1", "temprature", "no such key", "did you mean temperature in [request]?"),
    ("endpoint = 'x'", "endpoint", "no such key", "did you mean base_url in [server]?"),
    ("extend = ['b']", "extend", "no such key", "did you mean extends?"),
    ("whatsoever = 1", "whatsoever", "no such key", "there are description, extends"),
    ("[requests]\nn = 1", "requests", "no such section", "did you mean [request]?"),
    ("[params]\nn = 1", "params", "no such section", "did you mean [request]?"),
    ("[completion]", "completion", "no such section", "did you mean [complete]?"),
    ("[zzz]", "zzz", "no such section", "sections are [request], [chat], [complete], [server]"),
    (
        "[request]\ntemprature = 1",
        "request.temprature",
        "no such field",
        "did you mean temperature",
    ),
    ("[request]\nzzz = 1", "request.zzz", "no such field", "fields --search zzz"),
    ("[request]\nbase_url = 'x'", "request.base_url", "no such field", "in [server]"),
    ("[complete]\ntop_logprobs = 1", "complete.top_logprobs", "/v1/completions has", "in [chat]"),
    ("[chat]\nsuffix = 'x'", "chat.suffix", "/v1/chat/completions has", "in [complete]"),
    (
        "[chat]\nguided_json = {}",
        "chat.guided_json",
        "no longer has it: 0.11.2",
        "structured_outputs.json",
    ),
    (
        "[request]\nbest_of = 2",
        "request.best_of",
        "no longer has it: 0.11.2",
        "nothing replaced it",
    ),
    (
        "[request]\n'repetition_detection.min_count' = 2",
        'request["repetition_detection.min_count"]',
        "no such field",
        "without quotes",
    ),
    (
        "[request.repetition_detection]\nmin_cuont = 2",
        "request.repetition_detection.min_cuont",
        "no such part",
        "did you mean min_count?",
    ),
    ("[server]\nbase_ulr = 'x'", "server.base_ulr", "no such setting", "did you mean base_url?"),
    ("[server]\nverify = false", "server.verify", "no such setting", "did you mean insecure?"),
    ("[server]\ntemperature = 1", "server.temperature", "no such setting", "in [request]"),
    ("[server]\nzzz = 1", "server.zzz", "no such setting", "there are base_url, model"),
]


@pytest.mark.parametrize(("text", "path", "message", "hint"), UNKNOWN)
def test_refuses_what_it_does_not_know_and_says_where_it_belongs(user, text, path, message, hint):
    [(line, where, said, mend)] = problems_of(user, "\n" + text)
    assert line == (3 if text.startswith("[") and path != text[1:].partition("]")[0] else 2)
    assert where == path
    assert message in said
    assert hint in mend


WRONG_TYPES = [
    ("[request]\ntemperature = '0.7'", 'expected a number, got the string "0.7"', "without quotes"),
    ("[request]\nmax_tokens = 64.0", "expected a whole number, got 64.0", "write 64"),
    ("[request]\nmax_tokens = true", "expected a whole number, got true", ""),
    ("[request]\nstream = 1", "expected true or false, got 1", ""),
    (
        "[request]\nstream = 'true'",
        'expected true or false, got the string "true"',
        "without quotes",
    ),
    ("[request]\nstop = 1", "expected a string or a list of strings, got 1", ""),
    ("[request]\nstop = ['a', 1]", "expected a string, got 1", ""),
    ("[request]\nuser = 7", "expected a string, got 7", ""),
    ("[request]\nlogit_bias = [1]", "expected a table, got a list", ""),
    ("[request]\nlogit_bias = {5 = 'x'}", 'expected a number, got the string "x"', ""),
    ("[request]\nrepetition_detection = 3", "expected a table, got 3", ""),
    ("[request]\nrepetition_detection.min_count = 2.5", "expected a whole number, got 2.5", ""),
    ("[request]\ntemperature = nan", "nan is no number that JSON knows", ""),
    ("[request]\nlogit_bias = {1 = -inf}", "-inf is no number that JSON knows", ""),
    ("[request]\nuser = 1979-05-27", "put 1979-05-27 in quotes", ""),
    ("[request]\nlogprobs = 5", "expected true or false, got 5", "in [chat] and in [complete]"),
    ("[chat]\nlogprobs = 5", "expected true or false, got 5", ""),
    ("request = 5", "expected a table, got 5", ""),
    ("server = 'x'", 'expected a table, got the string "x"', ""),
    ("description = 5", "expected a string, got 5", ""),
    ("extends = 5", "expected names of profiles", ""),
    ("extends = [5]", "expected names of profiles", ""),
    ("[server]\nbase_url = 8000", "expected a string, got 8000", ""),
    ("[server]\nbase_url = ['a']", "expected a string, got a list", ""),
    ("[server]\nbase_url = ''", "not empty", ""),
    ("[server]\nbase_url = 'ftp://x'", "expected http://, https://, unix://", ""),
    ("[server]\nbase_url = 'http://a b'", "no spaces", ""),
    ("[server]\ntimeout = 'banana'", "expected seconds, or a text such as 90s, 2m or 500ms", ""),
    ("[server]\ntimeout = -1", "expected seconds", ""),
    ("[server]\ntimeout = inf", "expected seconds", ""),
    ("[server]\ntimeout = true", "expected seconds", ""),
    ("[server]\nretries = 1.5", "expected a whole number", ""),
    ("[server]\nretries = true", "expected a whole number", ""),
    ("[server]\ninsecure = 'no'", "expected true or false", ""),
    ("[server]\nheaders = ['a']", "expected a table such as", ""),
    ("[server]\nheaders.X = 1", "header X: expected a string", ""),
    ('[server]\nheaders.X = "a\\r\\nb"', "line ends cannot be sent", ""),
    ("[server]\nheaders.'X Y' = 'a'", "no name of a header", ""),
    ("[server]\napi_key_env = 7", "expected the name of an environment variable, got 7", ""),
    ("[server]\napi_key_cmd = []", "expected a command", ""),
    ("[server]\nproxy = 'ftp://x'", "expected http://", ""),
    ("[server]\ntarget = 'vllm==9.x'", "is not a version", ""),
    ("[server]\ntarget = 'vlm'", "did you mean vllm?", ""),
    ("[server]\napi_key = 'k'\napi_key_env = 'K'", "only one of api_key_env, api_key", ""),
]


@pytest.mark.parametrize(("text", "message", "hint"), WRONG_TYPES)
def test_refuses_a_value_of_the_wrong_type(user, text, message, hint):
    [(line, _, said, mend)] = problems_of(user, text)
    assert message in said
    assert hint in mend
    assert line == text.count("\n") + 1 or "only one of" in said


RIGHT = [
    "[request]\ntemperature = 1\nlogit_bias = {5 = 1, 6 = 0.5}\nstop = 'a'\n",
    "[request]\nstop = ['a', 'b']\nn = 2\nstream = true\npriority = -1",
    "[chat]\nmessages = [{ role = 'system', content = 'x' }]\nlogprobs = true",
    "[chat]\ntool_choice = 'auto'\n[[chat.tools]]\ntype = 'function'\nfunction = {name = 'f'}",
    "[complete]\nlogprobs = 5\nprompt = [1, 2, 3]",
    "[request.structured_outputs.json]\ntype = 'object'\nproperties.a.type = 'string'",
    "[request]\nvllm_xargs = { a = 1, b = 'x', c = [1, 'y'] }",
    "[server]\nbase_url = 'localhost:8000'\ntimeout = 0\nconnect_timeout = '1.5s'",
    "[server]\nbase_url = 'unix:///run/vllm.sock'\nidle_timeout = '1h'\nproxy = ''",
    "[server]\ntarget = 'server'\nmodel = 'm'\napi_key_cmd = ['pass', 'show', 'k']",
]


@pytest.mark.parametrize("text", RIGHT)
def test_takes_what_is_right(user, text):
    assert problems_of(user, text) == []


def test_collects_all_problems_in_the_order_of_lines(user):
    found = problems_of(
        user,
        """\
        extends = ["nowhere"]
        tmperature = 1
        [request]
        temperature = "hot"
        top_p = 2.5
        n = 1
        n2 = 1
        [server]
        timeout = "soon"
        """,
    )
    assert [line for line, *_ in found] == [1, 2, 4, 7, 9]


def test_checks_limits_as_the_server_does(user):
    found = problems_of(
        user, "[request]\npriority = 9223372036854775808\ntruncate_prompt_tokens = -5"
    )
    assert [path for _, path, _, _ in found] == [
        "request.priority",
        "request.truncate_prompt_tokens",
    ]


def test_tells_all_problems_when_the_profile_is_used(user):
    user.write("~/profiles/a.toml", "[request]\ntemperature = 'a'\nzzz = 1")
    with pytest.raises(ConfigError) as caught:
        resolve(["a"], CHAT, user.env)
    first, second = caught.value.message.split("\n")
    assert first.startswith("~/.config/vllmctl/profiles/a.toml:2: request.temperature: expected")
    assert second.startswith("~/.config/vllmctl/profiles/a.toml:3: request.zzz: no such field")
    assert caught.value.exit_code is ExitCode.USAGE


def test_keeps_unknown_fields_when_they_are_allowed(user):
    user.write("~/profiles/a.toml", "[request]\nzzz = 1")
    assert body_of(resolve(["a"], CHAT, user.env, unknown="kept"))[0] == {"zzz": 1}


def test_allows_unknown_fields_but_no_wrong_types(user):
    user.write("~/profiles/a.toml", "[request]\nzzz = 1\nn = 'x'")
    with pytest.raises(ConfigError, match=r"a.toml:3: request.n: expected a whole number"):
        resolve(["a"], CHAT, user.env, unknown="kept")


def test_judges_names_for_the_target_of_the_profile(user):
    user.write("~/profiles/a.toml", "[server]\ntarget = '0.10.2'\n[request]\nguided_regex = 'a'")
    assert check("a", user.env) == []
    assert body_of(resolve(["a"], COMPLETE, user.env))[0] == {"guided_regex": "a"}


def test_judges_names_for_the_target_that_was_asked_for(user):
    found = problems_of(
        user, "[request]\nrepetition_detection.min_count = 2", target=parse_target("0.10.2")
    )
    [(_, path, message, _)] = found
    assert path == "request.repetition_detection"
    assert "vllm==0.10.2 does not have it yet: it came with 0.17.0" in message


def test_judges_names_for_the_target_of_the_environment(user):
    user.write("~/profiles/a.toml", "[server]\ntarget = '0.33.0'\n[request]\nguided_regex = 'a'")
    user.variables["VLLMCTL_TARGET"] = "0.10.2"
    assert body_of(resolve(["a"], COMPLETE, user.env))[0] == {"guided_regex": "a"}
    user.variables["VLLMCTL_TARGET"] = "server"
    with pytest.raises(ConfigError, match="guided_regex"):
        resolve(["a"], COMPLETE, user.env)


def test_names_the_old_form_for_an_old_target(user):
    [(_, _, _, hint)] = problems_of(
        user, "[request]\nstructured_outputs.regex = 'a'", target=parse_target("0.10.2")
    )
    assert hint == "use guided_regex instead of structured_outputs.regex"


def test_looks_at_no_section_whose_command_the_release_does_not_have(user):
    user.write("~/profiles/a.toml", "[chat]\ntop_logprobs = 1\n[request]\nn = 2")
    assert check("a", user.env, target=parse_target("0.1.0")) == []


def test_checks_a_config_file_with_its_named_profiles(user):
    user.write(
        "vllmctl.toml",
        """\
        tmperature = 1
        [precise.request]
        n = 1
        [profile.x]
        [profiles.a.request]
        n = "x"
        [profiles.b.server]
        retries = -1
        """,
    )
    found = check_config(Place.PROJECT, user.env)
    assert [(p.line, p.path) for p in found] == [
        (1, "tmperature"),
        (2, "precise"),
        (4, "profile"),
        (6, "request.n"),
        (8, "server.retries"),
    ]
    assert found[1].hint == "did you mean [profiles.precise]?"
    assert found[2].hint == "did you mean [profiles.NAME]?"
    assert check_config(Place.USER, user.env) == []


def test_a_broken_named_profile_does_not_stop_another(user):
    user.write("vllmctl.toml", "[profiles.a.request]\nn = 'x'\n[profiles.b.request]\nn = 2")
    assert body_of(resolve(["b"], CHAT, user.env))[0] == {"n": 2}


def test_never_shows_a_key_that_stands_in_the_wrong_place(user):
    secret = "sk-test-1234567890"
    texts = [
        f"[server]\napi_key_env = '{secret}'",
        f"[server]\napi_key = ['{secret}']",
        f'[server]\napi_key = "{secret}\\u007f"',
        f"[server]\nheaders.Authorization = ['{secret}']",
    ]
    for text in texts:
        [(_, _, message, hint)] = problems_of(user, text)
        assert secret not in message + hint


SYNTAX = [
    ("[a]\nb = 1\n[a]\n", "3:3: table [a] is defined twice, first on line 1"),
    ("[a]\nb = 1\nb = 2\n", "3:6: b is set twice, first on line 2"),
    ("a = 1\n[x]\na.b = 1\na = 2", "4: a is set twice, first on line 3"),
    ("x = tru\n", "1:5: this is no TOML: there is no value that TOML knows\n  x = tru"),
    ("y = 1\nx = 'a\nz = 2\n", "2: this is no TOML: a text that begins with ' is not closed"),
    ("x: 1\n", "1:2: this is no TOML: a key needs an = behind it"),
    ("y = 1\n\n# list\nx = [1,\n2\n", "4: this is no TOML: a list is not closed\n  x = [1,"),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX)
def test_says_where_a_file_is_no_toml(user, text, message):
    user.write("~/profiles/a.toml", text)
    with pytest.raises(ConfigError) as caught:
        resolve(["a"], CHAT, user.env)
    assert f"~/.config/vllmctl/profiles/a.toml:{message}" in caught.value.message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x = True", "true and false"),
        ("x = null", "no null"),
        ("x = .5", "digits on both sides"),
        ("x = 007", "no leading zero"),
        ("x = hello", "in quotes"),
        ('x = "C:\\certs"', "single quotes"),
    ],
)
def test_knows_what_people_write_who_think_of_another_language(user, text, hint):
    user.write("~/profiles/a.toml", text)
    with pytest.raises(ConfigError) as caught:
        resolve(["a"], CHAT, user.env)
    assert hint in caught.value.hint


def test_does_not_quote_a_broken_line_that_holds_a_key(user):
    user.write("~/profiles/a.toml", '[server]\napi_key = "sk-test-123" oops')
    with pytest.raises(ConfigError) as caught:
        resolve(["a"], CHAT, user.env)
    assert "sk-test" not in caught.value.message
