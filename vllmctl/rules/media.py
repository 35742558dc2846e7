"""Images, audio and video in messages: where their bytes are and how they are written."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.finding import Edit
from vllmctl.rules.parts import READ_BY_KEY, TEXT_KEYS, parts
from vllmctl.rules.registry import TEMPLATED, own_rule
from vllmctl.rules.words import listed, shown

_SCHEMES = ("http://", "https://", "data:", "file://")
_LONGEST_HEAD = 64

_MAGIC = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"BM": "image/bmp",
}


def usual_part(path: str, part: Mapping[str, Any]) -> tuple[Edit, ...] | None:
    """Return the mend of a part that is written ``{"type": "image", "image": URL}``."""
    kind = part.get("type")
    if kind not in ("image", "audio", "video"):
        return None
    url = _url_in(part.get(str(kind), part.get("url", part.get("source"))))
    if url is None:
        return None
    name = f"{kind}_url"
    return put(path, {"type": name, name: {"url": url}})


def _url_in(given: Any) -> str | None:
    """The URL in a part of another API, or the data with its type as one."""
    if not isinstance(given, dict):
        return given if isinstance(given, str) else None
    if isinstance(given.get("data"), str):
        return f"data:{given.get('media_type', '')};base64,{given['data']}"
    return given["url"] if isinstance(given.get("url"), str) else None


def _urls(case: Case) -> Iterator[tuple[str, str, str]]:
    """The URLs of media with their paths and the kinds of their parts."""
    for place, part, _ in parts(case):
        for kind in ("image_url", "audio_url", "video_url"):
            given, path = part.get(kind), f"{place}.{kind}"
            if isinstance(given, dict):
                given, path = given.get("url"), f"{path}.url"
            if isinstance(given, str):
                yield path, given, kind


@own_rule(
    "messages.media_url",
    "Media are given as a URL: http, https, or data with base64.",
    ("messages",),
    kind="reject",
    endpoints=TEMPLATED,
)
def media_url(case: Case) -> Faults:
    """Bytes alone are no URL."""
    for path, url, kind in _urls(case):
        if url.lower().startswith(_SCHEMES):
            continue
        mime = _sniffed(url)
        if mime and kind == "image_url":
            message = f"{path} is base64 alone; a URL starts with data:{mime};base64,"
            yield Fault(path, message, put(path, f"data:{mime};base64,{url}"))
        else:
            yield Fault(path, f"{path} must be a URL (http, https or data), got {shown(url, 40)}")


@own_rule(
    "messages.media_type",
    "A data URL names its media type.",
    ("messages",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def media_type(case: Case) -> Faults:
    """``data:image;base64,`` says half of it."""
    for path, url, _ in _urls(case):
        head, comma, data = url.partition(",")
        if comma and head.lower().startswith("data:") and "/" not in head:
            mime = _sniffed(data)
            fix = put(path, f"data:{mime};base64,{data}") if mime else None
            yield Fault(path, f"{path}: {head} lacks the media type, such as data:image/png", fix)


@own_rule(
    "messages.audio_data",
    "input_audio.data is base64 alone.",
    ("messages",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def audio_data(case: Case) -> Faults:
    """The server puts a head of its own in front."""
    for place, part, _ in parts(case):
        given = part.get("input_audio")
        data = given.get("data") if isinstance(given, dict) else None
        if isinstance(data, str) and data[:5].lower() == "data:":
            path = f"{place}.input_audio.data"
            message = f"{path} must be base64 alone, without {data.partition(',')[0]},"
            yield Fault(path, message, put(path, data.partition(",")[2]))


@own_rule(
    "messages.uuid_alone",
    "Beside a uuid stands the key of the media, with null for what is cached.",
    ("messages",),
    kind="reject",
    endpoints=TEMPLATED,
    since="0.32.0",
)
def uuid_alone(case: Case) -> Faults:
    """With a uuid the server looks for the key and not at the type."""
    for place, part, _ in parts(case):
        kind = part.get("type")
        if part.get("uuid") is None or any(key in part for key in READ_BY_KEY):
            continue
        if kind in READ_BY_KEY:
            path = f"{place}.{kind}"
            message = f"{path} is missing beside uuid; null stands for something cached"
            yield Fault(path, message, put(path, None))
        else:
            fix = drop(f"{place}.uuid") if kind in TEXT_KEYS else None
            message = f"{place} has a uuid, and none of {listed(READ_BY_KEY)}"
            yield Fault(f"{place}.uuid", message, fix)


@own_rule(
    "messages.audio_object",
    "input_audio is an object; where a part has a uuid or no type, nothing looks before.",
    ("messages",),
    kind="reject",
    endpoints=TEMPLATED,
    since="0.32.0",
)
def audio_object(case: Case) -> Faults:
    """The server fails inside, with 500."""
    for place, part, _ in parts(case):
        given = part.get("input_audio")
        if given is not None and not isinstance(given, dict):
            path = f"{place}.input_audio"
            yield Fault(path, f"{path} must be an object with data and format, got {shown(given)}")


def _sniffed(data: str) -> str:
    """The media type of base64 data by its first bytes, or empty."""
    from base64 import b64decode

    try:
        head = b64decode(
            data[:_LONGEST_HEAD] + "=" * (-len(data[:_LONGEST_HEAD]) % 4), validate=True
        )
    except ValueError:
        return ""
    return next((mime for magic, mime in _MAGIC.items() if head.startswith(magic)), "")
