from hypothesis import given
from hypothesis import strategies as st

from tests.mock.asking import ask, chat, complete
from vllmctl.mock import tokenizer
from vllmctl.mock.pieces import SPECIALS, VOCABULARY_SIZE, vocabulary


def test_each_piece_is_there_once() -> None:
    assert len(vocabulary()) == len(set(vocabulary())) == VOCABULARY_SIZE


@given(st.text())
def test_gives_any_text_back(text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text())
def test_the_steps_add_up_to_the_text(text: str) -> None:
    assert "".join(tokenizer.decode_steps(tokenizer.encode(text))) == text


def test_common_words_are_one_token() -> None:
    assert len(tokenizer.encode("The weather is good today.")) == 6


def test_a_split_character_comes_with_its_last_token() -> None:
    ids = tokenizer.encode("☃")
    assert len(ids) == 3
    assert tokenizer.decode_steps(ids) == ["", "", "☃"]


def test_special_pieces_are_one_token_each() -> None:
    assert tokenizer.encode("".join(SPECIALS)) == list(range(len(SPECIALS)))


def test_tokenize_and_detokenize_agree() -> None:
    text = 'A river: {"ä": 1} 😀'
    tokens = ask("/tokenize", {"prompt": text}).json
    assert tokens["count"] == len(tokens["tokens"])
    assert ask("/detokenize", {"tokens": tokens["tokens"]}).json == {"prompt": text}


def test_token_strings_spell_spaces_as_byte_level_vocabularies_do() -> None:
    tokens = ask("/tokenize", {"prompt": "The river ☃", "return_token_strs": True}).json
    assert tokens["token_strs"] == ["The", "Ġriver", "Ġ", "â", "ĺ", "ĥ"]


def test_tokenize_counts_what_chat_counts() -> None:
    messages = [{"role": "user", "content": "How are you?"}]
    tokens = ask("/tokenize", {"messages": messages}).json
    answer = chat(messages=messages, return_token_ids=True, max_tokens=1).json
    assert answer["usage"]["prompt_tokens"] == tokens["count"]
    assert answer["prompt_token_ids"] == tokens["tokens"]


def test_tokenize_counts_what_completions_count() -> None:
    tokens = ask("/tokenize", {"prompt": "The river"}).json["tokens"]
    answer = complete(return_token_ids=True).json
    assert answer["choices"][0]["prompt_token_ids"] == tokens
    assert answer["usage"]["prompt_tokens"] == len(tokens)


def test_token_ids_spell_the_answer() -> None:
    choice = complete(return_token_ids=True, max_tokens=9).json["choices"][0]
    assert tokenizer.decode(choice["token_ids"]) == choice["text"]
