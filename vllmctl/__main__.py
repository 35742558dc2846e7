"""The entry point and the one error boundary: exception → message → exit code."""

import os
import sys
from typing import TYPE_CHECKING

from vllmctl import __version__
from vllmctl.errors import VllmctlError
from vllmctl.exitcodes import ExitCode

if TYPE_CHECKING:
    from vllmctl.env import Environment


def main() -> None:
    """Run the command line of this process and exit with its code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        print(f"vllmctl {__version__}")  # noqa: T201 - the one result of this short path
        raise SystemExit(ExitCode.DONE)
    raise SystemExit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit code; every fault becomes a message here."""
    try:
        return _dispatch(arguments)
    except VllmctlError as fault:
        _tell(fault.message, fault.hint)
        return fault.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n" if sys.stderr.isatty() else "")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return ExitCode.DONE
    except Exception as fault:
        return _unexpected(fault)


def _dispatch(arguments: list[str]) -> int:
    from vllmctl.cli.commands import BY_TYPER, COMMANDS
    from vllmctl.env import Environment

    env = Environment.of_process()
    if not arguments or arguments in (["--help"], ["-h"]):
        from vllmctl.cli.rootpage import root_help

        env.stdout.write(root_help(env))
        code: int = ExitCode.DONE if arguments else ExitCode.USAGE
    elif arguments[0] == "__complete":
        code = _complete(arguments[1:], env)
    elif arguments[0] in COMMANDS and arguments[0] not in BY_TYPER:
        from importlib import import_module

        module = import_module(COMMANDS[arguments[0]][0])
        code = module.command().main(arguments[1:], env)
    else:
        code = _by_typer(arguments, env)
    env.stdout.flush()
    return code


def _by_typer(arguments: list[str], env: "Environment") -> int:
    from typer._click.exceptions import ClickException
    from typer.exceptions import Abort

    from vllmctl.cli.app import root

    try:
        code = root().main(arguments, "vllmctl", standalone_mode=False, obj=env)
    except ClickException as fault:
        _tell(fault.format_message().rstrip("."), "")
        return ExitCode.USAGE
    except Abort:
        return ExitCode.INTERRUPTED
    return code if isinstance(code, int) else ExitCode.DONE


def _complete(words: list[str], env: "Environment") -> int:
    """Answer the shell's question; whatever goes wrong, a prompt must not be disturbed."""
    from vllmctl.cli.completing import candidates

    try:
        offered = candidates(words, env)
    except VllmctlError:
        offered = []
    env.stdout.write("".join(f"{value}\t{help}\n" for value, help in offered))
    return ExitCode.DONE


def _tell(message: str, hint: str) -> None:
    sys.stderr.write(f"error: {message}\n")
    for line in hint.splitlines():
        label = "" if line.startswith("request id ") else "hint: "
        sys.stderr.write(f"  {label}{line}\n")


def _unexpected(fault: Exception) -> int:
    if os.environ.get("VLLMCTL_TRACEBACK"):
        raise fault
    _tell(
        f"unexpected {type(fault).__name__}: {fault}",
        "this is a fault of vllmctl; VLLMCTL_TRACEBACK=1 shows where",
    )
    return ExitCode.UNEXPECTED


def _silence_stdout() -> None:
    """Keep the interpreter from complaining when it flushes the closed pipe at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
