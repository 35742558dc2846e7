"""``--dry-run``: the body on stdout, and with ``-v`` everything around it on stderr.

It is the exact body, but for base64 data, which is shortened unless all is asked for.
"""

from vllmctl.cli.preparing import Prepared
from vllmctl.env import Environment
from vllmctl.render.body import as_text, shortened
from vllmctl.render.notes import write_note
from vllmctl.render.terminal import guarded


def show(prepared: Prepared, env: Environment, *, verbose: bool, quiet: bool, full: bool) -> None:
    """Print the body of ``prepared``; nothing is sent and no command is started."""
    if verbose:
        from vllmctl.client.url import DEFAULT_BASE_URL, parse_server_url
        from vllmctl.render.preview import write_preview
        from vllmctl.request.server.connection import connection

        link = connection(prepared.settings, env, dry_run=True)
        base = parse_server_url(link.base_url or DEFAULT_BASE_URL)
        for notice in filter(None, (*link.notices, base.notice)):
            write_note(notice, env)
        url = base.full(prepared.request.endpoint.path)
        write_preview(prepared.request, link, url, env, release="the newest known")
    if not quiet and "model" not in prepared.request.body:
        write_note("no model is named; when sending, the server's only one is", env)
    body, cut = (prepared.request.body, 0) if full else shortened(prepared.request.body)
    guarded(env.stdout, env).write(as_text(body))
    if cut:
        # even when quiet: what is printed here is not what would be sent
        write_note("base64 data is shortened; --full prints all of it", env)
