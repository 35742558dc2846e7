"""The server's address is understood as people write it."""

import pytest

from vllmctl.client.url import parse_server_url
from vllmctl.errors import UsageError

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000//v1//", "http://localhost:8000/v1/chat/completions"),
        ("localhost:8000", "http://localhost:8000/v1/chat/completions"),
        ("localhost", "http://localhost/v1/chat/completions"),
        (" gpu-box:8000/v1 ", "http://gpu-box:8000/v1/chat/completions"),
        ("HTTPS://Host.Example/v1", "https://host.example/v1/chat/completions"),
        ("https://host:443", "https://host/v1/chat/completions"),
        ("http://host:80", "http://host/v1/chat/completions"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
        ("http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/chat/completions/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/completions", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/models", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/embeddings", "http://h:1/v1/chat/completions"),
        ("https://h/team-a", "https://h/team-a/v1/chat/completions"),
        ("https://h/team-a/v1", "https://h/team-a/v1/chat/completions"),
        ("https://h/v1/proxy/a", "https://h/v1/proxy/a/v1/chat/completions"),
        ("https://h/api/v1/v1", "https://h/api/v1/v1/chat/completions"),
        ("https://h/team-a/v1//?x=1", "https://h/team-a/v1/chat/completions?x=1"),
        ("https://h/Über gang/v1", "https://h/%C3%9Cber%20gang/v1/chat/completions"),
        ("https://h/a%20b/v1", "https://h/a%20b/v1/chat/completions"),
        ("https://me:pw@h/v1", "https://h/v1/chat/completions"),
        ("unix:///run/v.sock", "unix:///run/v.sock:/v1/chat/completions"),
        ("unix:/run/v.sock", "unix:///run/v.sock:/v1/chat/completions"),
        ("unix:///run/v.sock:/v1", "unix:///run/v.sock:/v1/chat/completions"),
        ("unix:///run/v.sock:/team/", "unix:///run/v.sock:/team/v1/chat/completions"),
    ],
)
def test_forgives(text: str, full: str) -> None:
    assert parse_server_url(text).full(CHAT) == full


def test_an_endpoint_that_is_left_out_is_told() -> None:
    for text, left_out in (
        ("http://h:1/v1/chat/completions/", "/v1/chat/completions"),
        ("http://h/a/v1/models", "/v1/models"),
        ("unix:///run/v.sock:/v1/completions", "/v1/completions"),
    ):
        assert parse_server_url(text).notice.endswith(f"taken without {left_out}")
    assert parse_server_url("http://h/v1/").notice == ""


def test_the_url_of_the_wanted_endpoint_is_understood() -> None:
    assert parse_server_url("http://h/a/tokenize", "/tokenize").full("/tokenize") == (
        "http://h/a/tokenize"
    )


@pytest.mark.parametrize(
    "text",
    [
        "ftp://h",
        "http://",
        "http://h:99999",
        "http://[::1",
        "unix://sock",
        "",
        "http://:80",
        "http:/h",
        "https:h:8000",
    ],
)
def test_refuses_what_is_no_address_and_says_how_one_looks(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_server_url(text)
    assert "http://localhost:8000" in caught.value.hint


def test_a_refusal_shows_no_password() -> None:
    with pytest.raises(UsageError) as caught:
        parse_server_url("ftp://me:secret@host")
    assert "secret" not in caught.value.message


def test_host_header_names_the_port_only_where_needed() -> None:
    assert parse_server_url("http://h:8000").authority == "h:8000"
    assert parse_server_url("https://h").authority == "h"
    assert parse_server_url("http://[::1]:80").authority == "[::1]"
