"""The messages of a chat and their parts: which types there are, and what each of them holds."""

from collections.abc import Mapping
from typing import Any

from vllmctl.rules.case import Case

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
"""Those that templates mostly know; nobody checks them."""

TEXT_KEYS: Mapping[str, str] = {
    "text": "text",
    "thinking": "thinking",
    "input_text": "text",
    "output_text": "text",
    "refusal": "refusal",
}
"""The types of parts that are texts, and the key of the text."""

MAY_BE_SILENT = ("text", "refusal")
"""Texts that may be left out."""

_MEDIA_KEYS = (
    *("image_url", "audio_url", "video_url", "input_audio"),
    *("image_embeds", "audio_embeds", "video_embeds", "image_pil"),
)
READ_BY_KEY = (*_MEDIA_KEYS, "prompt_embeds", "tool_reference")
"""What the server finds by its key, in a part with a uuid or without a type."""

MEDIA_TYPES = (*_MEDIA_KEYS, "input_image")
TYPES = tuple(sorted({*MEDIA_TYPES, *READ_BY_KEY, *TEXT_KEYS}))

_MODALITIES = ("image", "audio", "video")

Message = Mapping[str, Any]


def messages(case: Case) -> list[tuple[str, Message]]:
    """Return the messages that are objects, with their paths."""
    found: list[tuple[str, Message]] | None = case.memo.get("messages")
    if found is None:
        found = case.memo["messages"] = [
            (f"messages[{place}]", message)
            for place, message in enumerate(case.items("messages"))
            if isinstance(message, dict)
        ]
    return found


def parts(case: Case) -> list[tuple[str, Message, str]]:
    """Return the parts of all messages, with their paths and the messages' roles."""
    found: list[tuple[str, Message, str]] | None = case.memo.get("parts")
    if found is None:
        found = case.memo["parts"] = [
            (f"{path}.content[{place}]", part, str(message.get("role")))
            for path, message in messages(case)
            if isinstance(message.get("content"), list)
            for place, part in enumerate(message["content"])
            if isinstance(part, dict)
        ]
    return found


def read_by_key(part: Message) -> bool:
    """Whether the server looks for the key of some media, and not at the type."""
    return part.get("type") is None or part.get("uuid") is not None


def modality(part: Message) -> str:
    """Return image, audio or video for a part that is one of them, else nothing."""
    kind = str(part.get("type") or next((key for key in part if key in TYPES), ""))
    return next((name for name in _MODALITIES if name in kind), "")
