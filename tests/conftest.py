"""What every test can rely on: no user configuration, no colour, no network but loopback."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

LOOPBACK = ("127.", "::1", "localhost")
PRIVATE = ("VLLMCTL_", "XDG_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
LOOKS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM")
LIVE_URL = "VLLMCTL_LIVE_URL"

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(scope="session", autouse=True)
def nobodys_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the user's configuration, proxies and terminal from the tests and what they start."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name != LIVE_URL and (name.upper().startswith(PRIVATE) or name in LOOKS):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        yield


@pytest.fixture(scope="session", autouse=True)
def loopback_only() -> Iterator[None]:
    """Refuse connections that leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test wants to connect to {address}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture(scope="session")
def live_url() -> str:
    """The base URL of a real vLLM server; without one the test is skipped."""
    url = os.environ.get(LIVE_URL)
    if not url:
        pytest.skip(f"needs a real vLLM server in {LIVE_URL}")
    return url


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of the project."""
    return Path(__file__).parent.parent
