"""A module with tools in the folder that commands run in, and servers that call them."""

import json

import pytest

from tests.cli.conftest import vllmctl  # noqa: F401 - a fixture
from tests.client.servers import serving, stream_head

MODULE = '''
from enum import Enum
import sys

class Unit(Enum):
    C = "celsius"

def get_weather(city: str, unit: Unit = Unit.C):
    """Get the weather of a city."""
    print("looking")
    return {"city": city, "unit": unit, "sky": "clear"}

async def get_time(zone: str):
    return f"noon in {zone}"

def fails(reason: str):
    raise ValueError(reason)

def leaves(reason: str):
    sys.exit(reason)
'''


@pytest.fixture
def tools(vllmctl, tmp_path):  # noqa: F811
    (tmp_path / "work" / "turn_tools.py").write_text(MODULE)


def answer(*calls, text=""):
    """The chunks of an answer with ``calls`` (name, arguments), or of plain ``text``."""
    deltas = [
        {
            "tool_calls": [
                {
                    "index": number,
                    "id": f"call-{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
            ]
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    choices = [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]
    choices += [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    end = "tool_calls" if calls else "stop"
    choices.append({"index": 0, "delta": {}, "finish_reason": end})
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
        for choice in choices
    ]
    events = [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]
    return [stream_head(), *events, b"data: [DONE]\n\n"]


@pytest.fixture
def chat(vllmctl, tools):  # noqa: F811
    """Send ``chat hi`` to a server that plays ``answers`` in turn."""

    def call(*arguments, answers):
        with serving(*answers) as served:
            base = ("--base-url", served.url, "--target", "vllm==0.32.0", "-m", "tiny")
            done = vllmctl("chat", "hi", *base, *arguments)
        return done, [json.loads(got.body) for got in served.got]

    return call
