"""``--target server``: a server that tells what it is."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.lint.helpers import Answer, lint

FORK = {
    "paths": {
        "/v1/completions": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "properties": {
                                    "prompt": {"type": "string"},
                                    "fork_field": {"type": "integer"},
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
BODY = json.dumps({"prompt": "x", "fork_field": 1, "min_p": 0.1})


@contextmanager
def _server(pages: dict[str, Any]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            content = json.dumps(page or {"detail": "Not Found"}).encode()
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _asked(pages: dict[str, Any]) -> Answer:
    with _server(pages) as url:
        return lint(BODY, "--json", "--target", "server", "--base-url", url)


def test_known_release_is_judged_by_its_facts() -> None:
    answer = _asked({"/version": {"version": "0.11.2"}, "/openapi.json": FORK})
    assert answer.json["target"] == "vllm==0.11.2"
    assert [f["path"] for f in answer.json["findings"]] == ["fork_field"]


def test_fork_is_judged_by_what_it_says_of_itself() -> None:
    answer = _asked({"/version": {"version": "0.32.1.dev5+fork"}, "/openapi.json": FORK})
    assert [(f["level"], f["path"]) for f in answer.json["findings"]] == [("ignored", "min_p")]


def test_server_that_tells_its_fields_alone_is_judged_by_them() -> None:
    answer = _asked({"/openapi.json": FORK})
    assert [f["path"] for f in answer.json["findings"]] == ["min_p"]


def test_server_that_tells_nothing_is_a_usage_error() -> None:
    answer = _asked({})
    assert answer.code == 2
    assert "--target vllm==" in answer.err


def test_server_that_is_not_there_cannot_be_connected_to() -> None:
    with _server({}) as url:
        pass
    assert lint(BODY, "--target", "server", "--base-url", url).code == 3
