"""What a long stream costs: CPU of a whole process over one-token chunks, against ``curl -sN``.

    python bench/streaming.py [--chunks 20000] [--rounds 7] [--command "COMMAND {url}"]...

The server holds the answer ready and sends it as fast as the socket takes it, one HTTP chunk a
token. Every program runs once a round, in random order; shown are medians of CPU (user and
system), of its ratio to curl in the same round, and of the time from start to the first byte of
output. The text that comes out is checked.
"""

import argparse
import os
import random
import re
import shutil
import socket
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

WORDS = ("The", " quick", " brown", " fox", ",", " größer", " als", " 42", "\\n", ' \\"so\\"')
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = (
    'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
    '"model":"tiny","choices":[{"index":0,"delta":{%s},"logprobs":null,"finish_reason":%s,'
    '"token_ids":null}]}\n\n'
)
LIBRARY = """
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
"""


@dataclass
class Program:
    """A command, and for each round its CPU and the time to its first output in ms."""

    name: str
    argv: list[str]
    shows_text: bool = True
    costs: list[tuple[float, float]] = field(default_factory=list)


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--command", action="append", default=[])
    options = parser.parse_args()
    text, answer = prepared(options.chunks)
    url = serve(answer)
    programs = [*the_programs(url)]
    programs += [Program(c[-24:], c.format(url=url).split()) for c in options.command]
    for program in programs:
        run(program, text)
    for _ in range(options.rounds):
        for program in random.sample(programs, len(programs)):
            program.costs.append(run(program, text))
    report(programs)


def the_programs(url: str) -> list[Program]:
    """Return curl, the client as a library, and the command line."""
    curl = shutil.which("curl")
    if curl is None:
        sys.exit("curl is needed to compare with")
    path = "/v1/chat/completions"
    chat = [sys.executable, "-m", "vllmctl", "chat", "Hi", "--base-url", url, "-m", "tiny"]
    return [
        Program("curl -sN", [curl, "-sN", "-d", "{}", url + path], shows_text=False),
        Program("client, as a library", [sys.executable, "-c", LIBRARY, url]),
        Program("vllmctl chat", [*chat, "--target", "vllm"]),
    ]


def prepared(chunks: int) -> tuple[bytes, bytes]:
    """Return the text of an answer of ``chunks`` tokens, and the bytes that carry it."""
    words = [WORDS[place % len(WORDS)] for place in range(chunks)]
    events = [CHUNK % ('"role":"assistant","content":""', "null")]
    events += [CHUNK % (f'"content":"{word}"', "null") for word in words]
    events += [CHUNK % ("", '"stop"'), "data: [DONE]\n\n"]
    framed = (b"%x\r\n%b\r\n" % (len(event.encode()), event.encode()) for event in events)
    text = "".join(words).replace("\\n", "\n").replace('\\"', '"')
    return text.encode(), HEAD + b"".join(framed) + b"0\r\n\r\n"


def serve(answer: bytes) -> str:
    """Answer every request with ``answer``, in a thread; return the URL."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)

    def loop() -> None:
        while True:
            connection, _ = listener.accept()
            with connection:
                read_request(connection)
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)

    threading.Thread(target=loop, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def read_request(connection: socket.socket) -> None:
    """Read a request to its end, so that closing afterwards is no reset."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(1 << 16)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(1 << 16)


def environment() -> dict[str, str]:
    """Return the environment of an ordinary user, whose modules are compiled only once."""
    unusual = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if name not in unusual}


def run(program: Program, text: bytes) -> tuple[float, float]:
    """Run ``program`` once; return its milliseconds of CPU, and of time to its first output."""
    mine, its = os.pipe()
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, its, 1)]
    start = time.perf_counter()
    pid = os.posix_spawnp(program.argv[0], program.argv, environment(), file_actions=files)
    os.close(its)
    with open(mine, "rb", buffering=0) as out:  # noqa: PTH123 - a pipe has no path
        shown = out.read(1 << 16)
        first = time.perf_counter() - start
        shown += out.readall()
    _, status, usage = os.wait4(pid, 0)
    if status or (program.shows_text and shown.rstrip() != text.rstrip()):
        sys.exit(f"{program.name}: exit status {status}, {len(shown)} bytes, wanted {len(text)}")
    return (usage.ru_utime + usage.ru_stime) * 1000, first * 1000


def report(programs: list[Program]) -> None:
    """Print medians, and ratios to the first program."""
    print(f"{'program':24} {'CPU ms':>8} {'x curl':>7} {'first output ms':>16}")
    for program in programs:
        rounds = zip(program.costs, programs[0].costs, strict=True)
        ratio = statistics.median(own / curls for (own, _), (curls, _) in rounds)
        cpu, first = (statistics.median(column) for column in zip(*program.costs, strict=True))
        print(f"{program.name:24} {cpu:8.1f} {ratio:7.1f} {first:16.1f}")


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    main()
