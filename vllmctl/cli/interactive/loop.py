"""The loop of ``vllmctl chat --interactive``: read, do, say what went wrong, go on.

On a terminal prompt_toolkit reads, and Ctrl-C stops an answer and not the program. Where
standard input is no terminal its lines are the messages, so that a chat can be scripted; so
they are on a terminal that knows no more than lines.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from vllmctl.cli.given import Given
from vllmctl.cli.interactive.asking import Line, open_talk
from vllmctl.cli.interactive.brake import Brake
from vllmctl.cli.interactive.chat import Chat, require_sound
from vllmctl.cli.interactive.commands import run
from vllmctl.cli.interactive.lines import messages, unwrapped
from vllmctl.cli.interactive.talk import Talk
from vllmctl.cli.interactive.terminal import unechoed, whole_lines
from vllmctl.cli.preparing import session_of
from vllmctl.cli.requesting import keep_profile
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.sugar import CHAT
from vllmctl.interrupts import Interrupted
from vllmctl.record import replace
from vllmctl.request.build import require_one
from vllmctl.request.messages import Words, prompts_of
from vllmctl.request.sessions import Session
from vllmctl.request.sources import Sources, decode

_FLAG = "--interactive"
_PROMPT = "> "

Read = Callable[[], str | None]
"""Returns what is typed next, or ``None`` at the end."""
Step = Callable[[], None]


def interact(given: Given, env: Environment) -> int:
    """Talk until there is nothing more to say; return the exit code.

    Raises ``UsageError`` for flags that cannot be sent, or that make no sense turn by turn.
    """
    require_sound(given)
    env = replace(env, stdout=whole_lines(env.stdout, env))
    chat = Chat(Talk.begin(given, session_of(given, env) or Session()), Line(env), env)
    by_person = env.stdin is not None and not env.stdin_is_piped
    read = _reader(chat) if by_person and not env.is_dumb else _script(env, by_person)
    first = _first_message(given, env)
    open_talk(chat.talk, chat.line, first, asks=not by_person)
    keep_profile(CHAT, given, env)
    if not by_person:
        return _talk(_steps(chat, first, read), chat, None)
    chat.greet()
    with Brake() as brake:
        _talk(_steps(chat, first, read), chat, brake)
    return ExitCode.DONE


def _steps(chat: Chat, first: str | None, read: Read) -> Iterator[Step]:
    """Yield what is to be done: the first message is said, then what is typed is done."""
    if first is not None:
        yield partial(chat.say, first)
    while not chat.leaves and (typed := read()) is not None:
        yield partial(_do, typed, chat)


def _talk(steps: Iterable[Step], chat: Chat, brake: Brake | None) -> int:
    """Do all of ``steps``, and return the exit code of the first that failed."""
    code = 0
    for step in steps:
        try:
            with _watched(chat, brake):
                step()
        except VllmctlError as fault:
            chat.tell_fault(fault)
            code = code or fault.exit_code
        except Interrupted as fault:
            if brake is None or fault.exit_code != ExitCode.INTERRUPTED:
                raise
            chat.tell_stopped(fault)
    return code


@contextmanager
def _watched(chat: Chat, brake: Brake | None) -> Iterator[None]:
    """For a person: let Ctrl-C stop what is done, and keep what is typed meanwhile for later."""
    if brake is None:
        yield
        return
    with unechoed(chat.env), brake.stoppable():
        yield


def _do(typed: str, chat: Chat) -> None:
    text = unwrapped(typed).strip("\n")
    if "\n" not in text and text.lstrip().startswith("/"):
        text = text.strip()
    if text.startswith("/") and not text.startswith("//"):
        run(chat, text)
    elif text.strip():
        chat.say(text[1:] if text.startswith("//") else text)


def _first_message(given: Given, env: Environment) -> str | None:
    """Return the message of the command line, what it points to read."""
    sources = Sources(env)
    sources.leave_stdin(_FLAG)
    said = prompts_of(Words(prompts=given.all("prompt")), sources, wanted=False)
    require_one(said)
    return said[0].text if said else None


def _reader(chat: Chat) -> Read:
    from vllmctl.cli.interactive.screen import Screen

    return Screen(chat).read


def _script(env: Environment, by_person: bool) -> Read:
    said = messages(_lines(env, _PROMPT if by_person else ""))
    return lambda: next(said, None)


def _lines(env: Environment, prompt: str) -> Iterator[str]:
    while env.stdin is not None:
        env.stderr.write(prompt)
        env.stderr.flush()
        raw = env.stdin.readline()
        if not raw:
            return
        yield decode(raw, "standard input").rstrip("\r\n")
