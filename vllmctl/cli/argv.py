"""Reading a command's argv by its table of options.

Typer is not asked here: it takes longer to import than the whole of a checked dry run, and
every one of the hundred flags would pass through its conversions although the facts alone
say how a value is read. The grammar is the usual one: ``--name value``, ``--name=value``,
``-x value``, ``-xvalue``, switches bundled as ``-nv``, ``--`` before words that start with
a hyphen, options and words in any order.
"""

from collections.abc import Callable, Sequence
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.fields.kinds import Form
from vllmctl.fields.options import OptionSpec

Suggest = Callable[[str], str]


def read(
    arguments: Sequence[str], specs: Sequence[OptionSpec], suggest: Suggest
) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """Return what was given by ``OptionSpec.dest``, and the words that are no options.

    A switch gives a bool, the last one counts; any other option the list of its texts. The third
    has the long names (``--tool``) of those that were not given by their first (``--tools``).
    ``suggest`` makes the hint for a name that is none of ``specs``'. Raises ``UsageError``.
    """
    reader = _Reader(specs, suggest)
    pending = list(reversed(arguments))
    while pending:
        reader.take(pending.pop(), pending)
    return reader.values, reader.words, reader.typed


class _Reader:
    def __init__(self, specs: Sequence[OptionSpec], suggest: Suggest) -> None:
        self.values: dict[str, Any] = {}
        self.words: list[str] = []
        self.typed: dict[str, str] = {}
        self._suggest = suggest
        self._names = _names(specs)

    def take(self, argument: str, pending: list[str]) -> None:
        if argument == "--":
            self.words.extend(reversed(pending))
            pending.clear()
        elif argument.startswith("--"):
            name, equals, value = argument.partition("=")
            self._option(name, value if equals else None, pending)
        elif argument.startswith("-") and len(argument) > 1:
            self._short(argument, pending)
        else:
            self.words.append(argument)

    def _short(self, argument: str, pending: list[str]) -> None:
        for place in range(1, len(argument)):
            name, rest = f"-{argument[place]}", argument[place + 1 :]
            spec, _ = self._find(name, argument)
            if not spec.switch:
                self._option(name, rest.removeprefix("=") if rest else None, pending)
                return
            self._option(name, None, pending)

    def _option(self, name: str, value: str | None, pending: list[str]) -> None:
        spec, answer = self._find(name, name)
        if spec.switch:
            if spec.path:
                self._refuse_count(name, value, pending)
            self.values[spec.dest] = answer if value is None else answer == _yes(name, value)
            return
        if value is None:
            value = self._next(name, spec, pending)
        self.values.setdefault(spec.dest, []).append(value)
        if name.startswith("--") and name != spec.names[0]:
            self.typed[spec.dest] = name

    def _refuse_count(self, name: str, value: str | None, pending: list[str]) -> None:
        """A number that is meant for another option (``--logprobs 5``) is no prompt."""
        count = value if value is not None else pending[-1] if pending else ""
        others = self._counting(name) if count.isdecimal() else []
        if others:
            raise UsageError(
                f"{name} is a switch, and takes no number",
                f"write {' or '.join(f'{other} {count}' for other in others)}",
            )

    def _counting(self, name: str) -> list[str]:
        """The options of fields that take a number and are called by ``name`` and more."""
        ending = name.removeprefix("-")
        return [
            known
            for known, (spec, _) in self._names.items()
            if known == spec.names[0] and known.endswith(ending) and known != name
            if spec.path and spec.kind.form is Form.INTEGER
        ]

    def _next(self, name: str, spec: OptionSpec, pending: list[str]) -> str:
        if not pending:
            raise UsageError(f"{name} wants a value: {name} {spec.metavar}")
        following = pending[-1]
        if following in self._names and (len(following) > 2 or spec.choices):
            raise UsageError(
                f"{name} wants a value, and {following} is an option",
                f"if that is the value, write {name}={following}",
            )
        return pending.pop()

    def _find(self, name: str, typed: str) -> tuple[OptionSpec, bool]:
        known = self._names.get(name)
        if known is None:
            inside = f" in {typed}" if not typed.startswith((name, "--")) else ""
            raise UsageError(f"no option {name}{inside}", self._suggest(typed))
        return known


def _names(specs: Sequence[OptionSpec]) -> dict[str, tuple[OptionSpec, bool]]:
    names: dict[str, tuple[OptionSpec, bool]] = {}
    for spec in specs:
        for name in spec.names:
            names[name] = (spec, True)
        for name in spec.off:
            names[name] = (spec, False)
    for spec in specs:
        for name in spec.hidden:
            names.setdefault(name, (spec, True))
        for name in spec.hidden_off:
            names.setdefault(name, (spec, False))
    return names


def _yes(name: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise UsageError(f"{name} is a switch; it takes no value but true or false, got {value!r}")
    return value == "true"
