"""``vllmctl explain``: what a field, a rule, a flag or a foreign name means."""

import json
from collections.abc import Iterator, Sequence

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import (
    CONNECTION,
    FACT_FORMATS,
    HELP,
    SHOWN_COLOR,
    at_release,
    formats,
    request_settings,
    row,
)
from vllmctl.cli.targets import asked_target
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec

_PAGE = Page(
    usage="vllmctl explain [OPTIONS] NAME",
    summary="Say what a name means: a field, one inside another, a removed one, a rule, "
    "a member of SamplingParams, a flag, a key of generation_config.json, or a name that "
    "other servers use.",
    examples=(
        "vllmctl explain top_k",
        "vllmctl explain structured_outputs.json --target 0.10.2",
        "vllmctl explain guided_json",
        "vllmctl explain max_new_tokens --format json",
    ),
)
_OPTIONS = (
    at_release(),
    row(
        "--endpoint",
        "NAME",
        "For this endpoint: chat, complete …",
        Group.CHECKS,
        common=True,
        offers="endpoint",
    ),
    *formats(FACT_FORMATS),
    SHOWN_COLOR,
    *HELP[:1],
)


class ExplainCommand(RequestCommand):
    """Takes an option of another command as the name to explain: ``explain --top-p``."""

    def arranged(self, arguments: Sequence[str]) -> list[str]:
        """Put the names last; words that are not its own options are names."""
        return list(_names_last(arguments))


def command() -> RequestCommand:
    """Return the command."""
    return ExplainCommand("explain", _PAGE, (*_OPTIONS, *CONNECTION), _run, words="name")


def _names_last(arguments: Sequence[str]) -> Iterator[str]:
    """An option of the connection is a name, too, where there is no other."""
    options, names = _sorted_words(arguments, (*_OPTIONS, *CONNECTION))
    if not names:
        options, names = _sorted_words(arguments, _OPTIONS)
    yield from options
    yield from ("--", *names) if names else ()


def _sorted_words(
    arguments: Sequence[str], specs: Sequence[OptionSpec]
) -> tuple[list[str], list[str]]:
    """The options that ``specs`` has, with their values, and the names to explain."""
    own = {name: spec for spec in specs for name in spec.names}
    options: list[str] = []
    names: list[str] = []
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        spec = own.get(word.partition("=")[0])
        takes = spec is not None and not spec.switch and "=" not in word
        if word == "--":
            names += reversed(rest)
            break
        if spec is None or (takes and rest and rest[-1] in own):
            names.append(word)
            continue
        options.append(word)
        if takes and rest:
            options.append(rest.pop())
    return options, names


def _run(given: Given, env: Environment) -> int:
    from vllmctl.explain.explain import Question, explain
    from vllmctl.explain.homes import endpoint_name

    name = _the_name(given.all("prompt"))
    form = given.format(FACT_FORMATS)
    target = asked_target(given, env)
    narrowed = given.last("endpoint")
    endpoint = endpoint_name(narrowed, target) if narrowed else None
    found = explain(Question(name, target, endpoint, request_settings(chat=True)))
    if form == "json":
        env.stdout.write(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n")
    else:
        from vllmctl.cli.factpage import FactPage
        from vllmctl.explain.sections import sections

        env.stdout.write(FactPage(env).text(sections(found)))
    return ExitCode.DONE


def _the_name(words: Sequence[str]) -> str:
    if len(words) == 1:
        return words[0]
    problem = f"one name at a time, got {' '.join(words)}" if words else "explain wants a name"
    raise UsageError(problem, "for example: vllmctl explain top_k")
