"""Keeping what was said in the session of a request, and saying what that means."""

from typing import Any

from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.env import Environment
from vllmctl.render.notes import write_note
from vllmctl.request.file_paths import shown
from vllmctl.request.media import amount, weight
from vllmctl.request.sessions import Session
from vllmctl.verify.asked import choices_wanted


def store(session: Session, env: Environment) -> bool:
    """Write ``session``; return whether it kept its name, and say so to everybody if not."""
    name = session.name
    is_own = session.keep(env)
    if not is_own and session.path is not None:
        place = shown(session.path, env)
        told = f"session {name} has changed meanwhile and stays as it is"
        write_note(f"{told}; this conversation goes on as {session.name}, in {place}", env)
    return is_own


def keep(prepared: Prepared, messages: list[Any], given: Given, env: Environment) -> None:
    """Keep ``messages`` for the next turn, if there is a session.

    Says where when it is a new one, and what media weigh when some were added.
    """
    session = prepared.session
    if session is None:
        return
    is_new, weighed = not session.messages, weight(session.messages)
    session.take(messages)
    is_own = store(session, env)
    if given.has("quiet") or session.path is None:
        return
    answers = choices_wanted(prepared.request.body)
    if answers > 1:
        write_note(f"the conversation goes on with the first of the {answers} answers", env)
    if is_new and is_own:
        write_note(f"the conversation is kept in {shown(session.path, env)}", env)
    if weight(messages) > weighed:
        media = amount(weight(messages))
        write_note(f"it holds {media} of media, and each turn sends them again", env)
