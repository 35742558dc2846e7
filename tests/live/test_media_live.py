"""Parts with media: what vllmctl makes has a shape that the real server takes.

The server of the live tests has a text model, which refuses media, but only once their shape
is right: that is told by its words.
"""

import json
from typing import Any

import httpx
import pytest

from tests.live.program import run_here
from tests.media.conftest import FILES
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Level

SHAPE_IS_RIGHT = "is not a multimodal model"
URL = "https://example.com/a"
GIVEN = [
    ("--image", "dot.png"),
    ("--image", "uuid:a=dot.png"),
    ("--image", "uuid:a"),
    ("--image", URL),
    ("--audio", "sound.wav"),
    ("--audio", "uuid:a=sound.wav"),
    ("--audio", "uuid:a"),
    ("--audio", "song.flac"),
    ("--audio", "uuid:a=song.flac"),
    ("--video", "clip.mp4"),
    ("--video", "uuid:a=clip.mp4"),
    ("--video", "uuid:a"),
]
PARTS: list[dict[str, Any]] = [
    {"type": "image_url", "image_url": {"url": URL}, "uuid": "a"},
    {"type": "image_url", "image_url": None, "uuid": "a"},
    {"image_url": None, "uuid": "a"},
    {"image_url": URL},
    {"type": "image_url", "image_url": URL, "uuid": "a"},
    {"type": "image_url", "image_url": URL},
    {"type": "image_url", "image_url": None},
    {"type": "image_url", "uuid": "a"},
    {"type": "audio_url", "uuid": "a"},
    {"type": "image_url", "image_url": {}},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}, "uuid": "a"},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}},
    {"type": "input_audio", "input_audio": None, "uuid": "a"},
    {"type": "video_url", "video_url": {"url": 5}},
    {"type": "video_url", "video_url": {"url": URL}},
    {"type": "image", "image": URL},
    {"type": "image", "image_url": URL, "uuid": "a"},
    {"input_image": URL},
]


@pytest.mark.live
@pytest.mark.parametrize("given", GIVEN, ids=" ".join)
def test_the_server_takes_the_shape_of_what_is_attached(given, live_url, tmp_path) -> None:
    flag, source = given
    before, name = source.rpartition("=")[::2]
    if name in FILES:
        (tmp_path / name).write_bytes(FILES[name])
        source = f"{before}={tmp_path / name}" if before else str(tmp_path / name)
    done = run_here(["chat", "Hello", flag, source, "-m", "tiny", "-q", "-n", "--full"])
    assert done.returncode == 0, done.stderr
    assert SHAPE_IS_RIGHT in answer(json.loads(done.stdout), live_url)


@pytest.mark.live
@pytest.mark.parametrize("part", PARTS, ids=json.dumps)
def test_what_the_check_says_of_a_part_is_what_the_server_says(part, live_url) -> None:
    body = {"model": "tiny", "max_tokens": 1, "messages": [{"role": "user", "content": [part]}]}
    of = endpoint("chat.completions", parse_target("vllm==0.32.0"))
    refused = any(finding.level is Level.ERROR for finding in check(body, of))
    assert refused != (SHAPE_IS_RIGHT in answer(body, live_url))


def answer(body: dict[str, Any], url: str) -> str:
    """The server's words about ``body``, which it refuses anyway."""
    got = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60)
    assert got.status_code == 400, got.text
    return str(got.json()["error"]["message"])
