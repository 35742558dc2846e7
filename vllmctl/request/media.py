"""Images, audio and video from files, addresses and standard input, as content parts.

What a file holds is told by its first bytes; its name counts only for types that have no
mark. Addresses are passed to the server as they are, which fetches them itself.

``uuid:ID=SOURCE`` names what is sent, and ``uuid:ID`` stands for it from then on: the server
keeps media under the id that they came with.
"""

import re
from typing import Any

from vllmctl.catalog.files import read_external
from vllmctl.errors import UsageError
from vllmctl.record import Record, replace
from vllmctl.request.media_types import kind_of_name, sniff
from vllmctl.request.origin import Origin
from vllmctl.request.sources import Sources, decode
from vllmctl.texts import cut

KINDS = ("image", "audio", "video")

_SCHEMES = ("http://", "https://", "data:", "file://")
_INPUT_AUDIO = "openai.types.chat.ChatCompletionContentPartInputAudioParam"
_FORMATS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
_LARGE = 20_000_000
_UUID = "uuid:"


class Media(Record):
    """One thing to attach: ``kind`` is ``image``, ``audio``, ``video`` or empty for any.

    ``source`` is a path, an address or ``-`` for standard input, as typed after ``flag``, and
    may begin with ``uuid:ID=``.
    """

    flag: str
    kind: str
    source: str


class Attached(Record):
    """A content part of a message, where it came from, and its size in words (or empty)."""

    part: dict[str, Any]
    origin: Origin
    size: str = ""


def attach(media: Media, sources: Sources) -> Attached:
    """Return ``media`` as a content part.

    Raises ``UsageError`` for what cannot be read, is of another kind, or is of none.
    """
    uuid, source = _parted(media)
    if uuid and not source:
        return _kept(media, uuid)
    made = _read(replace(media, source=source), sources)
    if uuid and made.part["type"] == "text":
        raise UsageError(f"{media.flag}: {cut(source)} is a text, and texts have no uuid")
    return replace(made, part={**made.part, "uuid": uuid}) if uuid else made


def _parted(media: Media) -> tuple[str, str]:
    """The id in ``uuid:ID=SOURCE`` and what is left; empty where there is none."""
    if not media.source.startswith(_UUID):
        return "", media.source
    uuid, _, source = media.source.removeprefix(_UUID).partition("=")
    if not uuid:
        raise UsageError(f"{media.flag}: uuid: wants an id", f"{media.flag} uuid:cat-1=cat.png")
    return uuid, source


def _kept(media: Media, uuid: str) -> Attached:
    """What the server is to take from its cache."""
    if not media.kind:
        raise UsageError(
            f"{media.flag}: uuid:{uuid} does not tell what it is",
            "say it with --image, --audio or --video",
        )
    name = f"{media.kind}_url"
    origin = Origin("flag", f"{media.flag} {_UUID}{uuid}")
    return Attached({"type": name, name: None, "uuid": uuid}, origin)


def _read(media: Media, sources: Sources) -> Attached:
    name = media.source.removeprefix("@")
    origin = Origin("flag", f"{media.flag} {cut(name)}")
    if name.lower().startswith(_SCHEMES):
        return Attached(_by_url(media.kind or _kind_of_url(name, media.flag), name), origin)
    raw = sources.raw(name, media.flag, _base64_hint(name))
    title = "standard input" if name == "-" else name
    if not raw:
        raise UsageError(f"{media.flag}: {title} is empty")
    mime, kinds = sniff(raw, name)
    if not media.kind and mime.startswith("text/"):
        return Attached({"type": "text", "text": decode(raw, title)}, origin)
    kind = media.kind or (kinds[0] if kinds else "")
    if kind not in kinds:
        raise _unusable(media, title, mime, kinds)
    if kind != kinds[0]:
        mime = f"{kind}/{mime.partition('/')[2]}"
    return Attached(_part(kind, mime, _base64(raw)), origin, _size(title, mime, raw))


def _base64_hint(name: str) -> str:
    """Say how base64 is given, where ``name`` is no name of a file but that."""
    from base64 import b64decode

    if not re.fullmatch(r"[A-Za-z0-9+/]{32,}={0,2}", name):
        return ""
    mime, kinds = sniff(b64decode(name[:32]), "")
    return f"base64 goes behind data:{mime};base64," if kinds else ""


def _part(kind: str, mime: str, data: str) -> dict[str, Any]:
    form = _FORMATS.get(mime)
    if kind == "audio" and form in _input_audio_formats():
        # every server of OpenAI's interface knows this part, audio_url is vLLM's own
        return {"type": "input_audio", "input_audio": {"data": data, "format": form}}
    return _by_url(kind, f"data:{mime};base64,{data}")


def _base64(raw: bytes) -> str:
    from base64 import b64encode

    return b64encode(raw).decode()


def _by_url(kind: str, url: str) -> dict[str, Any]:
    return {"type": f"{kind}_url", f"{kind}_url": {"url": url}}


def _input_audio_formats() -> list[str]:
    audio = read_external()["shapes"][_INPUT_AUDIO]["properties"]["input_audio"]
    return list(audio["properties"]["format"]["enum"])


def _kind_of_url(url: str, flag: str) -> str:
    kind = kind_of_name(url)
    if kind not in KINDS:
        raise UsageError(
            f"{flag}: {cut(url)} does not tell what it is",
            "say it with --image, --audio or --video",
        )
    return kind


def _unusable(media: Media, title: str, mime: str, kinds: tuple[str, ...]) -> UsageError:
    if not media.kind:
        message = f"{media.flag}: {title} is {mime}, and no image, audio or video"
        return UsageError(message, "for example, send the pages of a document as images")
    message = f"{media.flag}: {title} is {mime}, and no {media.kind}"
    if mime.startswith("text/"):
        return UsageError(message, f"-f {title} adds a text to the prompt")
    return UsageError(message, f"--{kinds[0]} {media.source} sends it" if kinds else "")


def _size(title: str, mime: str, raw: bytes) -> str:
    large = "; that is much for one request" if len(raw) > _LARGE else ""
    return f"{title} is {mime}, {amount(len(raw))}{large}"


def weight(messages: list[Any]) -> int:
    """Return the bytes that media in ``messages`` take there, as base64."""
    return sum(_weight(message.get("content")) for message in messages if isinstance(message, dict))


def _weight(value: Any, key: str = "") -> int:
    if isinstance(value, dict):
        return sum(_weight(part, name) for name, part in value.items())
    if isinstance(value, list):
        return sum(_weight(part, key) for part in value)
    is_data = isinstance(value, str) and (key == "data" or value.startswith("data:"))
    return len(value) if is_data and key != "text" else 0


def amount(count: int) -> str:
    """Return a number of bytes in words."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
