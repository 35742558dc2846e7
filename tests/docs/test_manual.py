"""The manual pages: up to date, complete, and well formed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.docs import man
from tools.docs.__main__ import MANUAL
from tools.docs.program import commands
from vllmctl.cli.commands import COMMANDS

NAMES = ["vllmctl.1", *(f"vllmctl-{name}.1" for name in COMMANDS)]


def test_there_is_one_for_each_command() -> None:
    assert sorted(path.name for path in MANUAL.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_up_to_date(name: str) -> None:
    kept = (MANUAL / name).read_text(encoding="utf-8")
    assert kept == man.pages()[name], "run `python -m tools.docs`"


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_it_names_every_option(command) -> None:
    page = plain(man.pages()[f"vllmctl-{command.name}.1"])
    for part in (command, *command.commands):
        assert part.usage in page
        assert [o.label for o in part.options if o.label not in page and not o.is_field] == []
    if not command.commands:
        assert [option.label for option in command.options if option.label not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_a_request_by_accident(name: str) -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".BR", ".nf", ".fi", ".nh", ".ad"}
    requests = re.findall(r"^[.'].*?(?=\s|$)", (MANUAL / name).read_text("utf-8"), re.MULTILINE)
    assert set(requests) <= known


@pytest.mark.parametrize("name", NAMES)
def test_the_typesetter_has_no_complaint(name: str) -> None:
    text = (MANUAL / name).read_text(encoding="utf-8")
    assert text.startswith(".TH ")
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-ww", "-z", "-Kutf8", "-Tutf8", str(MANUAL / name)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""


def test_it_reads_like_this(tmp_path: Path) -> None:
    if not shutil.which("groff"):
        assert plain(man.pages()["vllmctl.1"]).count("vllmctl-chat")
        return
    done = subprocess.run(
        ["groff", "-man", "-Kutf8", "-Tutf8", "-P-cbou", str(MANUAL / "vllmctl-chat.1")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "-t, --temperature NUM\n              Randomness; 0 is greedy.\n" in done.stdout


def plain(page: str) -> str:
    """The page without the typesetter's language."""
    for sign, character in (("\\-", "-"), ("\\(ti", "~"), ("\\(ha", "^"), ("\\(ga", "`")):
        page = page.replace(sign, character)
    return re.sub(r"\\f[BR]|\\&", "", page).replace("\\e", "\\")
