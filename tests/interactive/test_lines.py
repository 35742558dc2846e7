"""How several lines become one message."""

import pytest

from vllmctl.cli.interactive.lines import continues, is_open, messages, unwrapped


@pytest.mark.parametrize(
    "lines,said",
    [
        (["a", "b"], ["a", "b"]),
        (["a\\", "b", "c"], ["a\nb", "c"]),
        (["a\\\\", "b"], ["a\\\\", "b"]),
        (['"""', "a\\", "", "b", '"""', "c"], ['"""\na\\\n\nb\n"""', "c"]),
        (['"""a', 'b"""'], ['"""a\nb"""']),
        (['/system """', "a", '"""'], ['/system """\na\n"""']),
        (['say """ twice', "b"], ['say """ twice', "b"]),
        (["a\\"], ["a\n"]),
        (['"""', "never closed"], ['"""\nnever closed\n']),
        ([], []),
    ],
)
def test_lines_that_belong_together(lines, said):
    assert list(messages(lines)) == said


@pytest.mark.parametrize(
    "typed,text",
    [
        ('"""\na\nb\n"""', "a\nb"),
        ('"""a"""', "a"),
        ('/system """\nBe brief.\nBe kind.\n"""', "/system Be brief.\nBe kind."),
        ('"""doc"""\ncode', '"""doc"""\ncode'),
        ('"""a""" and """b"""', '"""a""" and """b"""'),
        ("plain", "plain"),
        ('""', '""'),
    ],
)
def test_a_block_loses_its_quotes(typed, text):
    assert unwrapped(typed) == text


def test_what_asks_for_another_line():
    assert continues("a\\")
    assert not continues("a\\\\")
    assert is_open('"""a')
    assert not is_open('"""doc"""\ncode')
    assert not is_open('x """')
