import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import (
    Target,
    closest,
    following,
    index,
    newest,
    parse_target,
    parse_targets,
    releases,
)
from vllmctl.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm==0.32.0", "vllm==0.32.0"),
        ("0.32.0", "vllm==0.32.0"),
        ("v0.32.0", "vllm==0.32.0"),
        ("VLLM==0.32.0", "vllm==0.32.0"),
        ("vllm==0.11", "vllm==0.11.2"),
        ("0.8", "vllm==0.8.5.post1"),
        ("0.5.3.post1", "vllm==0.5.3.post1"),
        ("0.32.0+cpu", "vllm==0.32.0"),
        ("0.10.1.1", "vllm==0.10.1.1"),
        ("furiosa==2025.3.1", "furiosa==2025.3.1"),
        ("furiosa==2025.3", "furiosa==2025.3.4"),
    ],
)
def test_names_a_release(text: str, expected: str) -> None:
    target = parse_target(text)
    assert str(target) == expected
    assert target.asked is None


@pytest.mark.parametrize("engine", ["vllm", "furiosa"])
def test_an_engine_alone_is_its_newest_release(engine: str) -> None:
    assert parse_target(engine) == newest(engine) == Target(engine, releases(engine)[-1])


@pytest.mark.parametrize(
    ("text", "stands_in"),
    [
        ("0.32.1.dev3+gabc", "0.32.0"),
        ("0.33.0rc1", "0.32.0"),
        ("0.12.0.dev17", "0.11.2"),
        ("99.0.0", releases()[-1]),
        ("0.34", releases()[-1]),
        ("0.10.99", "0.10.2"),
    ],
)
def test_for_an_unknown_version_the_nearest_older_release_stands_in_and_says_so(
    text: str, stands_in: str
) -> None:
    target = parse_target(text)
    assert (target.release, target.asked) == (stands_in, text)
    assert f"vllm {text} is not known; vllm=={stands_in} stands in" in target.notice
    assert parse_targets(text) == parse_targets(f"vllm=={text}") == (target,)
    assert parse_targets(f"vllm=={text}")[0].asked == text


def test_the_facts_know_what_was_asked_for_whoever_asked_before() -> None:
    known, stand_in = newest(), parse_target("99")
    for target in (known, stand_in, known):
        assert endpoint("completions", target).target.asked == target.asked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.0.1", "nearest: 0.1.0"),
        ("vlm", "unknown engine 'vlm'"),
        ("vllm==latest", "'latest' is not a version"),
    ],
)
def test_refuses_what_never_was_and_says_what_is(text: str, words: str) -> None:
    for parse in (parse_target, parse_targets):
        with pytest.raises(UsageError) as caught:
            parse(text, "--target")
        assert caught.value.message.startswith("--target: ")
        assert words in caught.value.message
        assert "vllm" in caught.value.hint


def test_a_server_version_is_never_refused_for_being_unknown() -> None:
    assert closest("vllm", "0.32.7") == Target("vllm", "0.32.0")
    assert closest("vllm", "0.32.7.dev1").asked == "0.32.7.dev1"  # type: ignore[union-attr]
    assert closest("vllm", "not a version") is None
    assert closest("vllm", "0.0.1") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm>=0.11,<0.14", ["0.11.0", "0.11.1", "0.11.2", "0.12.0", "0.13.0"]),
        ("<=0.1.2", ["0.1.0", "0.1.1", "0.1.2"]),
        ("vllm==0.11.*", ["0.11.0", "0.11.1", "0.11.2"]),
        ("vllm==0.14", ["0.14.0", "0.14.1"]),
        ("vllm>0.14,<=0.15", ["0.15.0", "0.15.1"]),
        ("0.14.1", ["0.14.1"]),
        ("vllm>=0.11,!=0.11.1,<0.12", ["0.11.0", "0.11.2"]),
    ],
)
def test_a_range_is_every_release_in_it(text: str, expected: list[str]) -> None:
    assert [target.release for target in parse_targets(text)] == expected


@pytest.mark.parametrize("text", ["vllm>=99", "vllm>=abc", "vlm>=0.1"])
def test_refuses_a_range_without_a_release(text: str) -> None:
    with pytest.raises(UsageError):
        parse_targets(text)


def test_releases_are_ordered_oldest_first() -> None:
    assert index("0.9.2") < index("0.10.0") < index("0.10.1.1") < index("0.11.0")
    assert following("0.11.2") == "0.12.0"
    assert following(releases()[-1]) is None
