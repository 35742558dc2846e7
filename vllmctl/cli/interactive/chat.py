"""An interactive chat as its commands see it: they change it, look at it and talk in it."""

from collections.abc import Iterable

from vllmctl.cli.given import Given
from vllmctl.cli.interactive.asking import ANY_WORDS, Line, ask, look
from vllmctl.cli.interactive.listing import Line as Listed
from vllmctl.cli.interactive.listing import differences, lines_of
from vllmctl.cli.interactive.setting import require_talkable
from vllmctl.cli.interactive.talk import Talk, Turn
from vllmctl.cli.interactive.terminal import end_line, set_apart
from vllmctl.cli.preparing import Prepared
from vllmctl.cli.requesting import runs_tools
from vllmctl.cli.settings import COLORS
from vllmctl.cli.settling import counted, stops, tell
from vllmctl.cli.together import require_agreement
from vllmctl.env import Environment
from vllmctl.errors import UsageError, VllmctlError
from vllmctl.record import replace
from vllmctl.render.findings import write_findings
from vllmctl.render.notes import write_fault, write_note
from vllmctl.render.words import Words
from vllmctl.request.file_paths import shown

_KEPT = "what came is kept; /retry asks again"
_LOST = "/retry sends it again"


class Chat:
    """The talk, the way to the server, and where words to the person go."""

    def __init__(self, talk: Talk, line: Line, env: Environment) -> None:
        self.talk = talk
        self.line = line
        self.env = env
        self.leaves = False

    @property
    def is_quiet(self) -> bool:
        """Whether notes are unwanted."""
        return self.talk.given.has("quiet")

    def say(self, text: str) -> None:
        """Send ``text`` and write the answer. Raises whatever sending raises."""
        self.talk.unanswered = text
        self.ask(self.talk.turn(text))

    def ask(self, turn: Turn) -> None:
        """Send ``turn`` and write the answer."""
        before = self.talk.session.messages
        try:
            ask(self.talk, turn, self.line)
        except (VllmctlError, KeyboardInterrupt) as fault:
            kept = self.talk.session.messages is not before
            fault.add_note(_KEPT if kept else _LOST)
            raise
        finally:
            end_line(self.env)
        set_apart(self.env)

    def place(self) -> str:
        """Return the file of the conversation as it is shown."""
        path = self.talk.session.path
        return shown(path, self.env) if path else ""

    def change(self, talk: Talk) -> None:
        """Have ``talk`` from now on, and say what is different.

        Raises ``UsageError`` when it cannot be sent as it is meant; all stays as it was then.
        """
        require_sound(talk.given)
        before, after = self._now(), look(talk, self.line, ANY_WORDS)
        known = set(map(repr, before.findings)) if before else set()
        after = replace(after, findings=[f for f in after.findings if repr(f) not in known])
        stopping = [finding for finding in after.findings if stops(finding, talk.given)]
        if stopping:
            write_findings(stopping, after.request.origins, self.env)
            raise UsageError(f"not kept: {counted(stopping)}")
        lines = lines_of(self.talk, before) if before else {}
        self.talk = talk
        self.env.color = talk.given.one_of("color", COLORS, "auto")
        tell(after, talk.given, self.env, self.line.told)
        self._tell_changes(lines, lines_of(talk, after))

    def lines(self) -> dict[str, Listed]:
        """Return everything that is set."""
        return lines_of(self.talk, look(self.talk, self.line, ANY_WORDS))

    def greet(self) -> None:
        """Say where the person is, in one line."""
        said = len(self.talk.session.messages)
        if said and not self.is_quiet:
            self._tell([f"{said} messages so far; /history shows them"])
        if not self.is_quiet:
            self._tell(["/help lists the commands, Ctrl-D leaves"])

    def tell_fault(self, fault: VllmctlError) -> None:
        """Say what went wrong, and what there is to do."""
        said = fault.hint.splitlines()
        ids = [line for line in said if line.startswith("request id ")]
        hints = [line for line in said if line not in ids]
        write_fault(fault.message, "\n".join([*hints, *_notes(fault), *ids]), self.env.stderr)

    def tell_stopped(self, stop: KeyboardInterrupt) -> None:
        """Say that something was stopped, and what there is to do."""
        self._tell(["; ".join(["stopped", *_notes(stop)])])

    def note(self, text: str) -> None:
        """Say ``text`` unless notes are unwanted."""
        if not self.is_quiet:
            write_note(text, self.env)

    def print(self, lines: Iterable[str], heading: str = "") -> None:
        """Write what was asked for to stdout."""
        words = Words(self.env.stdout, self.env)
        if heading:
            words.write((heading, "bold"))
        for line in lines:
            words.write(line)
        words.flush()

    def _now(self) -> Prepared | None:
        try:
            return look(self.talk, self.line, ANY_WORDS)
        except VllmctlError:  # a file that has gone since
            return None

    def _tell_changes(self, before: dict[str, Listed], after: dict[str, Listed]) -> None:
        if not self.is_quiet:
            self._tell(list(differences(before, after)) or ["nothing changes"])

    def _tell(self, lines: Iterable[str]) -> None:
        words = Words(self.env.stderr, self.env)
        for line in lines:
            words.write((line, "dim"))
        words.flush()


def _notes(fault: BaseException) -> list[str]:
    return getattr(fault, "__notes__", [])


def require_sound(given: Given) -> None:
    """Raise ``UsageError`` for settings of the program that cannot be as they are.

    What the body gets is judged when the request is made.
    """
    require_talkable(given)
    runs_tools(given)
    for spec in given.specs:
        if spec.path or spec.sugar or not given.has(spec.dest):
            continue
        if spec.choices and not spec.switch:
            given.one_of(spec.dest, spec.choices, spec.choices[0])
        if spec.metavar == "N":
            given.count(spec.dest)
    require_agreement(given)
