"""The commands of an interactive chat: one table for dispatch, ``/help`` and completion."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from vllmctl.cli.helppage import HelpPage
from vllmctl.cli.interactive.asking import look
from vllmctl.cli.interactive.chat import Chat
from vllmctl.cli.interactive.listing import about, described, in_full, listed
from vllmctl.cli.interactive.setting import asks, assigned, more, names_of, with_unset, without
from vllmctl.cli.interactive.talk import text_of
from vllmctl.cli.keeping import store
from vllmctl.cli.page import Page
from vllmctl.errors import UsageError
from vllmctl.nearest import nearest
from vllmctl.record import replace
from vllmctl.request.paths import has
from vllmctl.request.sessions import is_cut, session_named


class Command(NamedTuple):
    """One command.

    ``takes`` is its argument as help shows it: empty for none, in brackets where it may be
    left out. ``offers`` names what TAB completes it with (see ``interactive.completing``).
    """

    name: str
    takes: str
    help: str
    run: Callable[[Chat, str], None]
    offers: str = ""


_PARTS = re.compile(r"(\S*)\s*(.*?)\s*\Z", re.S)


def run(chat: Chat, typed: str) -> None:
    """Do what ``typed``, which begins with a slash, says. Raises ``UsageError``."""
    name, argument = _PARTS.findall(typed)[0]
    command = BY_NAME.get(name)
    if command is None:
        near = nearest(name, BY_NAME)
        hint = f"did you mean {near}?" if near else "/help lists the commands"
        raise UsageError(f"no command {name}", f"{hint}\n/{name} … sends it as a message")
    if argument and not command.takes:
        raise UsageError(f"{name} takes nothing, got {argument!r}")
    if not argument and command.takes and not command.takes.startswith("["):
        raise UsageError(f"{name} wants {command.takes}", f"{name}: {command.help}")
    command.run(chat, argument)


def _set(chat: Chat, argument: str) -> None:
    name = asks(argument, chat.talk.given.specs)
    if argument and not name:
        chat.change(assigned(chat.talk, argument))
    elif name:
        found = about(name, chat.talk, chat.lines())
        chat.print(in_full(found) or [described(name, chat.talk)])
    else:
        chat.print(listed(chat.lines()) or ["nothing is set"])


def _unset(chat: Chat, name: str) -> None:
    if not about(name, chat.talk, chat.lines()):
        raise UsageError(f"{name} is not set")
    talk = without(chat.talk, name)
    left = look(talk, chat.line).request.body
    for path in names_of(name, talk.given.specs):
        if has(left, path):
            talk = with_unset(talk, path)
    chat.change(talk)
    for line in in_full(about(name, chat.talk, chat.lines())):
        chat.note(f"still {line}")


def _named(name: str) -> Callable[[Chat, str], None]:
    """Return what shows and sets one setting."""

    def run(chat: Chat, value: str) -> None:
        if value:
            chat.change(assigned(chat.talk, f"{name} {value}", f"/{name}"))
        else:
            _set(chat, name)

    return run


def _added(dest: str) -> Callable[[Chat, str], None]:
    """Return what adds to an option that repeats."""
    return lambda chat, value: chat.change(more(chat.talk, dest, value, f"/{dest}"))


def _model(chat: Chat, name: str) -> None:
    _named("model")(chat, name)
    if not name:
        from vllmctl.client.probe import served_models

        server, _ = chat.line.reach(look(chat.talk, chat.line).settings, chat.talk.given)
        chat.print([f"served: {', '.join(model.id for model in served_models(server))}"])


def _profile(chat: Chat, name: str) -> None:
    if name:
        _added("profile")(chat, name)
        return
    from vllmctl.request.profiles.listing import list_profiles

    taken = chat.talk.given.all("profile")
    rows = [row for row in list_profiles(chat.env) if not row.problem and not row.shadowed_by]
    marks = [f"{'*' if row.name in taken else ' '} {row.name}" for row in rows]
    lines = zip(marks, rows, strict=True)
    chat.print(_page(chat).rows((mark, row.description) for mark, row in lines))


def _retry(chat: Chat, _: str) -> None:
    chat.ask(chat.talk.again())


def _undo(chat: Chat, _: str) -> None:
    text = chat.talk.undo()
    chat.line.answer = None
    store(chat.talk.session, chat.env)
    chat.note(f"taken back: {_first_line(text)}")


def _clear(chat: Chat, _: str) -> None:
    place = chat.place()
    chat.talk.clear()
    chat.line.answer = None
    chat.note(f"a new conversation; the last one stays in {place}" if place else "a new one")


def _history(chat: Chat, _: str) -> None:
    messages, unanswered = chat.talk.session.messages, chat.talk.unanswered
    for message in messages:
        mark = " (cut)" if is_cut(message) else ""
        chat.print([_told(message), ""], f"{message.get('role')}{mark}")
    if unanswered is not None:
        chat.print([unanswered, ""], "user (not answered)")
    if not messages and unanswered is None:
        chat.print(["nothing was said yet"])


def _save(chat: Chat, name: str) -> None:
    session = session_named(name, chat.env)
    own = chat.talk.session
    if session.messages and session.path != own.path:
        hint = f"take another name; `vllmctl chat -i --session {name}` goes on with that one"
        raise UsageError(f"there is a session {name} already", hint)
    if session.path != own.path:
        chat.talk.session = replace(session, messages=own.messages)
    store(chat.talk.session, chat.env)
    chat.note(f"the conversation is kept in {chat.place()}")


def _body(chat: Chat, text: str) -> None:
    from vllmctl.cli.dry_run import show
    from vllmctl.cli.settling import tell

    given = chat.talk.given
    prepared = look(chat.talk, chat.line, text or chat.talk.unanswered)
    tell(prepared, given, chat.env)
    full = given.has("full")
    show(prepared, chat.env, verbose=given.has("verbose"), quiet=chat.is_quiet, full=full)


def _usage(chat: Chat, _: str) -> None:
    from vllmctl.render.stats import write_usage

    if chat.line.answer is None:
        raise UsageError("there is no answer yet")
    write_usage(chat.line.answer, chat.env)


def _help(chat: Chat, name: str) -> None:
    if name and not name.startswith("/"):
        name = f"/{name}"
    commands = [row for row in COMMANDS if name in ("", row.name)]
    if not commands:
        raise UsageError(f"no command {name}", "/help lists the commands")
    page = _page(chat)
    lines = page.rows((f"{row.name} {row.takes}".rstrip(), row.help) for row in commands)
    chat.print(lines if name else [*lines, "", *page.rows(_KEYS)])


def _exit(chat: Chat, _: str) -> None:
    chat.leaves = True


def _page(chat: Chat) -> HelpPage:
    return HelpPage(Page("", "", ()), (), chat.env)


def _told(message: dict[str, Any]) -> str:
    """Return the text of a message, and the calls of tools in it."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    told = [f"[{one['name']}({one['arguments']})]" for one in calls]
    return "\n".join(filter(None, [text_of(message).strip("\n"), *told]))


def _first_line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return first if len(first) <= 60 and not rest else f"{first[:59]}…"


COMMANDS = (
    Command("/set", "[NAME [VALUE]]", "Set any field or option; show it; list them", _set, "set"),
    Command("/unset", "NAME", "Take a field or option away again", _unset, "unset"),
    Command("/profile", "[NAME]", "Add a profile; list them", _profile, "profile"),
    Command("/model", "[NAME]", "Ask another model; show which there are", _model, "model"),
    Command("/system", "[TEXT|@FILE]", "Set or show the system message", _named("system")),
    Command("/file", "PATH", "Add a text file to the next message", _added("file"), "path"),
    Command("/image", "PATH|URL", "Show the model an image with it", _added("image"), "path"),
    Command("/attach", "PATH|URL", "Image, audio, video or text", _added("attach"), "path"),
    Command("/body", "[MESSAGE]", "Print the body that would be sent next", _body),
    Command("/retry", "", "Ask the last question again; the answer is replaced", _retry),
    Command("/undo", "", "Take the last question and its answer back", _undo),
    Command("/clear", "", "Begin a new conversation, with the same settings", _clear),
    Command("/history", "", "Print the conversation", _history),
    Command("/save", "NAME", "Keep the conversation as a session", _save),
    Command("/usage", "", "Tokens and times of the last answer", _usage),
    Command("/help", "[COMMAND]", "This list", _help, "command"),
    Command("/exit", "", "Leave", _exit),
)
"""In the order of ``/help``."""

_ALIASES = {"/quit": "/exit", "/bye": "/exit", "/?": "/help"}
"""What people type who come from elsewhere."""

_KEYS = (
    ("//text", "Send a text that begins with /"),
    ('"""', "Begin and end a text of several lines"),
    ("\\", "At the end of a line: one more line"),
    ("Alt-Enter", "One more line"),
    ("Ctrl-C", "Stop the answer; clear the line; twice: leave"),
    ("Ctrl-D", "Leave"),
)

BY_NAME = {row.name: row for row in COMMANDS}
BY_NAME |= {alias: BY_NAME[name] for alias, name in _ALIASES.items()}
