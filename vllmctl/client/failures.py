"""Exceptions out of what a server said, or did instead of answering."""

from typing import TYPE_CHECKING

from vllmctl.client.hints import Asked, hint_for
from vllmctl.client.retrying import retry_after
from vllmctl.errors import HttpStatusError, IncompleteAnswerError, VllmctlError

if TYPE_CHECKING:
    from vllmctl.client.error_body import Said
    from vllmctl.client.transport import Response

_SHOWN_PROBLEMS = 6
_LONGEST_BODY = 1 << 20


def refusal(response: "Response", asked: Asked) -> HttpStatusError:
    """Return the exception for a response whose status is not 2xx; its body is read.

    What has come of the body counts when the rest of it does not.
    """
    from vllmctl.client.error_body import said_in_body

    said = said_in_body(_body(response), response.headers)
    return refused(response.status, response, said, asked)


def refused(status: int, response: "Response", said: "Said", asked: Asked) -> HttpStatusError:
    """Return the exception for ``said`` under ``status``, which may be told in the body only."""
    location = response.headers.get("location", "")
    if 300 <= status < 400:
        return _redirected(status, location)
    reason = (response.reason if status == response.status else "") or _phrase(status)
    head = f"{status} {reason}".rstrip()
    maker = said.page_by or response.headers.get("server", "")
    if said.page:
        head += f" from {maker or 'a proxy'}, not vLLM"
    what = words(said)
    if what and what not in (reason, f"{status} {reason}"):
        head += f":{what}" if what.startswith("\n") else f": {what}"
    hint = hint_for(status, said, asked, retry_after(response.headers))
    return HttpStatusError(
        head,
        "\n".join(line for line in (hint, f"request id {response.request_id}") if line),
        status=status,
        server_message=said.message,
        param=said.param,
    )


def failed_answer(said: "Said | None", asked: Asked, data: str = "") -> IncompleteAnswerError:
    """Return the exception for an error that came inside an answer.

    ``data`` is shown when nobody can tell what it says (``said`` is ``None``).
    """
    if said is None:
        return IncompleteAnswerError(f"the server failed while answering: {data}")
    what = words(said) or said.kind or "an error without a message"
    code = f" ({said.code})" if said.code else ""
    return IncompleteAnswerError(
        f"the server failed while answering: {what}{code}",
        hint_for(said.status or 500, said, asked),
        server_message=said.message,
        param=said.param,
    )


def page_instead(body: bytes, response: "Response") -> IncompleteAnswerError:
    """Return the exception for an answer that is no JSON: a web page, or something else."""
    from vllmctl.client.error_body import is_page, page_title

    text = body.decode("utf-8", "replace")
    if is_page(text, response.headers):
        return IncompleteAnswerError(
            f"a web page, not an answer, came from {response.url}: {page_title(text)}",
            "a proxy or a login page answers there; is the address right?",
        )
    start = text if len(text) <= 100 else text[:99] + "…"
    return IncompleteAnswerError(f"the answer is not JSON: {start!r}")


def words(said: "Said") -> str:
    """Return what the server said, readable: its message, or several problems a line each."""
    if not said.problems:
        return said.message or (f"{said.kind}, without a message" if said.kind else "")
    lines = [f"{p.path}: {p.text}" if p.path else p.text for p in said.problems]
    if len(lines) == 1:
        return lines[0]
    shown = lines[:_SHOWN_PROBLEMS]
    if len(lines) > len(shown):
        shown.append(f"… and {len(lines) - len(shown)} more")
    return "".join(f"\n  {line}" for line in shown)


def _body(response: "Response") -> bytes:
    body = b""
    try:
        for read in response.chunks():
            body += read
            if len(body) > _LONGEST_BODY:
                break
    except VllmctlError:
        pass
    return body


def _redirected(status: int, location: str) -> HttpStatusError:
    where = f" to {location}" if location else ""
    return HttpStatusError(
        f"{status}: the server redirects{where}, and that is not followed",
        "the request and the key go to no other place than the one you named; if it is "
        "right, give it as --base-url",
        status=status,
    )


def _phrase(status: int) -> str:
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
