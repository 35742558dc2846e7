"""aiohttp's client talks to the mock as it does to the real server."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from vllmctl.mock.options import read_options
from vllmctl.mock.server import MockServer

BODY = {"model": "mock", "messages": [{"role": "user", "content": "hi"}]}


async def _ask(url: str, bodies: list[dict[str, Any]]) -> list[tuple[int, str]]:
    async with aiohttp.ClientSession() as session:

        async def one(body: dict[str, Any]) -> tuple[int, str]:
            async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                return response.status, (await response.read()).decode()

        return await asyncio.gather(*map(one, bodies))


@pytest.fixture
def url():
    with MockServer(read_options({"reply": "Hello", "reasoning": ""})) as server:
        yield server.url


def test_answers_streams_and_refusals_at_once(url):
    bodies = [BODY, {**BODY, "stream": True}, {**BODY, "top_p": 2}] * 5
    answers = asyncio.run(_ask(url, bodies))
    for whole, stream, refused in zip(*[iter(answers)] * 3, strict=True):
        assert whole[0] == stream[0] == 200
        assert json.loads(whole[1])["choices"][0]["message"]["content"] == "Hello"
        chunks = [line[6:] for line in stream[1].splitlines() if line.startswith("data: ")]
        assert chunks.pop() == "[DONE]"
        deltas = [json.loads(chunk)["choices"][0]["delta"] for chunk in chunks]
        assert "".join(delta.get("content") or "" for delta in deltas) == "Hello"
        assert refused[0] == 400
        assert "top_p" in json.loads(refused[1])["error"]["message"]
