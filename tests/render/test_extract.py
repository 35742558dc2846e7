import pytest

from vllmctl.render.extract import code_blocks


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
    ],
)
def test_code_blocks(text, blocks):
    assert list(code_blocks(text)) == blocks
