"""The shortest program that streams an answer with OpenAI's SDK."""

import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1] + "/v1", api_key="none")
messages = [{"role": "user", "content": "Hi"}]
for chunk in client.chat.completions.create(model="tiny", messages=messages, stream=True):
    sys.stdout.write(chunk.choices[0].delta.content or "")
    sys.stdout.flush()
