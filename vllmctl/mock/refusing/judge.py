"""Judges a body: what the server reads in it, or the first thing that it refuses it for."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.mock.options import MockOptions
from vllmctl.mock.refusing import crashes, order, server
from vllmctl.mock.refusing.compiling import schema_of, schema_refusal
from vllmctl.mock.refusing.rulebook import rulebook
from vllmctl.mock.refusing.wording import refusal
from vllmctl.mock.types import Checked, refuse_types, type_checker
from vllmctl.mock.wire import RefusedError
from vllmctl.rules.check import check
from vllmctl.rules.finding import Level

Body = Mapping[str, Any]

CHAT, COMPLETIONS = "chat.completions", "completions"

_BUDGET = "thinking_token_budget"
_NAMED = (*order.WITH_TYPES, *order.TEMPLATE, *order.SAMPLING, *order.ENGINE)


class Judge:
    """Judges bodies of one endpoint at one release, for one server."""

    def __init__(self, endpoint: Endpoint, options: MockOptions) -> None:
        self._endpoint = endpoint
        self._options = options
        self._rules = rulebook(endpoint)
        self._types = type_checker(endpoint)
        self._before = order.BEFORE_TYPES.get(endpoint.name, ())
        self._with_types = self._rules.in_field_order(order.WITH_TYPES)

    def read(self, body: Body) -> Checked:
        """Return the known fields with the values that the server reads.

        Raises:
            RefusedError: types, names, or rules that hold before there is a prompt.
        """
        self._refuse_before_types(body)
        checked = self._typed(body)
        value = checked.value
        self.refuse(order.PARSERS, body, value)
        if value.get("stream") and value.get("use_beam_search"):
            self.refuse(["completions.beam_no_stream"], body, value)
        server.refuse_model(value, self._options)
        return checked

    def knows(self, rule: str) -> bool:
        """Whether ``rule`` holds for this endpoint at this release."""
        return rule in self._rules

    def refuse_sampling(self, body: Body, value: Body) -> None:
        """Raise what the sampling parameters, and any other rule, find wrong."""
        self.refuse(order.SAMPLING, body, value)
        named = [*self._before, *_NAMED]
        self.refuse(self._rules.others(named, before_types=False), body, value)

    def refuse_in_engine(self, body: Body, value: Body, prompts: Sequence[Sequence[int]]) -> None:
        """Raise what only the engine finds wrong."""
        server.refuse_parameters(value, chat=self._endpoint.name == CHAT)
        self.refuse(order.ENGINE, body, value)
        self._refuse_schema(body, value)
        server.refuse_constraint(value)
        server.refuse_prompts(value, prompts)
        for broken in self._rules.broken(order.PACKING, body, value):
            raise server.unpackable(broken.rule, broken.fault.path)
        self._refuse_rest(body)

    def _refuse_schema(self, body: Body, value: Body) -> None:
        """Raise for a schema that no backend compiles."""
        for broken in self._rules.broken(("so.compile",), body, value):
            schema = schema_of(value)
            found = schema_refusal(schema, broken.fault) if schema is not None else None
            if found is not None:
                raise found

    def _refuse_before_types(self, body: Body) -> None:
        crashes.refuse_messages(body, self._endpoint)
        at = self._before.index("tool_choice.must_match") if self._endpoint.name == CHAT else 0
        self.refuse(self._before[:at], body)
        crashes.refuse_tools(body, self._endpoint)
        kinds = self._before.index("structured_outputs.one_kind") if self._before else 0
        self.refuse(self._before[at:kinds], body)
        crashes.refuse_constraints(body, self._endpoint)
        self.refuse(self._before[kinds:], body)
        self.refuse(self._rules.others(self._before, before_types=True), body)

    def _typed(self, body: Body) -> Checked:
        checked = self._types.check(body)
        value = {name: checked.value[name] for name in checked.value}
        for name in checked.faulty:
            value.pop(name, None)
        alone = {name: one for name, one in value.items() if name != "response_format"}
        if _BUDGET in checked.faulty and body.get(_BUDGET) is not None:
            alone[_BUDGET] = body[_BUDGET]
        self.refuse(self._with_types, body, alone)
        refuse_types(checked)
        return checked

    def refuse(self, rules: Iterable[str], body: Body, value: Body | None = None) -> None:
        """Raise the first of ``rules`` that is broken; without ``value``, before types."""
        for broken in self._rules.broken(rules, body, value):
            read = body if value is None else value
            found = refusal(broken.rule, broken.fault, read, self._endpoint.name)
            if found is not None:
                raise found

    def _refuse_rest(self, body: Body) -> None:
        """Raise what no stage above has found, so that nothing wrong ever gets an answer."""
        for finding in check(body, self._endpoint):
            if finding.level is Level.ERROR:
                raise RefusedError(finding.message, param=finding.path or None)


@cache
def judge(endpoint: Endpoint, options: MockOptions) -> Judge:
    """Return the judge of an endpoint, made once."""
    return Judge(endpoint, options)
