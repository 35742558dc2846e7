"""Figures of an answer for people and for programs."""

import io
import json
from itertools import count

import pytest

from tests.client.replay import captures, made_response
from vllmctl.client.answer import Answer
from vllmctl.client.stream import read_answer
from vllmctl.env import Environment
from vllmctl.render.stats import write_usage, write_usage_json

METRICS = {
    "time_to_first_token_ms": 12.14,
    "generation_time_ms": 35.3,
    "queue_time_ms": 0.054,
    "mean_itl_ms": 3.209,
    "tokens_per_second": 252.93,
    "speculative_decoding": {
        "mean_acceptance_length": 2.2,
        "draft_acceptance_rate": 0.4,
        "acceptance_histogram": [2, 4, 4],
        "num_spec_steps": 10,
        "num_accepted_draft_tokens": 12,
        "num_draft_tokens": 30,
        "num_spec_tokens": 3,
    },
    "new_in_2027": 5,
}


def chunk(index=0, finish=None, **delta):
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def answered(*reads, seconds=0.25):
    """The answer in ``reads`` (a read is a chunk or a list of them), one each ``seconds``."""
    times = count(100.0, seconds)
    answer = Answer(sent=99.0, clock=lambda: next(times))
    for read in reads:
        answer.arrived()
        for each in read if isinstance(read, list) else [read]:
            answer.take(each, [])
    answer.ended()
    return answer


def told(answer):
    err = io.StringIO()
    write_usage(answer, Environment(stderr=err, variables={}))
    return err.getvalue().splitlines()


def told_json(answer):
    err = io.StringIO()
    write_usage_json(answer, Environment(stderr=err, variables={}))
    return json.loads(err.getvalue(), parse_constant=pytest.fail)


def usage(prompt=12, completion=4, **more):
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, **more}
    return {"choices": [], "usage": counts}


FOUR = [chunk(content=text) for text in ("a", "b", "c", "d")]


def test_people_get_a_line_for_each_kind():
    answer = answered(*FOUR, chunk(finish="stop"), usage())
    assert told(answer) == [
        "tokens: 12 in the prompt, 4 in the answer",
        "time: 1.25 s to the first token, 2.75 s in all",
        "speed: 4.0 tokens/s, between two tokens 250 ms (median), 250 ms (p99)",
        "finish: stop",
    ]


def test_details_of_tokens_are_told_where_there_are_some():
    details = {
        "prompt_tokens_details": {"cached_tokens": 8, "multimodal_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    assert told(answered(*FOUR, usage(**details)))[0] == (
        "tokens: 12 in the prompt (8 from the cache, 3 of images, sound or video), "
        "4 in the answer (2 of them reasoning)"
    )


def test_chunks_are_not_taken_for_tokens():
    answer = answered(*FOUR, usage(completion=12))
    assert "between two chunks of about 3.0 tokens 250 ms" in told(answer)[2]
    assert told_json(answer)["inter_chunk_s"]["tokens_each"] == 3.0


def test_without_usage_chunks_are_counted_and_said_to_be_chunks():
    lines = told(answered(*FOUR))
    assert lines[0] == "tokens: not reported (4 chunks)"
    assert lines[2] == "speed: between two chunks 250 ms (median), 250 ms (p99)"


def test_chunks_of_one_read_count_as_one_and_choices_are_timed_apart():
    reads = [[chunk(0, content="a"), chunk(1, content="b")] for _ in range(4)]
    answer = answered(*reads, usage(completion=8))
    assert list(answer.gaps) == [0.25] * 6
    assert answer.chunks == 8
    assert "8.0 tokens/s for all choices together, between two tokens 250 ms" in told(answer)[2]


def test_median_and_p99_are_of_the_gaps():
    answer = answered(*FOUR)
    answer.gaps[:] = type(answer.gaps)("f", [0.01] * 98 + [0.5] * 2)
    found = told_json(answer)["inter_chunk_s"]
    assert (found["median"], found["p99"], found["longest"]) == (0.01, 0.5, 0.5)


def test_thinking_has_a_line_with_tokens_where_they_are_known():
    reads = [chunk(reasoning=text) for text in "abc"]
    details = {"completion_tokens_details": {"reasoning_tokens": 5}}
    answer = answered(*reads, chunk(content="d"), usage(**details))
    assert "thinking: 0.500 s, 5 tokens" in told(answer)
    assert "thinking: 0.500 s, 3 chunks" in told(answered(*reads))
    assert told_json(answer)["reasoning"] == {"tokens": 5, "chunks": 3, "seconds": 0.5}


def test_what_the_server_measured_is_told_in_words_and_as_it_came():
    answer = answered(*FOUR, {**usage(), "metrics": METRICS})
    lines = told(answer)
    assert (
        "server: 0.054 ms in the queue, 12.1 ms from there to the first token, 35.3 ms for the "
        "others, 3.21 ms a token on average, 252.9 tokens/s, new_in_2027 5.0"
    ) in lines
    assert "speculative decoding: 12 of 30 drafted tokens kept (40%), 2.20 tokens a step" in lines
    assert told_json(answer)["server"] == METRICS


@pytest.mark.parametrize("metrics", [None, [], "x", {}, {"speculative_decoding": None}])
def test_no_figures_of_the_server_are_no_line(metrics):
    answer = answered(*FOUR, {**usage(), "metrics": metrics})
    assert not any(line.startswith(("server", "spec")) for line in told(answer))


def test_a_transfer_of_the_cache_is_told():
    params = {"remote_engine_id": "e1", "remote_port": 5, "remote_block_ids": [1, 2]}
    answer = answered(*FOUR, {**usage(), "kv_transfer_params": params})
    assert 'kv transfer: remote_engine_id "e1", remote_port 5' in told(answer)
    assert told_json(answer)["kv_transfer_params"] == params


@pytest.mark.parametrize(
    ("reason", "stop", "expected"),
    [
        ("stop", None, "stop"),
        ("stop", "END", "stop (string 'END')"),
        ("stop", 0, "stop (token 0)"),
        ("length", None, "length (the token limit)"),
        ("new", None, "new"),
        (None, None, "not told"),
    ],
)
def test_reasons_to_finish_are_explained(reason, stop, expected):
    answer = answered(chunk(content="a"))
    answer.choices[0].finish_reason, answer.choices[0].stop_reason = reason, stop
    assert told(answer)[-1] == f"finish: {expected}"


@pytest.mark.parametrize("name", captures("with_metrics"))
def test_a_real_server_with_metrics(name):
    capture = captures("with_metrics")[name]
    answer = Answer(sent=0.0)
    for _ in read_answer(made_response([capture["body"].encode()], capture["headers"]), answer):
        pass
    assert any(line.startswith("server: ") for line in told(answer))
    assert told_json(answer)["server"]["queue_time_ms"] > 0


def test_odd_figures_harm_nobody():
    odd = {"prompt_tokens": True, "completion_tokens": 1e400, "prompt_tokens_details": 3}
    metrics = {"speculative_decoding": {"num_draft_tokens": 0}, "queue_time_ms": float("nan")}
    answer = answered(*FOUR, {"choices": [], "usage": odd, "metrics": metrics})
    assert told(answer)[0] == "tokens: ? in the prompt, ? in the answer"
    found = told_json(answer)
    assert (found["usage"]["completion_tokens"], found["server"]["queue_time_ms"]) == (None, None)
