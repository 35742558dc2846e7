"""The entry point and the one error boundary: exception → message → exit code.

Nothing is imported at the top but what the interpreter has loaded already: whoever presses
Ctrl-C while a program starts shall see no traceback either.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from vllmctl.env import Environment

_MANY = 50_000
"""Objects made until the first look for garbage: more than a short command ever makes."""


def main() -> "NoReturn":
    """Run the command line of this process and exit with its code."""
    try:
        import gc

        from vllmctl.interrupts import leave_at_once, raise_once

        leave_at_once()
    except KeyboardInterrupt:
        os._exit(130)
    from vllmctl.streams import open_missing

    open_missing()
    gc.set_threshold(_MANY)
    try:
        raise_once()
        code = run(sys.argv[1:])
        leave_at_once()
    except KeyboardInterrupt as fault:
        code = _interrupted(fault)
    gc.freeze()  # the system takes all of it back at once; no need to look through it
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit code; every fault becomes a message here."""
    from vllmctl.errors import VllmctlError
    from vllmctl.exitcodes import ExitCode
    from vllmctl.streams import discreet

    stderr = discreet(sys.stderr)
    code: int = ExitCode.DONE
    try:
        code = _dispatch(arguments, stderr)
        sys.stdout.flush()
    except VllmctlError as fault:
        _tell(fault.message, fault.hint, stderr)
        code = fault.exit_code
    except KeyboardInterrupt as fault:
        stderr.write("\ninterrupted\n" if stderr.isatty() else "")
        return _interrupted(fault)
    except BrokenPipeError:
        _drop_stdout()
    except OSError as fault:
        code = _refused_by_system(fault, stderr)
    except Exception as fault:
        code = _unexpected(fault, stderr)
    return code


def _dispatch(arguments: list[str], stderr: "TextIO") -> int:
    if arguments in (["--version"], ["-V"]):
        from vllmctl import __version__

        sys.stdout.write(f"vllmctl {__version__}\n")
        return 0
    from vllmctl.cli.commands import COMMANDS, GROUPS
    from vllmctl.env import Environment

    env = Environment.of_process(stderr)
    if arguments[:1] == ["help"]:
        arguments = [*(word for word in arguments if word != "help"), "--help"]
    if not arguments or arguments in (["--help"], ["-h"]):
        from vllmctl.cli.grouppage import ROOT, group_help

        if not arguments:  # nobody asked for the page, so it is no result
            env.stdout = env.stderr
        env.stdout.write(f"{group_help(ROOT, COMMANDS, env)}\n")
        return 0 if arguments else 2
    if arguments[0] == "__complete":
        return _complete(arguments[1:], env)
    if arguments[0] in COMMANDS and arguments[0] not in GROUPS:
        from importlib import import_module

        module = import_module(COMMANDS[arguments[0]][0])
        code: int = module.command().main(arguments[1:], env)
        return code
    return _by_typer(arguments, env)


_ORDER = "options stand behind it: vllmctl COMMAND [OPTIONS]"


def _by_typer(arguments: list[str], env: "Environment") -> int:
    from typer import Abort, Exit
    from typer._click.exceptions import ClickException, NoArgsIsHelpError, NoSuchOption

    from vllmctl.cli.app import root
    from vllmctl.exitcodes import ExitCode

    command = root()
    try:  # not through Click's ``main``, which has its own mind about a closed pipe
        with command.make_context("vllmctl", list(arguments), obj=env) as context:
            code = command.invoke(context)
    except Exit as ending:
        return ending.exit_code
    except NoArgsIsHelpError as fault:
        env.stderr.write(fault.format_message() + "\n")
        return 2
    except NoSuchOption as fault:
        _tell(f"no option {fault.option_name} before a command", _ORDER, env.stderr)
        return ExitCode.USAGE
    except ClickException as fault:
        _tell(fault.format_message().rstrip("."), "", env.stderr)
        return ExitCode.USAGE
    except Abort:
        return ExitCode.INTERRUPTED
    return code if isinstance(code, int) else ExitCode.DONE


def _complete(words: list[str], env: "Environment") -> int:
    """Answer the shell's question; whatever goes wrong, a prompt must not be disturbed."""
    from vllmctl.cli.completing import candidates
    from vllmctl.errors import VllmctlError

    try:
        offered = candidates(words, env)
    except VllmctlError:
        offered = []
    # what files and servers call themselves must not control the terminal of the shell
    lines = [f"{value}\t{help}\n" for value, help in offered if value.isprintable()]
    env.stdout.write("".join(lines))
    return 0


def _tell(message: str, hint: str, stderr: "TextIO") -> None:
    from vllmctl.render.notes import write_fault

    write_fault(message, hint, stderr)


def _interrupted(fault: KeyboardInterrupt) -> int:
    from vllmctl.exitcodes import ExitCode

    return getattr(fault, "exit_code", ExitCode.INTERRUPTED)


def _refused_by_system(fault: OSError, stderr: "TextIO") -> int:
    """Tell a fault of this machine: a disk that is full, a file that has gone."""
    if fault.strerror is None:
        return _unexpected(fault, stderr)
    what = f"cannot use {fault.filename}" if fault.filename else "cannot write the output"
    _tell(f"{what}: {fault.strerror}", "", stderr)
    _drop_stdout()
    return 1


def _unexpected(fault: Exception, stderr: "TextIO") -> int:
    if os.environ.get("VLLMCTL_TRACEBACK"):
        from traceback import print_exception

        print_exception(fault, file=stderr)
    elif isinstance(fault, RecursionError):
        _tell("what was given nests too deeply", "", stderr)
        return 2
    elif isinstance(fault, MemoryError):
        _tell("there is not enough memory for this", "", stderr)
    else:
        _tell(
            f"unexpected {type(fault).__name__}: {fault}",
            "this is a fault of vllmctl; VLLMCTL_TRACEBACK=1 shows where",
            stderr,
        )
    return 1


def _drop_stdout() -> None:
    """Keep the interpreter from complaining when it flushes what could not be written."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


if __name__ == "__main__":
    main()
