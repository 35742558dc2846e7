"""One turn: the request is made, checked and sent as ``vllmctl chat`` does, its answer kept."""

from collections.abc import Callable
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.setting import FORMATS
from vllmctl.cli.interactive.talk import Talk, Turn
from vllmctl.cli.keeping import keep
from vllmctl.cli.preparing import Prepared, prepare
from vllmctl.cli.requesting import answered
from vllmctl.cli.sending import open_server, send
from vllmctl.cli.serving import learning, make_sure, served_endpoint
from vllmctl.cli.settling import settle, tell_release
from vllmctl.cli.waiting import waiting
from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.client.probe import remembered_target
from vllmctl.client.server import Server, server_of
from vllmctl.env import Environment
from vllmctl.errors import HttpStatusError, VllmctlError
from vllmctl.fields.sugar import CHAT
from vllmctl.record import Record
from vllmctl.render.notes import write_note
from vllmctl.request.origin import Origin
from vllmctl.request.server.connection import Connection, connection
from vllmctl.request.server.settings import Settings
from vllmctl.request.sessions import CUT
from vllmctl.turns.conversation import finished

ANY_WORDS = "…"
"""Stands for a message where settings are judged before one is there."""

Probe = Callable[[Settings], Endpoint | None]


class Line:
    """The way to the server: what was found out stays known while the settings stay the same.

    ``told`` is what was said of requests so far, which is said once; ``answer`` the last
    answer; ``model`` the name that was sent last.
    """

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.told: set[str] = set()
        self.answer: Answer | None = None
        self.model = ""
        self._settings: Settings | None = None
        self._ends: tuple[Server, Connection] | None = None
        self._endpoint: Endpoint | None = None
        self._only_model: tuple[str, Origin] | None = None

    def reach(self, settings: Settings, given: Given) -> tuple[Server, Connection]:
        """Return the server that ``settings`` lead to, the same one as before if they do."""
        if self._ends is None or settings != self._settings:
            self._ends = open_server(settings, "", given, self.env)
            self._settings, self._endpoint, self._only_model = settings, None, None
        return self._ends

    def asked(self, given: Given) -> Probe:
        """Return what finds out the endpoint from the server itself."""

        def probe(settings: Settings) -> Endpoint | None:
            server, _ = self.reach(settings, given)
            if self._endpoint is None and not given.has("no_check"):
                self._endpoint = served_endpoint(CHAT, server, self.env)
            return self._endpoint

        return probe

    def look_again(self) -> None:
        """Find the endpoint out anew next time: a refusal may have taught something of it."""
        self._endpoint = None

    def known(self, settings: Settings) -> Endpoint | None:
        """Return the endpoint as far as it is known without asking anybody."""
        if self._endpoint is not None and settings == self._settings:
            return self._endpoint
        link = connection(settings, self.env, dry_run=True)
        target = remembered_target(server_of(link, self.env), self.env)
        return endpoint(CHAT, target) if target and target.asked is None else None

    def name_model(self, prepared: Prepared) -> None:
        """Name the server's only model, if it told it before and the request names none."""
        request = prepared.request
        known = self._only_model if prepared.settings == self._settings else None
        if known is not None and "model" not in request.body:
            request.body = {"model": known[0], **request.body}
            request.origins["model"] = known[1]

    def learn(self, prepared: Prepared) -> None:
        """Remember the model that ``prepared`` was sent with."""
        origin = prepared.request.origins.get("model")
        self.model = str(prepared.request.body.get("model") or "")
        if origin is not None and origin.kind == "server":
            self._only_model = (self.model, origin)

    def forget(self) -> None:
        """Ask the server anew next time: it, or the key for it, may be another one by then."""
        self._ends = self._endpoint = self._only_model = None


class Trial(Record):
    """How far a turn came: the last request that was sent, and what came back."""

    prepared: Prepared | None = None
    answer: Answer | None = None

    def rest(self) -> list[Any] | None:
        """Return the conversation with the text that arrived, or ``None`` if none did.

        It has a mark unless it was received to its end. Calls of tools are left out: nothing
        answers them any more.
        """
        answer = self.answer
        if self.prepared is None or answer is None or not answer.text:
            return None
        said = finished(self.prepared.request.body, Choice(0, texts=[answer.text]))
        return said if answer.is_whole else [*said[:-1], {**said[-1], CUT: True}]


def look(talk: Talk, line: Line, text: str | None = None) -> Prepared:
    """Return the request that says ``text`` next; nothing is sent, and nobody is asked."""
    turn = talk.turn(text)
    prepared = _prepared(turn, line, line.known)
    line.name_model(prepared)
    return prepared


def open_talk(talk: Talk, line: Line, first: str | None, *, asks: bool) -> None:
    """Judge what the talk starts with, before anything is said. Raises ``UsageError``.

    ``asks`` false asks no server, so that a person has a prompt at once; what depends on a
    server that nobody knows yet is judged with the first message.
    """
    turn = talk.turn(first or ANY_WORDS)
    prepared = _prepared(turn, line, line.asked(turn.given) if asks else line.known)
    if asks or "target" in prepared.settings or line.known(prepared.settings):
        settle(prepared, turn.given, line.env, told=line.told)


def ask(talk: Talk, turn: Turn, line: Line) -> None:
    """Send ``turn``, write the answer, and take it into the conversation.

    What has arrived is taken, too, when an error or an interruption (which are raised) ends it.
    """
    trial, before = Trial(), turn.session.messages
    try:
        prepared, answer = _exchanged(turn, line, trial)
    except (VllmctlError, KeyboardInterrupt) as fault:
        if isinstance(fault, HttpStatusError):
            line.forget()
        rest = trial.rest()
        if trial.prepared is not None and rest is not None:
            try:
                keep(trial.prepared, rest, turn.given, line.env)
            except VllmctlError as other:  # why there is no answer matters more
                write_note(other.message, line.env)
        if turn.session.messages is not before:
            talk.answered(turn)
        raise
    try:
        keep(prepared, finished(prepared.request.body, answer[0]), turn.given, line.env)
    finally:  # it was said, whether it can be kept or not
        talk.answered(turn)


def _exchanged(turn: Turn, line: Line, trial: Trial) -> tuple[Prepared, Answer]:
    given, env = turn.given, line.env
    with waiting(env, "the server to say what it runs", quiet=given.has("quiet")):
        prepared = _prepared(turn, line, line.asked(given))
    server, link = line.reach(prepared.settings, given)
    line.name_model(prepared)
    if "target" in prepared.settings and not given.has("quiet"):
        tell_release(prepared, remembered_target(server, env), env, line.told)
    make_sure(prepared, server, env)
    settle(prepared, given, env, told=line.told)

    def exchange(prepared: Prepared, env: Environment) -> Answer:
        trial.prepared, trial.answer = prepared, None
        try:
            with learning(prepared, server, env):
                return send(prepared, server, link, given, env, begun=begun)
        except VllmctlError:
            line.look_again()
            raise

    def begun(answer: Answer) -> None:
        trial.answer = line.answer = answer
        if trial.prepared is not None:
            line.learn(trial.prepared)

    return answered(prepared, given, env, exchange)


def _prepared(turn: Turn, line: Line, probe: Probe) -> Prepared:
    form = turn.given.format(FORMATS)
    return prepare(CHAT, turn.given, line.env, form, probe, session=turn.session)
