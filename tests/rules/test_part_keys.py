"""In which order strange keys inside parts of messages are told."""

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_targets
from vllmctl.rules.check import check

CHAT = endpoint("chat.completions", parse_targets("vllm==0.32.0", "")[0])


def found(code, **fields):
    body = {"messages": [{"role": "user", "content": "hi"}], **fields}
    return [finding for finding in check(body, CHAT) if finding.code == code]


def test_strange_keys_inside_parts_are_told_in_their_order():
    url = {"url": "https://example.com/a.png", **{f"odd_{letter}": 1 for letter in "zyxwvut"}}
    content = [{"type": "image_url", "image_url": url}]
    told = found("messages.part_key", messages=[{"role": "user", "content": content}])
    assert [one.path.rpartition("_")[2] for one in told] == list("zyxwvut")
