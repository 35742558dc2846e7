from io import StringIO
from urllib.parse import quote

import pytest

from tests.cli.conftest import vllmctl as vllmctl
from vllmctl.client.answer import Answer
from vllmctl.env import Environment
from vllmctl.render.extract import code_blocks
from vllmctl.render.writers import part_writer


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("no code", []),
        ("a\n```python\nx = 1\n```\nb", ["x = 1\n"]),
        ("```\na\n```\n~~~ sh\nb\n~~~\n", ["a\n", "b\n"]),
        ("````\n```\ninner\n```\n````\n", ["```\ninner\n```\n"]),
        ("```\nnever ends\n", ["never ends\n"]),
        ("   ```\nx\n   ```", ["x\n"]),
        ("inline ```x``` only", []),
        ("```x``` stands in a line", []),
        ("- a\n  ```js\n  if:\n    x\n  ```\n", ["if:\n  x\n"]),
        ("1. a\n   - b\n     ```\n     x\n\n   y\n     ```\n", ["x\n\ny\n"]),
        (
            '```py\ndef f():\n    """\n    ```\n    """\n```\n',
            ['def f():\n    """\n    ```\n    """\n'],
        ),
        ("```\r\nx\r\n```\r\n", ["x\r\n"]),
        ("```\nx\x0c```\ny\u2028```\n```", ["x\x0c```\ny\u2028```\n"]),
    ],
)
def test_code_blocks(text, blocks):
    assert list(code_blocks(text)) == blocks


def test_each_of_several_answers_gives_its_part(vllmctl):
    def ask(reply, *flags):
        url = f"mock:?reply={quote(reply)}&reasoning=Hm."
        return vllmctl("chat", "hi", "--base-url", url, "--n", "2", *flags)

    assert ask("```\nx\n```\n```\ny\n```", "-x").out == "x\n\nx\n"
    assert ask("```\nx\n```\n```\ny\n```", "--extract-all").out == "x\n\ny\n\nx\n\ny\n"
    assert ask("[1]", "--parse").out == "[\n  1\n]\n" * 2
    assert ask("Yes", "--only-reasoning").out.split() == ["Hm."] * 2
    missing = ask("Yes", "-x")
    assert (missing.code, missing.out) == (7, "")
    assert missing.err.count("no code block in the answer") == 1


def test_of_several_answers_without_reasoning_nothing_is_written(vllmctl):
    mock = ("--base-url", "mock:?reply=Yes&reasoning=")
    done = vllmctl("chat", "hi", *mock, "--n", "2", "--only-reasoning")
    assert done.out == ""
    assert done.err.count("there is no reasoning in the answer") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": NaN}', "NaN is no JSON number"),
        ("```json\n{}\n```", "-x prints the code block in it"),
        ("Sure", "ask for it with --json-object or --schema"),
    ],
)
def test_what_is_no_json_is_told_with_a_way_to_it(vllmctl, text, words):
    url = f"mock:?reasoning=&reply={quote(text)}"
    done = vllmctl("chat", "hi", "--base-url", url, "--parse")
    assert (done.code, done.out) == (7, "")
    assert words in done.err


@pytest.mark.parametrize("part", ["extract", "extract_all", "parse"])
def test_of_an_answer_that_is_not_whole_nothing_is_missing(part):
    out = StringIO()
    answer = Answer(sent=0.0)
    answer.take({"choices": [{"index": 0, "delta": {"content": "no"}}]}, [])
    part_writer(part, Environment(), out).finish(answer)
    assert out.getvalue() == ""
