"""The prompts of a plain completion: texts, token ids, embeddings."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.mock.refusing.wording import blame
from vllmctl.mock.tokenizer import encode

_EMBEDDING = 512
"""Bytes of one token's embedding in the smallest models: 128 numbers of 4 bytes."""


def completion_prompts(body: Mapping[str, Any]) -> list[list[int]]:
    """Return the token ids of each prompt.

    Raises:
        RefusedError: embeddings that are no saved tensor.
    """
    return [*_embedded(body.get("prompt_embeds")), *_written(body.get("prompt"))]


def cut(ids: list[int], body: Mapping[str, Any], max_model_len: int) -> list[int]:
    """Return what ``truncate_prompt_tokens`` leaves of a prompt: its end, or its start.

    -1 leaves room for one token of the answer.
    """
    size = body.get("truncate_prompt_tokens")
    size = max_model_len - 1 if size == -1 else size
    if size is None or size >= len(ids):
        return ids
    return ids[:size] if body.get("truncation_side") == "right" else ids[len(ids) - size :]


def _written(prompt: Any) -> Iterator[list[int]]:
    if prompt is None:
        return
    is_one = isinstance(prompt, str) or (prompt and all(isinstance(one, int) for one in prompt))
    for one in [prompt] if is_one else prompt:
        yield encode(one) if isinstance(one, str) else list(one)


def _embedded(given: Any) -> Iterator[list[int]]:
    if given is not None:
        for one in given if isinstance(given, list) else [given]:
            yield [0] * max(1, _tensor_size(one) // _EMBEDDING)


def _tensor_size(text: str | bytes) -> int:
    """Return the bytes of a saved tensor's numbers; it comes as an archive in base64."""
    import io
    import zipfile
    from base64 import b64decode

    try:
        with zipfile.ZipFile(io.BytesIO(b64decode(text))) as archive:
            return sum(one.file_size for one in archive.infolist() if "/data/" in one.filename)
    except (ValueError, zipfile.BadZipFile):
        message = "`prompt_embeds` could not be deserialized as a torch tensor: not an archive"
        raise blame(message, "prompt_embeds") from None
