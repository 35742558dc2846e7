"""What can be measured of an answer, in seconds and tokens."""

from vllmctl.client.answer import Answer
from vllmctl.record import Record
from vllmctl.render.usage import count_of


class Gaps(Record, frozen=True):
    """The seconds between chunks of one choice; chunks that come in one read count as one.

    ``tokens_each`` is how many tokens such a chunk carries, where the server told the tokens.
    """

    median: float
    p99: float
    longest: float
    tokens_each: float | None

    @property
    def are_of_tokens(self) -> bool:
        """Whether a chunk is a token, but for some that are not shown."""
        return self.tokens_each is not None and 0.9 < self.tokens_each < 1.5


def gaps_of(answer: Answer) -> Gaps | None:
    """Return the gaps in a stream; ``None`` where there are too few to speak of."""
    gaps = sorted(answer.gaps)
    if len(gaps) < 2:
        return None
    last = len(gaps) - 1
    arrivals = len(gaps) + sum(choice.last is not None for choice in answer.choices.values())
    tokens = count_of(answer.usage, "completion_tokens")
    each = None if tokens is None else tokens / arrivals
    return Gaps(gaps[len(gaps) // 2], gaps[round(last * 0.99)], gaps[-1], each)


def first_token(answer: Answer) -> float | None:
    """Return the seconds to the first token of a stream."""
    times = answer.timings
    if times.first_token is None or answer.whole is not None:
        return None
    return times.first_token - times.sent


def total(answer: Answer) -> float | None:
    """Return the seconds to the end."""
    times = answer.timings
    return None if times.ended is None else times.ended - times.sent


def speed(answer: Answer) -> float | None:
    """Return the tokens a second: in a stream after the first ones, else over the whole time."""
    times, count = answer.timings, count_of(answer.usage, "completion_tokens") or 0
    streamed = answer.whole is None and times.first_token is not None
    began = times.first_token if streamed else times.sent
    ended = times.last_token if streamed else times.ended
    made = count - len(answer.choices) if streamed else count
    if began is None or ended is None or ended <= began or made <= 0:
        return None
    return made / (ended - began)


def thinking(answer: Answer) -> tuple[float, int] | None:
    """Return how long was thought, of several choices the longest, and in how many chunks."""
    found = [choice.thinking for choice in answer.choices.values() if choice.thinking.chunks]
    if not found:
        return None
    return max(each.seconds for each in found), sum(each.chunks for each in found)
