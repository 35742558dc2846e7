"""``--image``, ``--audio``, ``--video`` and ``--attach``: what is sent, and what is refused."""

import json
from base64 import b64decode, b64encode

import pytest

from tests.client.servers import response, serving
from tests.media.conftest import PNG

HEAD = ("chat", "-m", "tiny", "--target", "vllm==0.32.0", "-n", "--full")


@pytest.fixture
def content(vllmctl, files):
    """The content of the last message of a dry run."""

    def call(*arguments, stdin=None):
        done = vllmctl(*HEAD, *arguments, stdin=stdin)
        assert done.code == 0, done.err
        return done.json["messages"][-1]["content"]

    return call


def test_an_image_comes_before_the_prompt_in_the_same_turn(content):
    image, text = content("What is it?", "--image", "dot.png")
    head, data = image["image_url"]["url"].split(",")
    assert (image["type"], head) == ("image_url", "data:image/png;base64")
    assert b64decode(data) == PNG
    assert text == {"type": "text", "text": "What is it?"}


@pytest.mark.parametrize("name,form", [("sound.wav", "wav"), ("song.mp3", "mp3")])
def test_sound_that_every_server_takes_is_input_audio(content, files, name, form):
    sound, _ = content("Who speaks?", "--audio", name)
    data = b64encode(files[name]).decode()
    assert sound == {"type": "input_audio", "input_audio": {"data": data, "format": form}}


@pytest.mark.parametrize(
    "flag,name,mime",
    [
        ("--audio", "song.flac", "audio/flac"),
        ("--audio", "voice.webm", "audio/webm"),
        ("--audio", "clip.mp4", "audio/mp4"),
        ("--audio", "old.au", "audio/basic"),
        ("--video", "clip.mp4", "video/mp4"),
        ("--video", "voice.webm", "video/webm"),
    ],
)
def test_other_media_are_data_urls_of_the_type_found(content, flag, name, mime):
    part, _ = content("x", flag, name)
    kind = f"{flag[2:]}_url"
    assert part["type"] == kind
    assert part[kind]["url"].startswith(f"data:{mime};base64,")


@pytest.mark.parametrize(
    "flag,url,kind",
    [
        ("--image", "https://example.com/a", "image"),
        ("--audio", "https://example.com/a.mp3", "audio"),
        ("--video", "file:///srv/a.mp4", "video"),
        ("--attach", "https://example.com/a.png?size=2", "image"),
        ("--attach", "data:audio/wav;base64,UklGRg==", "audio"),
        ("-a", "HTTPS://example.com/a.mp4", "video"),
    ],
)
def test_addresses_are_passed_as_they_are(content, flag, url, kind):
    part, _ = content("x", flag, url)
    assert part == {"type": f"{kind}_url", f"{kind}_url": {"url": url}}


def test_attach_tells_by_content_and_keeps_the_order(content):
    names = ("notes.md", "sound.wav", "dot.png", "clip.mp4")
    *parts, last = content("Go", *[word for name in names for word in ("-a", name)])
    assert [part["type"] for part in parts] == ["text", "input_audio", "image_url", "video_url"]
    assert parts[0]["text"] == "# Notes\nGrüße\n"
    assert last["text"] == "Go"


def test_an_image_is_piped_in(content):
    image, text = content("What is it?", "--image", "-", stdin=PNG)
    assert b64decode(image["image_url"]["url"].split(",")[1]) == PNG
    assert text["text"] == "What is it?"


def test_without_a_prompt_the_media_go_into_the_last_turn_given(content):
    image, text = content("--message", "user:What is it?", "--image", "dot.png")
    assert (image["type"], text["text"]) == ("image_url", "What is it?")
    (alone,) = content("--image", "dot.png")
    assert alone["type"] == "image_url"


@pytest.mark.parametrize(
    "arguments,words",
    [
        (("--image", "sound.wav"), ["sound.wav is audio/wav, and no image", "--audio sound.wav"]),
        (("--image", "page.png"), ["page.png is text/plain, and no image", "-f page.png"]),
        (("--image", "noise.png"), ["noise.png is application/octet-stream"]),
        (("--image", "empty.png"), ["empty.png is empty"]),
        (("-a", "empty.png"), ["empty.png is empty"]),
        (("-a", "paper.pdf"), ["paper.pdf is application/pdf"]),
        (("--audio", "none.wav"), ["--audio: cannot read none.wav: No such file"]),
        (("-a", "https://example.com/x"), ["--attach", "--image, --audio or --video"]),
    ],
)
def test_what_is_no_such_thing_is_refused_by_name_and_content(vllmctl, files, arguments, words):
    done = vllmctl(*HEAD, "x", *arguments)
    assert (done.code, done.out) == (2, "")
    assert all(word in done.err for word in words)


def test_base64_in_place_of_a_file_is_told_how_it_is_given(vllmctl):
    done = vllmctl("chat", "hi", "--image", b64encode(PNG * 100).decode(), "-n")
    assert (done.code, done.out) == (2, "")
    assert "base64 goes behind data:image/png;base64," in done.err
    assert len(done.err) < 500
    assert "base64" not in vllmctl("chat", "hi", "--image", "a" * 40, "-n").err


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("--image", "uuid:a-1=dot.png"), "image_url"),
        (("-a", "uuid:a-1=dot.png"), "image_url"),
        (("--image", "uuid:a-1=https://example.com/?a=b"), "image_url"),
        (("--audio", "uuid:a-1=sound.wav"), "input_audio"),
        (("--video", "uuid:a-1=clip.mp4"), "video_url"),
    ],
    ids=" ".join,
)
def test_media_are_named_by_a_uuid(content, arguments, kind):
    plain, _ = content("x", arguments[0], arguments[1].partition("=")[2])
    named, _ = content("x", *arguments)
    assert named == {**plain, "uuid": "a-1"}
    assert named["type"] == kind


@pytest.mark.parametrize("kind", ["image", "audio", "video"])
def test_a_uuid_alone_stands_for_what_the_server_keeps(vllmctl, content, kind):
    part, text = content("x", f"--{kind}", "uuid:a-1")
    assert part == {"type": f"{kind}_url", f"{kind}_url": None, "uuid": "a-1"}
    assert text["text"] == "x"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--image", "uuid:"), "uuid: wants an id"),
        (("--image", "uuid:=dot.png"), "uuid: wants an id"),
        (("-a", "uuid:a-1"), "say it with --image, --audio or --video"),
        (("-a", "uuid:a-1=notes.md"), "notes.md is a text, and texts have no uuid"),
        (("--image", "uuid:a-1=none.png"), "cannot read none.png"),
    ],
)
def test_a_uuid_that_names_nothing_is_refused(vllmctl, files, arguments, words):
    done = vllmctl(*HEAD, "x", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_uuids_in_messages_stay_as_they_are(vllmctl):
    part = {"type": "image_url", "image_url": None, "uuid": "a-1"}
    messages = json.dumps([{"role": "user", "content": [part, {"type": "text", "text": "x"}]}])
    done = vllmctl(*HEAD, "--messages", messages)
    assert done.json["messages"][0]["content"][0] == part
    assert done.err == ""


def test_lint_knows_when_uuids_came(vllmctl):
    media = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}, "uuid": "a"}
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": [media]}]})
    early = vllmctl("lint", body, "--target", "vllm==0.10.1", "--json").json["findings"]
    assert [(each["level"], each["code"]) for each in early] == [("ignored", "messages.part_key")]
    assert vllmctl("lint", body, "--target", "vllm==0.10.2", "--json").json["findings"] == []


def test_standard_input_has_one_taker(vllmctl, files):
    done = vllmctl(*HEAD, "-", "--image", "-", stdin=PNG)
    assert done.code == 2
    assert "both want standard input" in done.err


def test_the_size_is_told(vllmctl, files):
    done = vllmctl(*HEAD, "x", "--audio", "sound.wav")
    assert "note: sound.wav is audio/wav, 844 bytes" in done.err
    assert "note" not in vllmctl(*HEAD, "x", "--audio", "sound.wav", "-q").err


def test_a_dry_run_shortens_data_and_says_so_even_when_quiet(vllmctl, files):
    arguments = ("x", "--audio", "sound.wav", "--video", "clip.mp4", "--image", "dot.png")
    full = vllmctl(*HEAD, *arguments)
    short = vllmctl(*HEAD[:-1], *arguments, "-q")
    assert "shortened" not in full.err
    assert "note: base64 data is shortened; --full prints all of it" in short.err
    cut = [part for part in short.json["messages"][0]["content"] if "more characters" in str(part)]
    assert [part["type"] for part in cut] == ["input_audio"]
    assert len(short.out) < len(full.out)


def test_embeddings_are_data_too(vllmctl):
    data = b64encode(bytes(600)).decode()
    parts = [
        {"type": "image_embeds", "image_embeds": data},
        {"type": "image_embeds", "image_embeds": {"image_embeds": data, "image_grid_thw": "AAAA"}},
    ]
    messages = json.dumps([{"role": "user", "content": parts}])
    done = vllmctl(*HEAD[:-1], "--messages", messages, "-q")
    assert done.out.count("more characters") == 2
    assert data not in done.out
    assert data in vllmctl(*HEAD, "--messages", messages, "-q").out


def test_the_full_body_is_what_is_sent(vllmctl, files):
    arguments = ("x", "--audio", "sound.wav")
    dry = vllmctl(*HEAD, *arguments)
    with serving([response(b"{}", "400 Bad Request")]) as served:
        vllmctl(*HEAD[:-2], *arguments, "--base-url", served.url)
    assert served.got[0].body == json.dumps(dry.json).encode()
