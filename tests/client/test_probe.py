"""What a server is can be asked, and a server that will not tell is no fault."""

import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tests.client.servers import response, serving, until_hung_up
from vllmctl.cli.serving import served_endpoint
from vllmctl.client import probe
from vllmctl.client.probe import Model, names_of, only_model, served_models, server_target
from vllmctl.client.server import Server
from vllmctl.client.url import parse_server_url
from vllmctl.env import Environment
from vllmctl.errors import CannotConnectError, HttpStatusError, IncompleteAnswerError, UsageError
from vllmctl.record import replace


def model(name: str, root: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "object": "model", "root": root, "max_model_len": 2048, **more}


def listed(*models: Any) -> bytes:
    return response(json.dumps({"object": "list", "data": models}).encode())


def version(text: Any) -> bytes:
    return response(json.dumps({"version": text}).encode())


def at(url: str) -> Server:
    return Server(parse_server_url(url))


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    """An environment with a cache folder of its own."""
    return Environment(variables={"HOME": str(tmp_path)})


def test_lists_the_models_in_the_servers_order() -> None:
    with serving(
        [listed(model("b", "/m"), model("a", "/m"), {"id": "c", "parent": "b"}, {}, 5)]
    ) as it:
        models = served_models(at(it.url))
    assert models == [Model("b", 2048, "/m"), Model("a", 2048, "/m"), Model("c", parent="b")]
    assert names_of(models) == ["b", "a", "c"]
    assert it.got[0].line == "GET /v1/models HTTP/1.1"


def test_names_of_one_model_are_one_model() -> None:
    with serving([listed(model("tiny", "/m"), model("alias", "/m"))]) as it:
        assert only_model(at(it.url)).id == "tiny"


def test_several_models_are_a_usage_error_with_the_list() -> None:
    with (
        serving([listed(model("one", "/1"), model("two", "/2"))]) as it,
        pytest.raises(UsageError) as caught,
    ):
        only_model(at(it.url))
    assert "2 models" in caught.value.message
    assert "one, two" in caught.value.message
    assert "-m one" in caught.value.hint


def test_no_model_is_a_usage_error() -> None:
    with serving([listed()]) as it, pytest.raises(UsageError, match="serves no model"):
        only_model(at(it.url))


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"data": 5}', b"<html>hello</html>", b""])
def test_an_answer_that_is_no_list_is_told(body: bytes) -> None:
    with serving([response(body)]) as it, pytest.raises(IncompleteAnswerError):
        served_models(at(it.url))


def test_a_refusal_and_a_missing_server_are_what_they_are() -> None:
    refused = response(b'{"error": "Unauthorized"}', "401 Unauthorized")
    with serving([refused]) as it, pytest.raises(HttpStatusError) as caught:
        served_models(replace(at(it.url), key_source="VLLMCTL_API_KEY"))
    assert "VLLMCTL_API_KEY" in caught.value.hint
    with pytest.raises(CannotConnectError):
        served_models(at(it.url))


@pytest.mark.parametrize(
    ("told", "target", "asked"),
    [
        ("0.32.0", "vllm==0.32.0", None),
        ("0.32.0+cpu", "vllm==0.32.0", "0.32.0+cpu"),
        ("0.32.1.dev7+g1234567", "vllm==0.32.0", "0.32.1.dev7+g1234567"),
        ("99.1.0", "vllm==0.33.0", "99.1.0"),
        ("2026.4.0", "furiosa==2026.4.0", None),
    ],
)
def test_the_release_is_known_from_version(
    env: Environment, told: str, target: str, asked: str | None
) -> None:
    with serving([version(told)]) as it:
        found = server_target(at(it.url), env)
    assert str(found) == target
    assert found
    assert found.asked == asked


@pytest.mark.parametrize(
    "answer", [version(5), version("x"), response(b"[]"), response(b"", "404 Not Found"), b"", b"x"]
)
def test_a_server_that_will_not_tell_has_no_release(env: Environment, answer: bytes) -> None:
    with serving([answer]) as it:
        assert server_target(at(it.url), env) is None


def test_a_server_that_hangs_is_not_waited_for(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_PATIENCE", 0.2)
    with serving([until_hung_up]) as it:
        start = time.monotonic()
        assert server_target(at(it.url), env) is None
    assert time.monotonic() - start < 4


def test_a_release_is_kept_for_a_while(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([version("0.31.0")], [version("0.32.0")]) as it:
        first = [str(server_target(at(it.url), env)) for _ in range(3)]
        assert len(it.got) == 1
        monkeypatch.setattr(probe, "time", lambda: time.time() + 601)
        assert str(server_target(at(it.url), env)) == "vllm==0.32.0"
    assert first == ["vllm==0.31.0"] * 3
    assert env.cache_dir
    assert str(json.loads((env.cache_dir / "servers.json").read_text())[it.url][0]) == "0.32.0"


def test_servers_are_kept_apart(env: Environment) -> None:
    with serving([version("0.31.0")]) as one, serving([version("0.32.0")]) as two:
        assert str(server_target(at(one.url), env)) == "vllm==0.31.0"
        assert str(server_target(at(two.url), env)) == "vllm==0.32.0"
        assert str(server_target(at(one.url), env)) == "vllm==0.31.0"
    assert (len(one.got), len(two.got)) == (1, 1)


@pytest.mark.parametrize(
    "kept", ["", "{", "[]", '{"URL": 5}', '{"URL": ["x"]}', '{"URL": [5, "x"]}']
)
def test_a_broken_cache_is_no_fault(env: Environment, kept: str) -> None:
    assert env.cache_dir
    env.cache_dir.mkdir(parents=True)
    with serving([version("0.32.0")]) as it:
        (env.cache_dir / "servers.json").write_text(kept.replace("URL", it.url))
        assert str(server_target(at(it.url), env)) == "vllm==0.32.0"


def test_without_a_home_nothing_is_kept() -> None:
    with serving([version("0.32.0")]) as it:
        for _ in range(2):
            assert str(server_target(at(it.url), Environment(variables={}))) == "vllm==0.32.0"
        assert len(it.got) == 2


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = Environment(variables={"XDG_CACHE_HOME": str(tmp_path / "file")})
    with serving([version("0.32.0")]) as it:
        assert str(server_target(at(it.url), env)) == "vllm==0.32.0"


def test_no_word_of_a_server_about_itself_is_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch, env: Environment
) -> None:
    monkeypatch.setattr(probe, "_PATIENCE", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = at(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert served_endpoint("completions", server, env) is None
