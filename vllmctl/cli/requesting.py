"""The main job: build a body, check it, then print or send it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from vllmctl.catalog.facts import Endpoint
from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared, prepare
from vllmctl.cli.settings import FORMATS, RUN_TOOLS
from vllmctl.cli.settling import settle, tell, tell_release
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.request.server.settings import Settings

if TYPE_CHECKING:
    from vllmctl.client.answer import Answer


def request(name: str, given: Given, env: Environment) -> int:
    """Do what ``vllmctl chat`` and ``vllmctl complete`` do; return the exit code."""
    output_format = given.format(FORMATS)
    runs_tools(given)
    if given.has("dry_run"):
        return _show(name, given, env, output_format)
    from vllmctl.cli.answer_files import answer_files
    from vllmctl.cli.sending import open_server, send
    from vllmctl.cli.serving import learning, make_sure, served_endpoint
    from vllmctl.client.probe import remembered_target

    files, opened = answer_files(given, env), []

    def probe(settings: Settings) -> Endpoint | None:
        opened.append(open_server(settings, "", given, env))
        return None if given.has("no_check") else served_endpoint(name, opened[0][0], env)

    prepared = prepare(name, given, env, output_format, probe)
    server, link = opened[0] if opened else open_server(prepared.settings, "", given, env)
    if not opened and not given.has("quiet"):
        tell_release(prepared, remembered_target(server, env), env)
    make_sure(prepared, server, env)
    settle(prepared, given, env, lambda: keep_profile(name, given, env))

    def exchange(prepared: Prepared, env: Environment) -> "Answer":
        files.begin(None)
        with learning(prepared, server, env):
            answer = send(prepared, server, link, given, env, begun=files.begin)
        files.is_taken = True
        return answer

    with files.written():
        prepared, answer = answered(prepared, given, files.env, exchange)
    if prepared.session is not None:
        from vllmctl.cli.keeping import keep
        from vllmctl.turns.conversation import finished

        keep(prepared, finished(prepared.request.body, answer[0]), given, env)
    return ExitCode.DONE


def _show(name: str, given: Given, env: Environment, output_format: str) -> int:
    from vllmctl.cli.dry_run import show

    prepared = prepare(name, given, env, output_format, lambda _: None)
    stopping = tell(prepared, given, env)
    keep_profile(name, given, env)
    show(
        prepared,
        env,
        verbose=given.has("verbose"),
        quiet=given.has("quiet"),
        full=given.has("full"),
    )
    return ExitCode.USAGE if stopping else ExitCode.DONE


def answered(
    prepared: Prepared,
    given: Given,
    env: Environment,
    exchange: Callable[[Prepared, Environment], "Answer"],
) -> tuple[Prepared, "Answer"]:
    """Return the last request and its answer; ``exchange`` sends one and writes its answer."""
    if not runs_tools(given):
        return prepared, exchange(prepared, env)
    from vllmctl.cli.turning import converse, turns

    how = turns(prepared, given, env, exchange, lambda p: settle(p, given, env))
    return converse(prepared, how)


def runs_tools(given: Given) -> bool:
    """Whether tools are run. Raises ``UsageError`` for a command that nothing would run."""
    runs = given.one_of("run_tools", RUN_TOOLS, "never") != "never"
    if not runs and given.has("tool_command"):
        raise UsageError("--tool-command runs nothing by itself", "add --run-tools ask or auto")
    return runs


def keep_profile(name: str, given: Given, env: Environment) -> None:
    """Save the profile that --save-profile names, if it does."""
    profile = given.last("save_profile")
    if profile is not None:
        from vllmctl.cli.profiles.save import save_profile, tell

        tell(save_profile(profile, given, env, name), env)
