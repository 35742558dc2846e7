"""Opening a socket to the server, and saying in words why that failed."""

import socket
from typing import TYPE_CHECKING

from vllmctl.client.lookup import Address, addresses
from vllmctl.client.patience import Patience
from vllmctl.client.server import Server, Tls
from vllmctl.errors import CannotConnectError, UsageError

if TYPE_CHECKING:
    from ssl import SSLContext

_PLAIN_HTTP = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE")


class NotReachedError(CannotConnectError):
    """Nobody took the connection: nothing was sent, so that trying again is safe."""


def open_socket(server: Server, patience: Patience) -> socket.socket:
    """Return a connected socket, with TLS where the URL asks for it.

    Raises:
        NotReachedError: no host of that name, nothing listens there, no way to it.
        CannotConnectError: the TLS handshake failed.
        TimedOutError: no connection in time.
        UsageError: a certificate file that cannot be used.
    """
    context = tls_context(server.tls) if server.url.scheme == "https" else None
    sock = _unix(server, patience) if server.url.socket_path else _tcp(server, patience)
    if context is None:
        return sock
    try:
        sock.settimeout(patience.to_connect())
        return context.wrap_socket(sock, server_hostname=server.url.host)
    except TimeoutError:
        sock.close()
        raise patience.ran_out_connecting() from None
    except OSError as error:
        sock.close()
        raise _tls_fault(server, error) from None
    except BaseException:
        sock.close()
        raise


def tls_context(tls: Tls) -> "SSLContext":
    """Return what checks the server's certificate: ``ca_file``, else the system's authorities.

    Raises ``UsageError`` for a file that is missing or no certificate.
    """
    import ssl

    try:
        context = ssl.create_default_context(cafile=tls.ca_file or _bundled_authorities())
    except OSError as error:
        raise _unusable("--ca-file", tls.ca_file, error) from None
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.cert_file:
        try:
            context.load_cert_chain(tls.cert_file, tls.key_file)
        except OSError as error:
            raise _unusable("--cert and --key", tls.cert_file, error) from None
    return context


def _bundled_authorities() -> str | None:
    """Return a list of authorities for systems that have none, else ``None``."""
    import ssl

    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return None
    from certifi import where

    return where()


def _unusable(flags: str, path: str | None, error: OSError) -> UsageError:
    return UsageError(
        f"{flags}: cannot use {path}: {error.strerror or error}", "expected PEM files"
    )


def _tcp(server: Server, patience: Patience) -> socket.socket:
    """Try every address of the host, the way ``localhost`` may need."""
    url, failed = server.url, []
    for family, kind, protocol, _, address in _addresses(server, patience):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(patience.to_connect())
            sock.connect(address)
        except OSError as error:
            sock.close()
            failed.append((str(address[0]), error))
        except BaseException:
            sock.close()
            raise
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return sock
    if all(isinstance(error, TimeoutError) for _, error in failed):
        raise patience.ran_out_connecting()
    reasons = ", ".join(f"{address} port {url.port}: {_reason(error)}" for address, error in failed)
    raise NotReachedError(f"cannot connect to {url.full()}: {reasons}", _nobody_there(server))


def _addresses(server: Server, patience: Patience) -> list[Address]:
    url = server.url
    try:
        return addresses(url.host, url.port, patience.to_connect())
    except TimeoutError:
        raise patience.ran_out_connecting() from None
    except (OSError, UnicodeError) as error:
        raise NotReachedError(
            f"cannot find the host {url.host!r}: {getattr(error, 'strerror', None) or error}",
            f"check the name{_from(server)}",
        ) from None


def _unix(server: Server, patience: Patience) -> socket.socket:
    path = server.url.socket_path
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(patience.to_connect())
        sock.connect(str(path))
    except TimeoutError:
        sock.close()
        raise patience.ran_out_connecting() from None
    except OSError as error:
        sock.close()
        raise NotReachedError(
            f"cannot connect to the unix socket {path}: {_reason(error)}",
            f"was the server started with `--uds {path}`?",
        ) from None
    except BaseException:
        sock.close()
        raise
    return sock


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


def _nobody_there(server: Server) -> str:
    hint = "is the server running, and on this port? vLLM takes 8000 unless told otherwise"
    return f"{hint}; --base-url names another address{_from(server)}"


def _from(server: Server) -> str:
    source = server.limits.sources.get("base_url")
    return f" (this one comes from {source})" if source not in (None, "", "--base-url") else ""


def _tls_fault(server: Server, error: OSError) -> CannotConnectError:
    import ssl

    url = server.url.full()
    if isinstance(error, ssl.SSLCertVerificationError):
        return CannotConnectError(
            f"cannot trust {url}: {error.verify_message}",
            "give the authority that signed it with --ca-file FILE (or SSL_CERT_FILE); "
            "--insecure checks nothing",
        )
    if isinstance(error, ssl.SSLError) and error.reason in _PLAIN_HTTP:
        return CannotConnectError(
            f"{url} does not speak TLS",
            f"try http://{server.url.authority} instead of https://{server.url.authority}",
        )
    reason = getattr(error, "reason", None) or error.strerror or str(error)
    return CannotConnectError(f"no TLS connection to {url}: {reason}")
