"""Keys that the system's keyring holds."""

import sys
from types import ModuleType

import pytest

from tests.profiles.test_keys_and_trust import SECRET, connect
from vllmctl.errors import ConfigError


class Ring:
    """A keyring with one key in it."""

    def __init__(self) -> None:
        self.fault: Exception | None = None

    def get_password(self, service: str, user: str) -> str | None:
        if self.fault:
            raise self.fault
        return SECRET if (service, user) == ("lab/vllm", "me") else None


@pytest.fixture
def ring(monkeypatch):
    made = ModuleType("keyring")
    errors = ModuleType("keyring.errors")
    errors.KeyringError = type("KeyringError", (Exception,), {})
    ring = Ring()
    made.get_password = ring.get_password
    monkeypatch.setitem(sys.modules, "keyring", made)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    ring.error = errors.KeyringError
    return ring


def test_takes_the_key_from_the_keyring(user, ring):
    user.write("~/config.toml", "[server]\napi_key_keyring = 'lab/vllm/me'")
    assert connect(user).api_key.value == SECRET


def test_leaves_the_keyring_alone_in_a_dry_run(user, ring):
    ring.fault = AssertionError("asked")
    user.write("~/config.toml", "[server]\napi_key_keyring = 'lab/vllm/me'")
    assert connect(user, dry_run=True).api_key.masked == "(the keyring has it)"


def test_says_that_the_keyring_has_no_such_key_or_is_locked(user, ring):
    user.write("~/config.toml", "[server]\napi_key_keyring = 'lab/other'")
    with pytest.raises(ConfigError, match=r"no key for lab/other: .*config.toml:2") as caught:
        connect(user)
    assert caught.value.hint == "keyring set lab other"
    ring.fault = ring.error("the keyring is locked")
    with pytest.raises(ConfigError, match="gave no key: the keyring is locked"):
        connect(user)


def test_says_what_is_to_be_installed(user, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    user.write("~/config.toml", "[server]\napi_key_keyring = 'lab/me'")
    with pytest.raises(ConfigError, match="needs the package keyring") as caught:
        connect(user)
    assert "vllm-request[keyring]" in caught.value.hint
