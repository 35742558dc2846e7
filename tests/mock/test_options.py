from pathlib import Path

import pytest

from vllmctl.catalog.target import Target, newest
from vllmctl.errors import UsageError
from vllmctl.mock.faults import FaultPlan
from vllmctl.mock.options import MockOptions, options_of_url, read_options, seconds


@pytest.mark.parametrize(
    ("text", "wanted"), [("200ms", 0.2), ("1.5s", 1.5), ("2m", 120), ("3", 3), (".5s", 0.5)]
)
def test_reads_times(text: str, wanted: float) -> None:
    assert seconds(text) == wanted


@pytest.mark.parametrize("text", ["", "ms", "1h", "-1s", "1 s x"])
def test_refuses_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        seconds(text)


def test_reads_all_options() -> None:
    read = read_options(
        {
            "reply": "hi",
            "reasoning": "",
            "ttft": "1s",
            "tps": "20",
            "jitter": "0.5",
            "api-key": "k",
            "model": ["a", "b"],
            "target": "vllm==0.32.0",
            "max-model-len": "10",
            "fault": ["stall=2:0.5"],
            "seed": "3",
        }
    )
    assert read == MockOptions(
        reply="hi",
        reasoning="",
        ttft=1,
        tps=20,
        jitter=0.5,
        api_key="k",
        models=("a", "b"),
        target=Target("vllm", "0.32.0"),
        max_model_len=10,
        faults=(FaultPlan("stall", "2", 0.5),),
        seed=3,
    )
    assert not read.thinks


def test_stands_in_for_the_newest_release() -> None:
    assert MockOptions().target == newest()


def test_reads_the_options_of_a_url() -> None:
    assert options_of_url("mock:") == MockOptions()
    read = options_of_url("mock:?reply=echo&tps=5&fault=cr&fault=no-done&reasoning=")
    assert (read.reply, read.tps, read.reasoning) == ("echo", 5, "")
    assert [plan.kind for plan in read.faults] == ["cr", "no-done"]


def test_names_the_options_there_are() -> None:
    with pytest.raises(UsageError, match="no option 'speed'"):
        options_of_url("mock:?speed=5")


def test_a_reply_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text("said", encoding="utf-8")
    assert read_options({"reply": f"@{file}"}).reply == "said"
    assert read_options({"reply": r"\@home"}).reply == "@home"
