"""What is told of the parts of messages, and in which order."""

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check

TARGET = parse_target("vllm==0.32.0")
CHAT = endpoint("chat.completions", TARGET)


def found(code, **fields):
    body = {"messages": [{"role": "user", "content": "hi"}], **fields}
    return [finding for finding in check(body, CHAT) if finding.code == code]


def test_strange_keys_inside_parts_are_told_in_their_order():
    url = {"url": "https://example.com/a.png", **{f"odd_{letter}": 1 for letter in "zyxwvut"}}
    content = [{"type": "image_url", "image_url": url}]
    told = found("messages.part_key", messages=[{"role": "user", "content": content}])
    assert [one.path.rpartition("_")[2] for one in told] == list("zyxwvut")


def test_anthropics_api_has_parts_of_its_own():
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "5"}
    own, of = {"model": "m", "max_tokens": 5}, endpoint("messages", TARGET)
    called = {"role": "assistant", "content": [call]}
    answered = {"role": "user", "content": [result]}
    asked = {"role": "user", "content": "hi"}
    assert check({**own, "messages": [asked, called, answered]}, of) == []
    asked = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    (finding,) = check({**own, "messages": [asked]}, of)
    assert finding.path == "messages[0].content[0].type"
