"""A server that was started without flags, may be started anew with them, and tells when."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

ANSWER = {
    "id": "c",
    "object": "chat.completion",
    "model": "tiny",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
    ],
}
DONE = b"data: [DONE]\n\n"


class Flagless:
    """What the server says; tests change it while it runs."""

    def __init__(self, refuses: str) -> None:
        self.url = ""
        self.refuses = refuses
        self.started: float | None = 1000.5
        self.pages: dict[str, Any] = {
            "/version": {"version": "0.32.0"},
            "/v1/models": {"data": [{"id": "tiny", "max_model_len": 2048}]},
        }
        self.got: list[str] = []

    def reply(self, method: str, path: str, body: Mapping[str, Any]) -> tuple[int, str, bytes]:
        """Return status, type and body of an answer."""
        self.got.append(f"{method} {path}")
        if path == "/metrics":
            line = f"process_start_time_seconds {self.started}\n" if self.started else ""
            return 200, "text/plain", line.encode()
        if method == "GET":
            page = self.pages.get(path)
            return (404 if page is None else 200), "application/json", json.dumps(page).encode()
        error = {"message": self.refuses, "type": "BadRequestError", "param": None, "code": 400}
        if self.refuses:
            return 400, "application/json", json.dumps({"error": error}).encode()
        if not body.get("stream"):
            return 200, "application/json", json.dumps(ANSWER).encode()
        delta = {**ANSWER, "object": "chat.completion.chunk"}
        delta["choices"] = [{"index": 0, "delta": {"content": "yes"}, "finish_reason": "stop"}]
        return 200, "text/event-stream", b"data: " + json.dumps(delta).encode() + b"\n\n" + DONE


@contextmanager
def flagless(refuses: str) -> Iterator[Flagless]:
    """Serve until the block is left."""
    told = Flagless(refuses)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply({})

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            self._reply(json.loads(self.rfile.read(length)))

        def _reply(self, body: Mapping[str, Any]) -> None:
            status, kind, content = told.reply(self.command, self.path.partition("?")[0], body)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        told.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield told
        server.shutdown()
