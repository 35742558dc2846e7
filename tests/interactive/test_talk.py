"""The state of a chat: what is said next, what was said, what is taken back."""

import pytest

from vllmctl.cli.chat import command
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.talk import Talk, text_of
from vllmctl.errors import UsageError
from vllmctl.request.sessions import Session, sendable

SPECS = command().specs


def message(role, content):
    return {"role": role, "content": content}


def talk(*said, **values):
    """A talk in which users and the model have said ``said`` in turn."""
    roles = ("user", "assistant")
    messages = [message(roles[place % 2], text) for place, text in enumerate(said)]
    return Talk.begin(Given(values, SPECS), Session(messages=messages))


def answer(chat, *messages):
    chat.session.take(list(messages))
    chat.answered(chat.turn(None))


def test_what_belongs_to_one_message_waits_for_it():
    chat = talk(image=["cat.png"], file=["a.md"], system=["Be brief"], prompt=["Hi"])
    assert chat.waiting == {"image": ["cat.png"], "file": ["a.md"]}
    turn = chat.turn("Look")
    assert turn.given.all("prompt") == ["Look"]
    assert turn.given.all("image") == ["cat.png"]
    assert turn.given.last("system") == "Be brief"
    answer(chat, message("user", "Look"), message("assistant", "A cat"))
    assert not chat.turn("More").given.has("image")


def test_asking_again_leaves_the_answer_out():
    chat = talk("One", "A", "Two", "B")
    turn = chat.again()
    assert turn.given.all("prompt") == []
    assert [one["content"] for one in turn.session.messages] == ["One", "A", "Two"]
    assert len(chat.session.messages) == 4


def test_asking_again_says_what_was_not_answered():
    chat = talk("One", "A", image=["cat.png"])
    chat.unanswered = "Two"
    turn = chat.again()
    assert (turn.given.all("prompt"), turn.given.all("image")) == (["Two"], ["cat.png"])
    assert turn.session is chat.session


def test_asking_again_sends_the_results_of_tools_again():
    chat = talk("One")
    chat.session.messages += [{"role": "assistant", "tool_calls": []}, message("tool", "noon")]
    assert [one["role"] for one in chat.again().session.messages] == ["user", "assistant", "tool"]


def test_undo_takes_back_one_exchange_at_a_time():
    chat = talk("One", "A", "Two", "B")
    assert chat.undo() == "Two"
    assert [one["content"] for one in chat.session.messages] == ["One", "A"]
    assert chat.undo() == "One"
    assert chat.session.messages == []
    with pytest.raises(UsageError, match="nothing was said yet"):
        chat.undo()
    with pytest.raises(UsageError, match="nothing was said yet"):
        chat.again()


def test_undo_takes_back_tools_and_their_results_with_the_question():
    chat = talk("One", "A", "Two")
    call = {"role": "assistant", "tool_calls": [{"id": "1"}]}
    chat.session.messages += [call, message("tool", "noon"), message("assistant", "B")]
    chat.undo()
    assert [one["content"] for one in chat.session.messages] == ["One", "A"]


def test_undo_takes_back_what_was_not_answered_first():
    chat = talk("One", "A")
    chat.unanswered = "Two"
    assert chat.undo() == "Two"
    assert (chat.unanswered, len(chat.session.messages)) == (None, 2)


def test_a_cut_answer_has_a_mark_that_stays_and_is_not_sent():
    chat = talk()
    answer(chat, message("user", "One"), message("assistant", "A hal") | {"cut": True})
    assert chat.session.messages[1]["cut"] is True
    sent = sendable(chat.session.messages)
    assert sent == [message("user", "One"), message("assistant", "A hal")]
    whole = [*sent, message("user", "Two"), message("assistant", "B")]
    answer(chat, message("system", "s"), *whole)
    assert ["cut" in one for one in chat.session.messages] == [False, False, True, False, False]


@pytest.mark.parametrize(
    "opening", [{"field_messages": ["[]"]}, {"option": ["messages:=[]", "a=1"]}]
)
def test_what_opens_the_talk_does_so_once(opening):
    chat = talk("Old", "session", **opening)
    assert chat.session.messages == []
    turn = chat.turn("Hi").given
    assert turn.has("field_messages") or "messages:=[]" in turn.all("option")
    answer(chat, message("user", "Hi"), message("assistant", "A"))
    after = chat.turn("More").given
    assert not after.has("field_messages")
    assert [text for text in after.all("option") if "messages" in text] == []
    assert ("a=1" in after.all("option")) is ("option" in opening)
    chat.undo()
    assert chat.turn("Hi").given.values.keys() >= opening.keys()


def test_a_new_talk_keeps_the_settings():
    chat = talk("One", "A", field_temperature=["0.5"], image=["x"])
    chat.clear()
    assert (chat.session.messages, chat.waiting) == ([], {})
    assert chat.given.last("field_temperature") == "0.5"


def test_parts_are_told_as_words():
    parts = [{"type": "image_url", "image_url": {}}, {"type": "text", "text": "What is it?"}]
    assert text_of(message("user", parts)) == "[image_url]\nWhat is it?"
    assert text_of({"role": "assistant"}) == ""
