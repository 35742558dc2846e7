"""The pages that are made: everything that the program has is in them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import vllmctl
from tools.docs import rules
from tools.docs.markdown import anchor, code, text
from tools.docs.pages import reference_pages
from tools.docs.program import commands, every_command
from tools.docs.settings import exit_codes, variables
from vllmctl.catalog.files import read_endpoint, read_index
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest, releases
from vllmctl.cli.commands import COMMANDS, GROUPS
from vllmctl.exitcodes import ExitCode
from vllmctl.explain.findings import findings
from vllmctl.fields.options import field_options
from vllmctl.fields.sugar import BOTH
from vllmctl.mock.faults import KINDS
from vllmctl.request.server.keys import SERVER_KEYS


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference_pages()


@pytest.fixture(scope="module")
def field_pages(pages: dict[str, str]) -> str:
    return "\n".join(words for path, words in pages.items() if "/fields/" in path)


def headings(words: str) -> set[str]:
    return set(re.findall(r"^#+ .* \{ #(\S+) \}$", words, re.MULTILINE))


@pytest.mark.parametrize("name", BOTH)
def test_every_field_has_a_section_with_its_flag(name: str, field_pages: str) -> None:
    of = endpoint(name, newest())
    assert {anchor(field) for field in of.fields} <= headings(field_pages)
    for spec in field_options(of):
        assert code(spec.names[0]) in field_pages


@pytest.mark.parametrize("name", BOTH)
def test_every_removed_field_is_told(name: str, pages: dict[str, str]) -> None:
    removed = pages["reference/fields/removed.md"]
    gone = [f for f, field in endpoint(name, newest()).absent.items() if field.until]
    assert gone
    assert [field for field in gone if code(field) not in removed] == []


def test_types_limits_defaults_and_releases_are_told(pages: dict[str, str]) -> None:
    section = pages["reference/fields/length.md"].partition("## `truncate_prompt_tokens`")[2]
    section = section.partition("\n## ")[0]
    assert "| Type | integer or null |" in section
    assert "at least -1" in section
    assert "since 0.5.3" in section
    assert "--truncate-prompt-tokens" in section


def test_every_rule_of_every_endpoint_and_release_is_told(pages: dict[str, str]) -> None:
    told = headings(pages["reference/rules.md"])
    for name in read_index("vllm")["endpoints"]:
        known = read_endpoint("vllm", name)["rules"]
        assert {anchor(rule) for rule in known} <= told, name


def test_every_code_of_lint_is_told(pages: dict[str, str]) -> None:
    told = set(findings()) | set(rules.every_rule())
    families = {name.removesuffix("*") for name in told if name.endswith("*")}
    untold = [
        each for each in codes() if each not in told and not each.startswith((*families, "x."))
    ]
    assert untold == []
    assert all(code(name) in pages["reference/findings.md"] for name in findings())


def test_no_code_is_told_that_lint_does_not_have() -> None:
    made = ("field.", "type.")  # of which the sources have the second part alone
    table = {each for each in findings() if not each.startswith(made)}
    assert table - set(codes()) - constants() == set()
    assert set(findings()) & set(rules.every_rule()) == set()


def test_every_exit_code_is_told_in_the_words_of_the_source(pages: dict[str, str]) -> None:
    told = list(exit_codes())
    assert [each.number for each in told] == list(ExitCode)
    for each in told:
        assert f"| `{each.number}` | {text(each.meaning)} |" in pages["reference/exit-codes.md"]


def test_every_variable_that_the_program_reads_is_told(
    pages: dict[str, str], project: Path
) -> None:
    told = {name for variable in variables() for name in variable.names}
    named = {name for path in (project / "vllmctl").rglob("*.py") for name in _variables_in(path)}
    assert len(named) > 8
    assert named - told - {"HOME", "PWD", "REQUEST_METHOD"} == set()
    assert all(f"`{name}`" in pages["reference/environment.md"] for name in told)


def test_every_profile_key_and_shipped_profile_is_told(
    pages: dict[str, str], project: Path
) -> None:
    page = pages["reference/profiles.md"]
    for key, setting in SERVER_KEYS.items():
        assert f"| {code(key)} | {text(setting.help)} |" in page
    shipped = {f"profile-{path.stem}" for path in (project / "profiles").glob("*.toml")}
    assert shipped <= headings(page)


def test_every_fault_of_the_mock_is_told(pages: dict[str, str]) -> None:
    assert all(f"| `{name}" in pages["reference/mock.md"] for name in KINDS)


def test_every_release_is_told(pages: dict[str, str]) -> None:
    assert all(release in pages["reference/releases.md"] for release in releases())


def test_every_command_and_option_is_told(pages: dict[str, str], field_pages: str) -> None:
    page = pages["reference/commands.md"]
    assert [command.name for command in commands()] == list(COMMANDS)
    names = {command.name for command in every_command()}
    assert {f"profiles {part}" for part in GROUPS["profiles"]} <= names
    for command in every_command():
        assert anchor(command.name) in headings(page)
        for option in command.options:
            assert code(option.label) in page or code(option.names[0]) in field_pages


def test_links_between_made_pages_lead_somewhere(pages: dict[str, str]) -> None:
    for path, words in pages.items():
        for target in re.findall(r"\]\(([^)#]+\.md)#?", words):
            there = Path(path).parent.joinpath(target)
            parts: list[str] = []
            for part in there.parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            written = Path("docs", *parts)
            assert "/".join(parts) in pages or written.exists(), f"{path}: {target}"


def test_the_menu_has_every_page(pages: dict[str, str], project: Path) -> None:
    menu = (project / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"(\S+\.md)$", menu, re.MULTILINE)
    written = [path.relative_to(project / "docs") for path in (project / "docs").rglob("*.md")]
    assert sorted(listed) == sorted([*pages, *map(str, written)])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("min_p lies in [0, 1].", r"`min_p` lies in \[0, 1\]."),
        ("unless --max-logprobs is set", "unless `--max-logprobs` is set"),
        ("until </think>, a|b", r"until &lt;/think&gt;, a\|b"),
        ("`vllm run-batch` and guided_*", "`vllm run-batch` and `guided_*`"),
        ("e.g. structured_outputs.json", "e.g. `structured_outputs.json`"),
    ],
)
def test_names_in_plain_words_are_set_as_code(words: str, expected: str) -> None:
    assert text(words) == expected


def codes() -> list[str]:
    """Return the codes that the sources of lint and of the checks give to findings."""
    folder = Path(vllmctl.__file__).parent
    names = [*(folder / "lint").glob("*.py"), *(folder / "rules").glob("*.py")]
    return sorted({each for path in names for each in _codes_in(path)})


def constants() -> set[str]:
    """Return the texts in the sources of lint; some codes are chosen from a table."""
    folder = Path(vllmctl.__file__).parent / "lint"
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {str(node.value) for node in nodes if isinstance(node, ast.Constant)}


def _variables_in(path: Path) -> Iterator[str]:
    """What a module asks the environment for, and all that looks like a name of ours."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\b(?:VLLMCTL|OPENAI|XDG)_[A-Z]+(?:_[A-Z]+)*\b", node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = ast.unparse(node.func).endswith(("variables.get", "environ.get"))
            if asked and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def _codes_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
            yield from _given(name, node.args)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _given(name: str, arguments: list[ast.expr]) -> Iterator[str]:
    words = [each.value if isinstance(each, ast.Constant) else None for each in arguments]
    if name.endswith("Finding") and len(words) > 1 and isinstance(words[1], str):
        yield words[1]
    if name in ("_fault", "_stop") and words and isinstance(words[0], str):
        yield f"json.{words[0]}"
