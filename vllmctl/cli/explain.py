"""``vllmctl explain``: what a field, a rule, a flag or a foreign name means."""

import json
from collections.abc import Iterator, Sequence

from vllmctl.catalog.target import SERVER
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import (
    COLORS,
    CONNECTION,
    FACT_FORMATS,
    HELP,
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
    row("--color", "|".join(COLORS), "Colour", Group.OUTPUT, common=True, choices=COLORS),
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
    """Options of the connection are names, too, unless it is the server that is asked."""
    asks = SERVER in arguments or f"--target={SERVER}" in arguments
    own = {name: spec for spec in (*_OPTIONS, *(CONNECTION if asks else ())) for name in spec.names}
    names: list[str] = []
    rest = iter(arguments)
    for word in rest:
        spec = own.get(word.partition("=")[0])
        if spec is None and word.startswith("-"):
            names += [word] if word != "--" else rest
            continue
        yield word
        if spec and not spec.switch and "=" not in word:
            yield from (value for value in [next(rest, None)] if value is not None)
    yield from ("--", *names) if names else ()


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
