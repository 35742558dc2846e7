"""The mock: one request in, one response out, without sockets."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vllmctl.catalog.load import by_path, endpoint_names
from vllmctl.mock import pages
from vllmctl.mock.bodies import read_body
from vllmctl.mock.chat import chat_answer, chat_stream
from vllmctl.mock.completions import completion_answer, completion_stream
from vllmctl.mock.counters import Counters
from vllmctl.mock.faults import FaultChooser
from vllmctl.mock.job import Job, new_id
from vllmctl.mock.jobs import JobMaker
from vllmctl.mock.options import MockOptions
from vllmctl.mock.recorded import Recordings
from vllmctl.mock.wire import (
    DONE,
    Piece,
    RefusedError,
    Request,
    Response,
    data_response,
    event,
    json_response,
    stream_response,
)

Handler = Callable[[Request], Response]

_GUARDED = ("/v1", "/v2", "/inference", "/cohere")


class MockApp:
    """Answers requests; safe to use from several threads."""

    def __init__(self, options: MockOptions) -> None:
        self._options = options
        self._started = int(time.time())
        self._counters = Counters(options.models[0])
        self._chooser = FaultChooser(options.faults)
        self._recordings = Recordings(options)
        self._jobs = JobMaker(options)
        self._routes = _existing(self._all_routes(), options)

    def handle(self, request: Request) -> Response:
        """Return the response; its body may be made while it is read."""
        request_id = request.headers.get("x-request-id") or new_id() + new_id()
        response = self._answer(request)
        if request.method == "POST":
            for plan in self._chooser.next():
                response = plan.apply(response)
        response.headers.setdefault("server", "vllmctl-mock")
        response.headers["x-request-id"] = request_id
        return response

    def _answer(self, request: Request) -> Response:
        if not self._may_enter(request):
            return json_response({"error": "Unauthorized"}, 401)
        recorded = self._recordings.find(request)
        if recorded is not None:
            return recorded
        try:
            return self._routed(request)
        except RefusedError as refusal:
            return refusal.response()
        except Exception as fault:  # as the real server does, for whatever it did not foresee
            return RefusedError(str(fault), status=500, kind="InternalServerError").response()

    def _routed(self, request: Request) -> Response:
        path = request.path
        if path not in self._routes and path.endswith("/") and path.rstrip("/") in self._routes:
            host = request.headers.get("host", "localhost")
            return Response(307, {"location": f"http://{host}{path.rstrip('/')}"}, [], 0)
        methods = self._routes.get(path)
        if methods is None:
            return json_response({"detail": "Not Found"}, 404)
        handler = methods.get(request.method)
        if handler is None:
            return json_response({"detail": "Method Not Allowed"}, 405, allow=", ".join(methods))
        return handler(request)

    def _may_enter(self, request: Request) -> bool:
        key = self._options.api_key
        if key is None or not request.path.startswith(_GUARDED):
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and given == key

    def _all_routes(self) -> dict[str, dict[str, Handler]]:
        options, counters = self._options, self._counters
        target = options.target
        return {
            "/health": {"GET": lambda _: data_response(b"", "")},
            "/ping": {
                "GET": lambda _: data_response(b"", ""),
                "POST": lambda _: data_response(b"", ""),
            },
            "/version": {"GET": lambda _: json_response({"version": target.release})},
            "/load": {"GET": lambda _: json_response({"server_load": counters.running})},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {
                "GET": lambda _: json_response(pages.openapi_page(target, self._routes))
            },
            "/v1/models": {
                "GET": lambda _: json_response(pages.models_page(options, self._started))
            },
            "/tokenize": {"POST": self._tokenize},
            "/detokenize": {"POST": self._detokenize},
            "/v1/chat/completions": {"POST": self._chat},
            "/v1/completions": {"POST": self._complete},
        }

    def _metrics(self, _request: Request) -> Response:
        page = self._counters.page().encode()
        return data_response(page, "text/plain; version=1.0.0; charset=utf-8")

    def _tokenize(self, request: Request) -> Response:
        body = self._jobs.tokens("tokenize", read_body(request))
        return json_response(pages.tokenize_page(body, self._options))

    def _detokenize(self, request: Request) -> Response:
        body = self._jobs.tokens("detokenize", read_body(request))
        return json_response(pages.detokenize_page(body))

    def _chat(self, request: Request) -> Response:
        return self._generated(request, self._jobs.chat, chat_answer, chat_stream)

    def _complete(self, request: Request) -> Response:
        return self._generated(request, self._jobs.completion, completion_answer, completion_stream)

    def _generated(
        self,
        request: Request,
        make: Callable[[Mapping[str, Any], str], Job],
        whole: Callable[[Job], tuple[dict[str, Any], int]],
        stream: Callable[[Job], Iterator[Piece]],
    ) -> Response:
        body = read_body(request)
        try:
            job = make(body, request.headers.get("x-request-id", ""))
            job.watch = self._counters.token
        except RefusedError as refusal:
            if refusal.late and body.get("stream"):
                return stream_response(_failed_stream(refusal))
            raise
        if job.wants("stream"):
            return stream_response(self._counted(job, stream(job)))
        with self._counters.request(job.prompt_tokens):
            answer, tokens = whole(job)
        response = json_response(answer)
        response.body = [*job.pace.whole(tokens), *response.body]
        return response

    def _counted(self, job: Job, pieces: Iterator[Piece]) -> Iterator[Piece]:
        with self._counters.request(job.prompt_tokens):
            yield from pieces


def _failed_stream(refusal: RefusedError) -> list[Piece]:
    return [event(json.dumps(refusal.as_dict())), DONE]


def _existing(
    routes: dict[str, dict[str, Handler]], options: MockOptions
) -> dict[str, dict[str, Handler]]:
    """Leave out what the target does not have yet, or any more."""
    target = options.target
    there = endpoint_names(target)
    named = {path: by_path(path, target.engine) for path in routes}
    return {path: routes[path] for path, name in named.items() if name is None or name in there}
