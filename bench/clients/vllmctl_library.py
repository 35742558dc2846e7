"""vllmctl's client as a library, without its command line."""

import sys

from vllmctl.client.answer import Answer
from vllmctl.client.events import Text
from vllmctl.client.server import Server
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import parse_server_url

server = Server(parse_server_url(sys.argv[1]))
with open_exchange(server, "POST", "/v1/chat/completions", b"{}") as response:
    answer = Answer(sent=response.sent)
    for events in read_answer(response, answer):
        for event in events:
            if type(event) is Text:
                sys.stdout.write(event.text)
        sys.stdout.flush()
assert answer.failure is None
