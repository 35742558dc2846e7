"""The answer as a view of its log-probabilities, once it is whole."""

from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Reasoning, Thought, Usage
from vllmctl.env import Environment
from vllmctl.render.writer import TextWriter


class LogprobsWriter(TextWriter):
    """Shows the reasoning as it comes, and the tokens with their probabilities at the end."""

    def __init__(
        self,
        env: Environment,
        out: TextIO,
        view: str,
        alternatives: int,
        *,
        reasoning: bool,
        choices: int = 1,
    ) -> None:
        super().__init__(env, out, reasoning=reasoning, choices=choices)
        self._view = view
        self._alternatives = alternatives
        self._reasoning = reasoning

    def take(self, events: list[Event]) -> None:
        """Write the reasoning only, if it is to be shown."""
        shown = (Reasoning, Thought, Usage) if self._reasoning else ()
        super().take([event for event in events if isinstance(event, shown)])

    def finish(self, answer: Answer) -> None:
        """Write the view."""
        from vllmctl.render.logprobs.writing import write_logprobs

        self._end_all()
        write_logprobs(
            answer,
            self._env,
            self._out,
            self._view,
            alternatives=self._alternatives,
            reasoning=self._reasoning,
        )
        self._say_cut(answer)
