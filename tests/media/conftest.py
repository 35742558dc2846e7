"""Small files of the kinds that can be attached."""

import io
import wave

import pytest

from tests.cli.conftest import vllmctl  # noqa: F401 - a fixture

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04\0\0\0\xb5\x1c\x0c\x02\0\0\0\x0bIDAT"
    b"x\xdacd\xf8\xcfP\x0f\0\x03\x86\x01\x80Z4}k\0\0\0\0IEND\xaeB`\x82"
)


def wav() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\1" * 400)
    return buffer.getvalue()


FILES = {
    "dot.png": PNG,
    "sound.wav": wav(),
    "song.mp3": b"ID3\x04" + bytes(range(200)),
    "song.flac": b"fLaC" + bytes(100),
    "clip.mp4": b"\0\0\0\x18ftypisom" + bytes(100),
    "voice.webm": b"\x1aE\xdf\xa3" + bytes(100),
    "page.png": b"<html>not found</html>",
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "noise.png": bytes(range(128, 256)) * 4,
    "old.au": b".snd\0\0\0\x18\xff\xff\xff\xff" * 9,
    "empty.png": b"",
    "notes.md": b"# Notes\nGr\xc3\xbc\xc3\x9fe\n",
}


@pytest.fixture
def files(vllmctl, tmp_path):  # noqa: F811
    """The files, in the folder that commands run in."""
    for name, content in FILES.items():
        (tmp_path / "work" / name).write_bytes(content)
    return FILES
