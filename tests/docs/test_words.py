"""What pages say in passing: names of flags, numbers of codes, where things are."""

import re
from collections.abc import Iterator

import pytest

from tools.docs.__main__ import PROJECT, pages
from tools.docs.blocks import blocks
from tools.docs.program import every_command
from tools.docs.settings import variables
from vllmctl.cli.chat import command as chat
from vllmctl.cli.complete import command as complete
from vllmctl.exitcodes import ExitCode

PAGES = [str(path.relative_to(PROJECT)) for path in pages()]
OF_OTHERS = {
    "--check": "tools.docs",
    "--enable-auto-tool-choice": "vllm serve",
    "--enable-per-request-metrics": "vllm serve",
    "--generation-config": "vllm serve",
    "--max-logprobs": "vllm serve",
    "--offline": "HTTPie",
    "--per-request-spec-decode-metrics": "vllm serve",
    "--strict": "mkdocs",
    "--tool-call-parser": "vllm serve",
    "--uds": "vllm serve",
}
"""Flags of other programs that pages speak of."""
TOLD_TO_AVOID = {"--top-pp", "--max-new-tokens"}
"""Flags that pages show as mistakes."""


@pytest.fixture(scope="module")
def flags() -> set[str]:
    known = {name for command in every_command() for o in command.options for name in o.names}
    known |= {name for command in every_command() for o in command.options for name in o.off}
    for spec in (*chat().specs, *complete().specs):
        known |= {*spec.hidden, *spec.hidden_off}
    return known | {"--help", "--version"}


def prose(text: str) -> str:
    """The page without its blocks of code."""
    lines = text.split("\n")
    for block in reversed(list(blocks(text))):
        del lines[block.start : block.end + 1]
    return "\n".join(lines)


def spans(text: str) -> Iterator[str]:
    """The pieces of code inside the sentences."""
    yield from re.findall(r"`([^`\n]+)`", prose(text))


@pytest.mark.parametrize("page", PAGES)
def test_flags_exist(page: str, flags: set[str]) -> None:
    text = (PROJECT / page).read_text(encoding="utf-8")
    named = {flag for span in spans(text) for flag in re.findall(r"(?<!\S)--[a-z][\w.-]*", span)}
    assert named - flags - set(OF_OTHERS) - TOLD_TO_AVOID == set()


@pytest.mark.parametrize("page", PAGES)
def test_links_in_the_repository_lead_somewhere(page: str) -> None:
    text = prose((PROJECT / page).read_text(encoding="utf-8"))
    here = (PROJECT / page).parent
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    made = ("reference/", "pictures/")
    gone = [t for t in targets if not (here / t).exists() and not any(m in t for m in made)]
    assert gone == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_speak_of_the_program_alone(page: str) -> None:
    text = (PROJECT / page).read_text(encoding="utf-8")
    assert not re.search(r"\bissue\b|\bagents?\b|(?<![&\w])#\d+|\bTODO\b", text)


@pytest.mark.parametrize("page", PAGES)
def test_lines_of_prose_are_not_longer_than_a_hundred(page: str) -> None:
    lines = prose((PROJECT / page).read_text(encoding="utf-8")).split("\n")
    assert [line for line in lines if len(line) > 100 and not line.startswith(("|", "!["))] == []


def test_the_design_has_every_layer() -> None:
    contract = (PROJECT / "pyproject.toml").read_text(encoding="utf-8").partition("layers = [")[2]
    layers = re.findall(r"vllmctl\.(\w+)", contract.partition("]")[0])
    design = (PROJECT / "docs" / "design.md").read_text(encoding="utf-8").partition("## Layers")[2]
    assert layers
    assert [name for name in layers if f"`{name}`" not in design] == []


def test_the_readme_has_all_exit_codes() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Exit codes")[2].partition("\n## ")[0]
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == list(
        ExitCode
    )


def test_the_readme_has_the_variables() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([A-Z][A-Z_]+)`", readme.partition("## Environment")[2]))
    known = {name for variable in variables() for name in variable.names}
    assert told <= known
    settings = {name for name in known if name.startswith("VLLMCTL_")}
    assert settings - {"VLLMCTL_TRUST", "VLLMCTL_TRACEBACK"} <= told
