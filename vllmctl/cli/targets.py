"""Which release, or which server, a command speaks of."""

from vllmctl.catalog.target import SERVER, Target, newest, parse_target
from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.fields.sugar import CHAT
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.server.settings import Setting, merged, of_environment


def asked_target(given: Given, env: Environment) -> Target:
    """Return the target that is named, the newest release if none is.

    Raises what a server that cannot be asked, or a release that never was, raises.
    """
    setting = named_target(given, env)
    return target_of(setting, given, env) if setting else newest()


def target_of(setting: Setting, given: Given, env: Environment) -> Target:
    """Return the release, or the server, that ``setting`` names; raises as ``asked_target``."""
    if setting.value != SERVER:
        return told_target(str(setting.value), str(setting.origin), env)
    from vllmctl.cli.serving import the_server

    return the_server(given, env)


def named_target(given: Given, env: Environment) -> Setting | None:
    """Return the target that flags, the environment or a configuration name.

    Who names a server on the command line asks about that server.
    """
    named = given.last("target")
    if named is not None:
        return Setting(named, Origin("flag", given.name_of("target")))
    if given.has("base_url"):
        return Setting(SERVER, Origin("flag", given.name_of("base_url")))
    return merged(resolve([], CHAT, env).server, of_environment(env)).get("target")


def told_target(text: str, origin: str, env: Environment) -> Target:
    """Return the target that ``text``, given by ``origin``, names; say so if another stands in."""
    return tell_target(parse_target(text, origin), env)


def tell_target(target: Target, env: Environment) -> Target:
    """Return ``target``, and say so if it stands in for another release."""
    if target.notice:
        from vllmctl.render.notes import write_note

        write_note(target.notice, env)
    return target
