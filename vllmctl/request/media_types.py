"""What a file is, by its first bytes. Data, and the one look-up in it."""

_MAGIC = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (8, b"AVI ", "video/x-msvideo"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\x00\x00\x01\xba", "video/mpeg"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
)
_BRANDS = {
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"avif": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
}
_EITHER = {
    "audio/ogg": ("audio", "video"),
    "audio/mp4": ("audio", "video"),
    "video/mp4": ("video", "audio"),
    "video/webm": ("video", "audio"),
    "video/quicktime": ("video", "audio"),
}
"""Containers of sound, pictures or both: what they are taken for first, and may be too."""

_UNKNOWN = "application/octet-stream"
_HEAD = 4096


def sniff(raw: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the media type of ``raw`` and the kinds it can be sent as, the usual one first.

    ``name`` decides for types that have no mark at their start. The kinds are empty for
    what is neither image nor audio nor video.
    """
    mime = _by_magic(raw[:16]) or _by_name(raw, name)
    kind = mime.partition("/")[0]
    usual = (kind,) if kind in ("image", "audio", "video") else ()
    return mime, _EITHER.get(mime, usual)


def kind_of_name(name: str) -> str:
    """Return what the name or address says it is: ``image``, ``audio`` …, or empty."""
    from mimetypes import guess_type

    return (guess_type(name.partition("?")[0])[0] or "").partition("/")[0]


def _by_magic(head: bytes) -> str:
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    for place, magic, mime in _MAGIC:
        if head[place : place + len(magic)] == magic and (not place or head[:4] == b"RIFF"):
            return mime
    return _by_frame(head)


def _by_frame(head: bytes) -> str:
    """Sound without a header starts with a frame: eleven or twelve bits that are set."""
    if len(head) < 2 or head[0] != 0xFF:
        return ""
    if head[1] & 0xF6 == 0xF0:
        return "audio/aac"
    return "audio/mpeg" if head[1] & 0xE6 == 0xE2 else ""


def _by_name(raw: bytes, name: str) -> str:
    if _is_text(raw[:_HEAD]):
        return "text/plain"
    from mimetypes import guess_type

    named = guess_type(name)[0] or _UNKNOWN
    marked = {mime for _, _, mime in _MAGIC} | set(_BRANDS.values()) | {"video/mp4"}
    return _UNKNOWN if named in marked or named.startswith("text/") else named


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode()
    except UnicodeDecodeError as fault:
        if fault.start < len(head) - 3:
            return False
        text = head[: fault.start].decode()
    return "\0" not in text
