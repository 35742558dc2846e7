"""From prompts, files, standard input and ``--message`` to ``messages`` or ``prompt``."""

from collections.abc import Sequence
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.record import Record, field, replace
from vllmctl.request.media import Attached, Media, attach
from vllmctl.request.origin import Origin
from vllmctl.request.sources import Sources
from vllmctl.request.values import unescape

ROLES = ("system", "developer", "user", "assistant", "tool")


class Words(Record):
    """What a person said: positional prompts, files, roles, and what is to be looked at.

    ``continues`` tells that it is the next turn of a conversation that is there already;
    ``literal`` that prompts are nothing but text, whatever they begin with.
    """

    prompts: list[str] = field(factory=list)
    files: list[str] = field(factory=list)
    file_flag: str = "-f"
    system: str | None = None
    messages: list[str] = field(factory=list)
    prefill: str | None = None
    media: list[Media] = field(factory=list)
    escape: bool = False
    read_stdin: bool = True
    continues: bool = False
    literal: bool = False


class Said(Record):
    """A text and where it came from; ``empty`` are the sources that added nothing to it."""

    text: str
    origin: Origin
    empty: tuple[str, ...] = ()


def read_words(words: Words, sources: Sources) -> Words:
    """Return ``words`` with ``@file`` and ``@-`` read, before the prompt takes what is piped."""
    return replace(
        words,
        system=_read(words.system, "--system", sources),
        prefill=_read(words.prefill, "--prefill", sources),
        messages=[_read_message(text, sources) for text in words.messages],
    )


def prompts_of(words: Words, sources: Sources, wanted: bool) -> list[Said]:
    """Return the prompts in order: positional ones, each with its files and piped text.

    ``-`` and ``@file`` stand for what they name. Files and piped input are appended to the
    last prompt after a blank line, or are the prompt when there is none. Standard input is
    read only when something is piped in, nobody else has taken it, and ``wanted``.
    """
    said = [_prompt(text, words, sources) for text in words.prompts]
    flag = words.file_flag
    extra = [
        Said(sources.read(name, flag), Origin("flag", f"{flag} {name}")) for name in words.files
    ]
    if wanted and words.read_stdin:
        piped = sources.piped("standard input")
        if piped:
            extra.append(Said(piped, Origin("stdin", "standard input")))
    return [*said[:-1], _joined([*said[-1:], *extra])] if extra else said


def with_piped(prompts: list[Said]) -> list[Said]:
    """Return the one prompt of a chat: what ``-`` stands for joins the text beside it."""
    kinds = [said.origin.kind for said in prompts]
    return [_joined(prompts)] if len(prompts) == 2 and "stdin" in kinds else prompts


def _joined(parts: list[Said]) -> Said:
    joined = "\n\n".join(part.text for part in parts if part.text)
    names = " + ".join(part.origin.text for part in parts)
    empty = tuple(part.origin.text for part in parts if not part.text) if joined else ()
    return Said(joined, Origin(parts[0].origin.kind, names), empty)


def attachments(words: Words, sources: Sources) -> list[Attached]:
    """Return the content parts that ``words.media`` stand for, in order."""
    return [attach(media, sources) for media in words.media]


def conversation(
    base: list[Any], words: Words, prompts: list[Said], attached: Sequence[Attached] = ()
) -> tuple[list[Any], dict[str, Origin]]:
    """Return the messages and the origin of each new one.

    ``base`` are messages from the body, a profile or ``--messages``. The system message goes
    in front (or takes the place of the one there), then come ``--message`` in order, the
    prompt as the user's turn, and the prefill as the assistant's. What is ``attached`` comes
    before the prompt's text, in the same turn.
    """
    if not isinstance(base, list):
        raise UsageError("messages must be a list to add a prompt to it")
    messages = list(base)
    new: list[tuple[dict[str, Any], Origin]] = []
    if words.system is not None:
        _put_system(messages, words.system)
    new.extend(map(_message, words.messages))
    new.extend(({"role": "user", "content": said.text}, said.origin) for said in prompts)
    if attached:
        _attach(new, prompts, attached)
    if words.prefill is not None:
        turn = {"role": "assistant", "content": words.prefill}
        new.append((turn, Origin("flag", "--prefill")))
    origins = {f"messages[{len(messages) + i}]": origin for i, (_, origin) in enumerate(new)}
    if words.system is not None:
        origins["messages[0]"] = Origin("flag", "--system")
    messages.extend(message for message, _ in new)
    return messages, origins


def _attach(
    new: list[tuple[dict[str, Any], Origin]], prompts: list[Said], attached: Sequence[Attached]
) -> None:
    """Put ``attached`` into the prompt's turn; without a prompt into a last user's, or a new."""
    last = new.pop() if prompts or (new and new[-1][0]["role"] == "user") else None
    names = " + ".join(dict.fromkeys(one.origin.text for one in attached))
    content: list[Any] = [one.part for one in attached]
    if last is None:
        new.append(({"role": "user", "content": content}, Origin("flag", names)))
        return
    turn, origin = last
    content.append({"type": "text", "text": turn["content"]})
    new.append(({**turn, "content": content}, Origin(origin.kind, f"{origin.text} + {names}")))


def _prompt(text: str, words: Words, sources: Sources) -> Said:
    if text == "-" and not words.literal:
        return Said(sources.stdin("-"), Origin("stdin", "standard input"))
    whole = text if words.literal else sources.resolve(text, "the prompt")
    name = text if text.startswith("@") and not words.literal else "the prompt"
    return Said(unescape(whole) if words.escape else whole, Origin("prompt", name))


def _put_system(messages: list[Any], text: str) -> None:
    message = {"role": "system", "content": text}
    if messages and isinstance(messages[0], dict) and messages[0].get("role") == "system":
        messages[0] = message
    else:
        messages.insert(0, message)


def _read(text: str | None, owner: str, sources: Sources) -> str | None:
    return None if text is None else sources.resolve(text, owner)


def _read_message(text: str, sources: Sources) -> str:
    role, colon, content = text.partition(":")
    if not colon or role not in ROLES:
        raise UsageError(
            f"--message: expected role:text, got {text[:40]!r}",
            f"roles are {', '.join(ROLES)}: --message 'user:Hello'",
        )
    return f"{role}:{sources.resolve(content, '--message')}"


def _message(text: str) -> tuple[dict[str, Any], Origin]:
    role, _, content = text.partition(":")
    return {"role": role, "content": content}, Origin("flag", f"--message {role}:…")
