"""JSON paths: text and keys, each from the other."""

import pytest

from vllmctl.catalog.json_path import Keys, keys_of, path_text


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("messages[0].content[1].text", ("messages", 0, "content", 1, "text")),
        ('logit_bias["5"]', ("logit_bias", "5")),
        ('a["x.y"].c', ("a", "x.y", "c")),
        ('a["say \\"hi\\" [0]"]', ("a", 'say "hi" [0]')),
        ("chat-template", ("chat-template",)),
        ("", ()),
    ],
)
def test_path_is_its_keys(path: str, keys: Keys) -> None:
    assert keys_of(path) == keys
    assert path_text(keys) == path
