"""Faults that put something else in the place of the answer."""

from vllmctl.mock.wire import Response, data_response, json_response

_PAGE = b"""<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>a proxy</center></body>
</html>
"""


def html_502(_response: Response, _value: str) -> Response:
    """A proxy's page."""
    return data_response(_PAGE, "text/html", 502)


def too_many(_response: Response, value: str) -> Response:
    """429 with ``Retry-After``."""
    return _later(429, "Too many requests, try again later.", "RateLimitError", value)


def unavailable(_response: Response, value: str) -> Response:
    """503 with ``Retry-After``."""
    return _later(503, "The server is not ready.", "ServiceUnavailableError", value)


def unauthorized(_response: Response, _value: str) -> Response:
    """401 as vLLM's key check gives it: the error is a string."""
    return json_response({"error": "Unauthorized"}, 401)


def redirect(_response: Response, value: str) -> Response:
    """307 to another host."""
    return Response(307, {"location": value}, [], 0)


def _later(status: int, message: str, kind: str, seconds: str) -> Response:
    error = {"message": message, "type": kind, "param": None, "code": status}
    return json_response({"error": error}, status, retry_after=seconds)
