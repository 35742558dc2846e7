"""Interactive chats whose lines are piped in, and the requests that servers get of them."""

import json

import pytest

from tests.cli.conftest import vllmctl as vllmctl
from tests.client.servers import serving
from tests.turns.conftest import tools as tools

BASE = ("-m", "tiny", "--target", "vllm==0.32.0")


@pytest.fixture
def talk(vllmctl, tools):
    """Chat by ``lines`` with a server that plays ``answers``; return outcome and bodies."""

    def call(*lines, flags=(), answers):
        with serving(*answers) as served:
            url = ("--base-url", served.url)
            done = vllmctl("chat", "-i", *BASE, *url, *flags, stdin="\n".join(lines).encode())
        return done, [json.loads(got.body) for got in served.got]

    return call


@pytest.fixture
def typed(vllmctl):
    """Chat by ``lines`` with the built-in mock, which answers ``Hi.`` to everything."""

    def call(*lines, flags=()):
        mock = ("--base-url", "mock:?reply=Hi.&reasoning=&model=tiny", "--target", "vllm==0.32.0")
        return vllmctl("chat", "-i", *mock, *flags, stdin="\n".join(lines).encode())

    return call


def contents(body):
    """What was said in a body, in order."""
    return [one["content"] for one in body["messages"]]
