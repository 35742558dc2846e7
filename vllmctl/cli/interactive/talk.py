"""What an interactive chat is at one moment: how it is asked, what was said, what waits.

Nothing here reads, prints or sends.
"""

from typing import Any

from vllmctl.cli.given import Given
from vllmctl.errors import UsageError
from vllmctl.record import Record, field, replace
from vllmctl.request.sessions import Session

ONCE = ("file", "image", "audio", "video", "attach", "message", "prefill")
"""Options that belong to one message; they wait for it, and are gone once it is answered."""

_START = ("prompt", "session", "continue", "save_profile")
"""What is done with when the talk begins."""

_OPENING = "field_messages"
"""Sets how the conversation begins; what was said since is not thrown away by it."""


class Turn(Record, frozen=True):
    """One request: how it is asked, and what was said before."""

    given: Given
    session: Session


class Talk(Record):
    """The conversation, and everything that shapes the next request.

    ``given`` holds for every message, ``waiting`` (by ``OptionSpec.dest``) goes with the next
    one. ``unanswered`` is the message that was said last, if nothing came back; ``prefill`` is
    what the last answer was begun with.
    """

    given: Given
    waiting: dict[str, Any] = field(factory=dict)
    session: Session = field(factory=Session)
    unanswered: str | None = None
    prefill: list[str] = field(factory=list)

    @classmethod
    def begin(cls, given: Given, session: Session) -> "Talk":
        """Return the talk that the flags of ``vllmctl chat`` and a session start.

        Messages that are given take the place of the session's, as they do in one request.
        """
        values = {dest: value for dest, value in given.values.items() if dest not in _START}
        waiting = {dest: values.pop(dest) for dest in ONCE if dest in values}
        if _opens(given):
            session = replace(session, messages=[])
        return cls(replaced(given, values), waiting, session)

    def turn(self, text: str | None) -> Turn:
        """Return the request that says ``text``, or for ``None`` nothing new."""
        said = {"prompt": [] if text is None else [text]}
        return Turn(replaced(self.given, {**self._lasting(), **self.waiting, **said}), self.session)

    def again(self) -> Turn:
        """Return the request that asks the last question once more.

        Where the results of tools wait for an answer, it is they that are sent again. Raises
        ``UsageError`` when nothing was asked.
        """
        if self.unanswered is not None:
            return self.turn(self.unanswered)
        messages, place = self.session.messages, self._last_question()
        asked = messages if messages[-1].get("role") == "tool" else messages[: place + 1]
        values = {**self._lasting(), "prompt": [], "prefill": self.prefill}
        return Turn(replaced(self.given, values), replace(self.session, messages=asked))

    def answered(self, turn: Turn) -> None:
        """Go on from the session of ``turn``, in which what was said has been answered."""
        self.session, self.unanswered, self.waiting = turn.session, None, {}
        self.prefill = turn.given.all("prefill")

    def undo(self) -> str:
        """Take back the last thing said, and its answer; return what it was.

        Raises ``UsageError`` when nothing was said.
        """
        if self.unanswered is not None:
            text, self.unanswered = self.unanswered, None
            return text
        place = self._last_question()
        text = text_of(self.session.messages[place])
        self.session.messages, self.prefill = self.session.messages[:place], []
        return text

    def clear(self) -> None:
        """Begin anew; a session that was kept stays as it is, and is left."""
        self.session, self.waiting, self.unanswered, self.prefill = Session(), {}, None, []

    def _lasting(self) -> dict[str, Any]:
        """The settings without those that open a conversation which has begun."""
        values = self.given.values
        if not self.session.messages or not _opens(self.given):
            return values
        kept = [text for text in self.given.all("option") if not _is_opening(text)]
        return {d: kept if d == "option" else v for d, v in values.items() if d != _OPENING}

    def _last_question(self) -> int:
        messages = self.session.messages
        for place in range(len(messages) - 1, -1, -1):
            if messages[place].get("role") == "user":
                return place
        raise UsageError("nothing was said yet")


def replaced(given: Given, values: dict[str, Any]) -> Given:
    """Return ``given`` with other values; each keeps the name by which it was set."""
    return Given(values, given.specs, given.typed)


def has_system(session: Session) -> bool:
    """Whether the conversation begins with a system message."""
    return bool(session.messages) and session.messages[0].get("role") == "system"


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a message, and a word for each other part of it."""
    content = message.get("content")
    if not isinstance(content, list):
        return str(content or "")
    parts = (part if isinstance(part, dict) else {"text": str(part)} for part in content)
    return "\n".join(str(part.get("text") or f"[{part.get('type')}]") for part in parts)


def _opens(given: Given) -> bool:
    return given.has(_OPENING) or any(map(_is_opening, given.all("option")))


def _is_opening(option: str) -> bool:
    return option.partition("=")[0].rstrip(": ") == "messages"
