"""The shortest program that streams an answer with aiohttp."""

import asyncio
import json
import sys

import aiohttp

BODY = {"model": "tiny", "messages": [{"role": "user", "content": "Hi"}], "stream": True}


async def main() -> None:
    url = sys.argv[1] + "/v1/chat/completions"
    async with aiohttp.ClientSession() as session, session.post(url, json=BODY) as response:
        async for line in response.content:
            if line.startswith(b"data: {"):
                sys.stdout.write(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
                sys.stdout.flush()


asyncio.run(main())
