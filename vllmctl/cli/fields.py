"""``vllmctl fields``: an endpoint's fields, what changed between releases, JSON Schema."""

import json
from collections.abc import Sequence
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.target import SERVER, Target, version_key
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import CONNECTION, HELP, SHOWN_COLOR, at_release, formats, row
from vllmctl.cli.targets import asked_target, target_of, told_target
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.request.origin import Origin
from vllmctl.request.server.settings import Setting

_PAGE = Page(
    usage="vllmctl fields [OPTIONS] [ENDPOINT]",
    summary="List the fields of an endpoint (chat when none is named), say what changed "
    "between two releases, or print JSON Schema for editors.",
    examples=(
        "vllmctl fields complete --nested",
        "vllmctl fields --search token --target 0.11.2",
        "vllmctl fields --diff 0.10.2 0.33.0",
        "vllmctl fields --schema profile > profile.schema.json",
    ),
)
_FORMATS = ("text", "json", "jsonl")
_OPTIONS = (
    row("--search", "TEXT", "What has this in its name or meaning", Group.BODY, common=True),
    row(
        "--since",
        "RELEASE",
        "What came with this release or later",
        Group.BODY,
        common=True,
        offers="version",
    ),
    row("--removed", "", "What the release no longer has", Group.BODY, common=True),
    row("--nested", "", "What is inside objects, too", Group.BODY, common=True),
    row(
        "--diff",
        "OLD [NEW]",
        "What a migration has to change",
        Group.BODY,
        common=True,
        offers="version",
    ),
    row("--schema", "", "JSON Schema of the body (or: --schema profile)", Group.BODY, common=True),
    at_release(),
    *formats(_FORMATS),
    SHOWN_COLOR,
    *CONNECTION,
    *HELP[:1],
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("fields", _PAGE, _OPTIONS, _run, words="fields_word")


def _run(given: Given, env: Environment) -> int:
    form = given.format(_FORMATS)
    releases, words = _sorted_words(given.all("prompt"))
    if given.has("schema"):
        _refuse(releases)
        _print_json(_schema(words, asked_target(given, env)), env)
    elif given.has("diff"):
        _print_comparison(given, releases, words, form, env)
    else:
        _refuse(releases)
        _print_listing(given, _endpoint(words, asked_target(given, env)), form, env)
    return ExitCode.DONE


def _print_listing(given: Given, of: Endpoint, form: str, env: Environment) -> None:
    from vllmctl.cli.factpage import FactPage
    from vllmctl.explain.listing import Wanted, list_fields
    from vllmctl.explain.tables import listing, listing_title

    since = given.last("since")
    wanted = Wanted(
        nested=given.has("nested"),
        removed=given.has("removed"),
        since=_release(since, of.target, env) if since else None,
        search=given.last("search") or "",
    )
    rows = list_fields(of, wanted)
    if form == "json":
        _print_json([row.as_dict() for row in rows], env)
    elif form == "jsonl":
        for each in rows:
            env.stdout.write(json.dumps(each.as_dict(), ensure_ascii=False) + "\n")
    else:
        page = FactPage(env)
        table = page.table(listing(rows), below=bool(wanted.search))
        env.stdout.write(f"{page.heading(listing_title(of, rows))}\n{table}")


def _print_comparison(
    given: Given, releases: list[str], words: list[str], form: str, env: Environment
) -> None:
    from vllmctl.cli.factpage import FactPage
    from vllmctl.explain.compare import compare
    from vllmctl.explain.tables import comparison

    olds = given.all("diff")
    if len(olds) > 1 or len(releases) > 1:
        raise UsageError("--diff compares two releases", "vllmctl fields --diff 0.10.2 0.33.0")
    named = Setting(releases[0], Origin("flag", "--diff")) if releases else None
    new = target_of(named, given, env) if named else asked_target(given, env)
    old = target_of(Setting(olds[0], Origin("flag", "--diff")), given, env)
    found = compare(_endpoint(words, old), _endpoint(words, new))
    if form == "text":
        env.stdout.write(FactPage(env).text(comparison(found)))
    else:
        _print_json(found.as_dict(), env, indent=2 if form == "json" else None)


def _schema(words: list[str], target: Target) -> dict[str, Any]:
    if words == ["profile"]:
        from vllmctl.explain.profile_schema import profile_schema
        from vllmctl.request.profiles.chain import known_endpoints

        return profile_schema(known_endpoints(target))
    from vllmctl.explain.body_schema import body_schema

    return body_schema(_endpoint(words, target))


def _endpoint(words: list[str], target: Target) -> Endpoint:
    from vllmctl.catalog.load import endpoint
    from vllmctl.explain.homes import endpoint_name

    if len(words) > 1:
        raise UsageError(f"one endpoint at a time, got {' '.join(words)}")
    return endpoint(endpoint_name(words[0] if words else "chat", target), target)


def _release(text: str, target: Target, env: Environment) -> str:
    """The release that ``--since`` names; a bare version is one of the target's engine."""
    is_bare = "=" not in text and version_key(text) is not None
    wanted = told_target(_of(target, text) if is_bare else text, "--since", env)
    if wanted.engine != target.engine:
        raise UsageError(f"--since {text}: {target.engine} has other releases")
    return wanted.release


def _of(target: Target, version: str) -> str:
    return f"{target.engine}=={version}"


def _sorted_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that are releases or engines, and the others."""
    names = ("vllm", "furiosa", SERVER)
    releases = [w for w in words if "==" in w or w in names or version_key(w) is not None]
    return releases, [word for word in words if word not in releases]


def _refuse(releases: list[str]) -> None:
    if releases:
        target = releases[0]
        raise UsageError(f"{target} is a release, not an endpoint", f"write --target {target}")


def _print_json(value: object, env: Environment, indent: int | None = 2) -> None:
    env.stdout.write(json.dumps(value, indent=indent, ensure_ascii=False) + "\n")
