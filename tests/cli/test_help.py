import re

import pytest

PAGES = [("--help",), ("chat", "--help"), ("chat", "--help-all"), ("complete", "--help-all"),
         ("complete", "-h"), ("chat", "--help-panel", "sampling"), ("profiles", "--help"),
         ("profiles", "save", "--help")]  # fmt: skip


@pytest.mark.parametrize("arguments", PAGES)
@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_pages_are_never_wider_than_the_terminal_or_80_columns(
    vllmctl, monkeypatch, arguments, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    done = vllmctl(*arguments)
    assert done.code == 0
    assert done.err == ""
    limit = min(int(columns), 80)
    wide = [line for line in done.out.splitlines() if len(line) > limit]
    # an option's own name may be longer than the page
    assert [line for line in wide if not re.fullmatch(r"  --\S+( \S+)?|  vllmctl .*", line)] == []


def test_the_short_page_has_examples_common_options_and_an_index(vllmctl):
    page = vllmctl("chat", "--help").out
    assert page.startswith("Usage: vllmctl chat")
    assert len(re.findall(r"^  (?:vllmctl|git) ", page, re.M)) == 4
    options = re.findall(r"^  (?:-\w, )?--[\w-]+", page, re.M)
    assert 20 <= len(options) <= 28
    assert re.search(r"^  template +Chat template \(\d+ more\)$", page, re.M)


def test_the_whole_page_has_every_field(vllmctl):
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import newest

    for command, name in (("chat", "chat.completions"), ("complete", "completions")):
        page = vllmctl(command, "--help-all").out
        for field in endpoint(name, newest()).fields:
            assert f"--{field.replace('_', '-')}" in page, field


def test_a_panel_that_does_not_exist_is_told(vllmctl):
    done = vllmctl("chat", "--help-panel", "nope")
    assert done.code == 2
    assert "sampling" in done.err


def test_colour_is_bold_titles_only_when_asked_for(vllmctl):
    assert "\x1b[" not in vllmctl("chat", "--help").out
    assert "\x1b[1mUsage:\x1b[0m" in vllmctl("chat", "--help", "--color", "always").out


def test_no_arguments_show_the_page_and_are_an_error(vllmctl):
    for arguments in ((), ("profiles",)):
        done = vllmctl(*arguments)
        assert (done.code, done.out) == (2, "")
        assert "Commands" in done.err


@pytest.mark.parametrize("arguments", PAGES[1:6])
def test_on_a_narrow_page_each_name_has_a_line_of_its_own(vllmctl, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "20")
    done = vllmctl(*arguments)
    assert done.code == 0
    lines = done.out.splitlines()
    texts = [line for line in lines if re.match(r"    \w+ \w", line)]
    assert texts
    assert max(map(len, texts)) <= 20
    names = [line for line in lines if re.match("  -", line)]
    assert all(re.fullmatch(r"  (-\w, )?-\S+( \S+)?", name) for name in names)
