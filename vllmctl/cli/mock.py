"""``vllmctl mock``: a vLLM stand-in on this machine."""

import signal
from types import FrameType

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import HELP, row
from vllmctl.cli.targets import tell_target
from vllmctl.counts import count_in
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec

_PAGE = Page(
    usage="vllmctl mock [OPTIONS]",
    summary="Serve a vLLM stand-in on 127.0.0.1: it refuses, ignores and alters requests as the "
    "real server of the target does, and answers in its shapes. The line on stdout says when "
    "it is ready, and its URL; Ctrl-C ends it.",
    examples=(
        "vllmctl mock --port 8000",
        "vllmctl mock --reply lorem --ttft 200ms --tps 50 --jitter 0.2",
        "vllmctl mock --fault stall=2:0.5 --fault cut-rst:0.1",
        "vllmctl mock --target vllm==0.10.2 --api-key secret",
    ),
)

_ANSWER, _SERVER, _FAULTS = Group.RETURNS, Group.CONNECTION, Group.CHECKS
_ANSWERS = (
    ("--reply", "TEXT|@FILE|echo|lorem", "What is answered"),
    ("--reasoning", "TEXT|@FILE", "What is thought before; '' for a model that does not think"),
    ("--ttft", "TIME", "The time to the first token: 200ms, 1.5s"),
    ("--tps", "N", "Tokens a second after it"),
    ("--jitter", "SHARE", "How much the times differ, 0 to 1"),
    ("--seed", "N", "Make chance repeat itself, for requests without a seed"),
    ("--record", "DIR", "Serve these recorded exchanges first"),
)
_SERVERS = (
    ("--port", "N", "The port (8000; 0 takes a free one)"),
    ("--api-key", "KEY", "Ask for this key"),
    ("--model", "NAME", "The model's name (mock); repeat it for aliases"),
    ("--max-model-len", "N", "The longest prompt and answer together (32768)"),
)
_OPTIONS: tuple[OptionSpec, ...] = (
    *(row(*one, group=_ANSWER, common=True) for one in _ANSWERS),
    *(row(*one, group=_SERVER, common=True) for one in _SERVERS),
    row(
        "--target",
        "vllm==RELEASE",
        "The release to stand in for",
        _SERVER,
        common=True,
        offers="vllm",
    ),
    row(
        "--fault",
        "KIND[=VALUE][:RATE]",
        "Do this wrong; repeat it",
        _FAULTS,
        common=True,
        offers="fault",
    ),
    row("--list-faults", "", "The kinds of faults, and what they do", _FAULTS, common=True),
    *HELP[:1],
)
_OWN = ("port", "list_faults", "help")
_DEFAULT_PORT = 8000


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("mock", _PAGE, _OPTIONS, _run)


def _run(given: Given, env: Environment) -> int:
    if given.has("list_faults"):
        env.stdout.write(_fault_list())
        return ExitCode.DONE
    given.no_words("mock")
    return _serve(given, env)


def _serve(given: Given, env: Environment) -> int:
    from vllmctl.mock.options import read_options
    from vllmctl.mock.server import MockServer

    settings = {spec.dest: given.all(spec.dest) for spec in _OPTIONS if spec.dest not in _OWN}
    options = read_options({n: texts for n, texts in settings.items() if texts}, given.name_of)
    tell_target(options.target, env)
    server = MockServer(options, port=_port(given.last("port")))
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        env.stdout.write(f"ready: {server.url}\n")
        env.stdout.flush()
        env.stderr.write(
            f"a mock of {options.target} serves {', '.join(options.models)}; Ctrl-C ends it\n"
        )
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return ExitCode.DONE


def _port(text: str | None) -> int:
    if text is None:
        return _DEFAULT_PORT
    port = count_in(text)
    if port is None or port > 65535:
        raise UsageError(f"--port: {text!r} is not a port; 0 takes a free one")
    return port


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _fault_list() -> str:
    from vllmctl.mock.faults import KINDS

    shown = {name: f"{name}={kind.unit}" if kind.unit else name for name, kind in KINDS.items()}
    width = max(map(len, shown.values()))
    return "".join(
        f"{shown[name]:{width}}  {kind.help}{f' ({kind.default})' if kind.default else ''}\n"
        for name, kind in KINDS.items()
    )
