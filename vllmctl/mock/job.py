"""One accepted request: what is asked, and the choices that answer it."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from vllmctl.mock.generate import Step, generate
from vllmctl.mock.options import MockOptions
from vllmctl.mock.pace import Pace
from vllmctl.mock.plan import Call, Part, Plan
from vllmctl.mock.sampling import Sampling, chance
from vllmctl.record import Record, field

Group = list[Step]
"""Steps that come out together."""

Planner = Callable[[Sequence[int], Random], Plan]


class Choice(NamedTuple):
    """One answer in the making.

    ``number`` is its ``index`` in the answer, ``prompt`` the place of its prompt in the job.
    """

    number: int
    prompt: int
    steps: Iterator[Step]
    calls: Sequence[Call]


class Job(Record):
    """A request that was found right, with all that its answer needs.

    ``body`` holds the values as the server reads them; ``prompts`` the token ids of each
    prompt; ``cached`` and ``created_cache`` count prompt tokens found in and put into the
    cache. ``watch`` is told of each token made, with the reason when it is a choice's last.
    """

    id: str
    body: Mapping[str, Any]
    options: MockOptions
    prompts: Sequence[Sequence[int]]
    limits: Sampling
    plan: Planner
    cached: int = 0
    created_cache: int = 0
    created: int = field(factory=lambda: int(time.time()))
    watch: Callable[[str | None], None] = lambda _: None

    @property
    def model(self) -> str:
        """The name that the answer carries: the first one served, whatever was asked."""
        return self.options.models[0]

    @property
    def fingerprint(self) -> str:
        """The ``system_fingerprint`` of answers."""
        return f"{self.options.target.engine}-{self.options.target.release}-mock"

    @property
    def pace(self) -> Pace:
        """The speed of this answer."""
        return Pace(self.options)

    @property
    def prompt_tokens(self) -> int:
        """The tokens of all prompts."""
        return sum(map(len, self.prompts))

    @property
    def beams(self) -> bool:
        """Whether beam search answers."""
        return bool(self.body.get("use_beam_search"))

    def wants(self, name: str) -> bool:
        """Whether a switch of the body is on."""
        return bool(self.body.get(name))

    def choices(self) -> list[Choice]:
        """Return the choices, one after another for each prompt."""
        count = self.body.get("n") or 1
        return [
            self._choice(place * count + number, place, ids)
            for place, ids in enumerate(self.prompts)
            for number in range(count)
        ]

    def _choice(self, index: int, place: int, ids: Sequence[int]) -> Choice:
        random = chance(self.body, ids, index, self.options.seed)
        plan = self.plan(ids, random)
        steps = self._watched(generate(plan, self.limits, random))
        return Choice(index, place, steps, plan.calls)

    def _watched(self, steps: Iterator[Step]) -> Iterator[Step]:
        for step in steps:
            self.watch(step.finish)
            yield step


def new_id() -> str:
    """Return 16 random hexadecimal digits."""
    return uuid.uuid4().hex[:16]


def groups(job: Job, steps: Iterator[Step]) -> Iterator[Group]:
    """Yield steps as a stream shows them: the first alone, then ``stream_interval`` at a time."""
    if job.beams:
        yield list(steps)
        return
    group: Group = []
    size = 1
    for step in steps:
        group.append(step)
        if len(group) == size or step.finish:
            yield group
            group, size = [], job.limits.interval


def in_turn(job: Job, choices: Iterable[Choice]) -> Iterator[tuple[Choice, Group]]:
    """Yield the groups of all choices, one choice after the other, round by round."""
    running = [(choice, groups(job, choice.steps)) for choice in choices]
    while running:
        for entry in list(running):
            group = next(entry[1], None)
            if group is None:
                running.remove(entry)
            else:
                yield entry[0], group


def reasoning_count(steps: Iterable[Step]) -> int:
    """Return how many tokens were reasoning."""
    return sum(step.token.part is Part.REASONING for step in steps)
