"""Settings become what a request needs."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from vllmctl.client.retrying import pause_before_retry, retry_after
from vllmctl.client.server import CONNECT_TIMEOUT, Limits, Server, Tls, server_of
from vllmctl.env import Environment
from vllmctl.request.origin import Origin
from vllmctl.request.server.api_key import ApiKey
from vllmctl.request.server.connection import Connection
from vllmctl.request.server.settings import Setting

ENV = Environment(variables={})


def key(value: str) -> ApiKey:
    return ApiKey(value, Setting(value, Origin("environment", "VLLMCTL_API_KEY")))


def made(**settings: object) -> Server:
    return server_of(Connection(**settings), ENV)  # type: ignore[arg-type]


def test_without_settings_it_is_vllm_on_this_machine() -> None:
    server = made()
    assert server.url.full() == "http://localhost:8000"
    assert dict(server.headers) == {}
    assert (server.limits.connect, server.limits.idle, server.limits.total) == (10, None, None)
    assert (server.retries, server.proxy, server.tls, server.key_source) == (0, None, Tls(), "")


def test_the_key_is_a_bearer_with_a_source() -> None:
    server = made(api_key=key("sk-1"))
    assert server.headers == {"Authorization": "Bearer sk-1"}
    assert server.key_source == "VLLMCTL_API_KEY"


def test_a_header_of_the_user_replaces_the_key() -> None:
    server = made(api_key=key("sk-1"), headers={"authorization": "Basic x", "X-A": "1"})
    assert server.headers == {"authorization": "Basic x", "X-A": "1"}


def test_user_and_password_of_the_url_are_basic_unless_there_is_a_key() -> None:
    url = "https://me:p%40ss@host"
    assert made(base_url=url).headers == {"Authorization": "Basic bWU6cEBzcw=="}
    assert made(base_url=url, api_key=key("k")).headers == {"Authorization": "Bearer k"}


def test_zero_is_no_limit() -> None:
    limits = made(connect_timeout=0.0, idle_timeout=0.0, timeout=0.0).limits
    assert (limits.connect, limits.idle, limits.total) == (None, None, None)


def test_limits_know_where_they_come_from() -> None:
    origin = Origin("flag", "--timeout")
    server = made(timeout=5.0, origins={"timeout": origin})
    assert server.limits == Limits(CONNECT_TIMEOUT, None, 5.0, {"timeout": "--timeout"})


def test_certificates_and_retries_are_passed_on() -> None:
    server = made(insecure=True, ca_file="/ca", cert_file="/c", key_file="/k", retries=3)
    assert (server.tls, server.retries) == (Tls(True, "/ca", "/c", "/k"), 3)


def test_pauses_double_up_to_a_limit() -> None:
    assert [pause_before_retry(tries, {}) for tries in range(6)] == [0.5, 1, 2, 4, 8, 8]


def test_the_server_decides_the_pause_up_to_a_minute() -> None:
    assert pause_before_retry(0, {"retry-after": "7"}) == 7
    assert pause_before_retry(0, {"retry-after": "61"}) < 0
    for nonsense in ("Mon, 1 Dec 9 3:5999999999", "\xb2", "soon", "-1", "Mon, 1 Jan 99999 0:0"):
        assert retry_after({"retry-after": nonsense}) is None


@pytest.mark.parametrize("seconds", [30, -30])
def test_a_date_is_a_pause_too(seconds: int) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
    wait = retry_after({"retry-after": date})
    assert wait is not None
    assert max(seconds, 0) - 2 <= wait <= max(seconds, 0)


@pytest.mark.parametrize("text", ["", "soon", "nan", "-1", "1e3"])
def test_a_pause_that_cannot_be_read_is_none(text: str) -> None:
    assert retry_after({"retry-after": text}) is None
