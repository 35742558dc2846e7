"""Which release, or which server, a command speaks of."""

from vllmctl.catalog.target import SERVER, Target, parse_target
from vllmctl.cli.given import Given
from vllmctl.env import Environment


def asked_target(given: Given, env: Environment) -> Target:
    """Return the target that ``--target`` names, the newest release if none.

    Raises what a server that cannot be asked, or a release that never was, raises.
    """
    named = given.last("target") or "vllm"
    if named != SERVER:
        return told_target(named, given.name_of("target"), env)
    from vllmctl.cli.serving import the_server

    return the_server(given, env)


def told_target(text: str, origin: str, env: Environment) -> Target:
    """Return the target that ``text``, given by ``origin``, names; say so if another stands in."""
    return tell_target(parse_target(text, origin), env)


def tell_target(target: Target, env: Environment) -> Target:
    """Return ``target``, and say so if it stands in for another release."""
    if target.notice:
        from vllmctl.render.notes import write_note

        write_note(target.notice, env)
    return target
