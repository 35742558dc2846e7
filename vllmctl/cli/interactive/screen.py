"""Reading what a person types on a terminal, with prompt_toolkit."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TextIO

from vllmctl.cli.interactive.brake import Deferred
from vllmctl.cli.interactive.chat import Chat
from vllmctl.cli.interactive.completing import offered
from vllmctl.cli.interactive.history import History
from vllmctl.cli.interactive.lines import continues, is_open
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.render.cells import shortened

try:
    from prompt_toolkit import PromptSession, history
    from prompt_toolkit.application import get_app
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.output import ColorDepth, Output, create_output
    from prompt_toolkit.styles import Style
except ImportError as fault:
    raise UsageError(
        "an interactive chat on a terminal needs the package prompt_toolkit",
        "pip install 'vllm-request[repl]'; without it, lines may be piped in",
    ) from fault

_PLAIN = {"bottom-toolbar": "noreverse", "bottom-toolbar.text": "noreverse"}
_STYLE = {**_PLAIN, "prompt": "bold", "bottom-toolbar.text": "noreverse fg:ansibrightblack"}
_LEAVING = "Ctrl-C again leaves"
_ROOM_FOR_CANDIDATES = 6


class Screen:
    """Asks for one message after the other, on the terminal or on ``output``."""

    def __init__(self, chat: Chat, output: Output | None = None) -> None:
        self._chat = chat
        self._is_leaving = False
        colored = chat.env.uses_color(chat.env.stderr)
        self._session: PromptSession[str] = PromptSession(
            [("class:prompt", "> ")],
            multiline=True,
            prompt_continuation="  ",
            history=_Kept(History(chat.env)),
            completer=_Completer(chat),
            complete_while_typing=False,
            reserve_space_for_menu=_ROOM_FOR_CANDIDATES,
            key_bindings=self._keys(),
            bottom_toolbar=self._toolbar,
            style=Style.from_dict(_STYLE if colored else _PLAIN),
            color_depth=None if colored else ColorDepth.DEPTH_1_BIT,
            enable_suspend=True,
            enable_open_in_editor=True,
            output=output or _output(chat.env),
        )

    def read(self) -> str | None:
        """Return what is typed next, or ``None`` when the person leaves."""
        self._is_leaving = False
        try:
            with Deferred(self._end) as signal:
                return self._session.prompt(pre_run=signal.check)
        except EOFError:
            return None

    def _end(self) -> None:
        """End the prompt from within a signal, so that the terminal is put in order."""
        app = self._session.app
        if app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(partial(app.exit, exception=EOFError))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("enter")(_end_line)
        keys.add("escape", "enter")(_new_line)
        keys.add("c-c")(self._interrupt)
        keys.add("<sigint>")(self._interrupt)
        return keys

    def _interrupt(self, event: KeyPressEvent) -> None:
        """Clear the line; where there is none and the key was pressed before, leave."""
        if self._is_leaving and not event.current_buffer.text:
            event.app.exit(exception=EOFError)
            return
        self._is_leaving = True
        event.current_buffer.reset()

    def _toolbar(self) -> str:
        chat = self._chat
        usage = (chat.line.answer.usage if chat.line.answer else None) or {}
        tokens = usage.get("total_tokens")
        waiting = [text for texts in chat.talk.waiting.values() for text in texts]
        parts = [
            chat.talk.given.last("field_model") or chat.line.model,
            f"{tokens} tokens" if isinstance(tokens, int) else "",
            f"with {', '.join(waiting)}" if waiting else "",
        ]
        if self._is_leaving:
            parts = [_LEAVING]
        text = " · ".join(filter(None, parts))
        return shortened(text, get_app().output.get_size().columns - 1)


def _end_line(event: KeyPressEvent) -> None:
    """Send what is typed, unless it asks for another line."""
    buffer = event.current_buffer
    if buffer.document.is_cursor_at_the_end and continues(buffer.text):
        buffer.delete_before_cursor()
        buffer.insert_text("\n")
    elif is_open(buffer.text):
        buffer.insert_text("\n")
    else:
        buffer.validate_and_handle()


def _new_line(event: KeyPressEvent) -> None:
    event.current_buffer.insert_text("\n")


def _output(env: Environment) -> Output:
    """The prompt is no answer: it goes to stderr, if that is a terminal."""
    shown = (stream for stream in (env.stderr, env.stdout) if env.is_terminal(stream))
    stream: TextIO = next(shown, None) or open("/dev/tty", "w", encoding="utf-8")  # noqa: PTH123, SIM115
    return create_output(stream)


class _Completer(Completer):
    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def get_completions(self, document: Document, _: CompleteEvent) -> Iterable[Completion]:
        word, found = offered(document.text_before_cursor, self._chat.talk, self._chat.env)
        for value, help in found:
            if value.isprintable():
                yield Completion(value, -len(word), display_meta=help)


class _Kept(history.History):
    """Entries as prompt_toolkit wants them."""

    def __init__(self, kept: History) -> None:
        super().__init__()
        self._kept = kept

    def load_history_strings(self) -> Iterator[str]:
        """Yield the entries, the latest first."""
        return reversed(self._kept.entries())

    def store_string(self, string: str) -> None:
        """Keep one more."""
        self._kept.add(string)
