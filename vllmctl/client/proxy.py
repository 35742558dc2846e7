"""Which proxy, if any, a request goes through."""

from collections.abc import Mapping

from vllmctl.client.url import ServerUrl
from vllmctl.counts import count_in
from vllmctl.record import Record
from vllmctl.request.server.connection import is_loopback


class Proxy(Record, frozen=True, hidden=("url",)):
    """A proxy's URL, and the variable or setting that named it."""

    url: str
    source: str


def proxy_for(url: ServerUrl, variables: Mapping[str, str]) -> Proxy | None:
    """Return the proxy that the environment names for ``url``, or ``None``.

    ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` are read in either case,
    the small one first. This machine itself and unix sockets are reached without one.
    """
    if url.socket_path is not None or is_loopback(url.full()):
        return None
    if _is_excluded(url, _variable("no_proxy", variables)[0]):
        return None
    for name in (f"{url.scheme}_proxy", "all_proxy"):
        value, source = _variable(name, variables)
        if value:
            return Proxy(value if "://" in value else f"http://{value}", source)
    return None


def _variable(name: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return the value of a variable and the spelling under which it was found."""
    if name in variables:
        return variables[name].strip(), name
    if name == "http_proxy" and "REQUEST_METHOD" in variables:
        return "", ""  # in a CGI program HTTP_PROXY is a header of whoever asks
    return variables.get(name.upper(), "").strip(), name.upper()


def _is_excluded(url: ServerUrl, patterns: str) -> bool:
    return any(_matches(url, pattern.strip().lower()) for pattern in patterns.split(","))


def _matches(url: ServerUrl, pattern: str) -> bool:
    if pattern in ("", "*"):
        return pattern == "*"
    host = url.host.lower()
    if "/" in pattern:
        return _in_network(host, pattern)
    name, colon, port = pattern.rpartition(":")
    number = count_in(port)
    if colon and number is not None and (":" not in name or "]" in name):
        if number != url.port:
            return False
        pattern = name
    pattern = pattern.strip("[]").removeprefix("*").lstrip(".")
    return host == pattern or host.endswith("." + pattern)


def _in_network(host: str, network: str) -> bool:
    from ipaddress import ip_address, ip_network

    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
