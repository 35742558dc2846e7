"""What ``vllmctl profiles check`` finds: names, types, limits, and the rules between fields."""

from collections.abc import Iterator

from vllmctl.catalog.load import endpoint
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.fields.sugar import BOTH
from vllmctl.request.layers import Merge, origin_of
from vllmctl.request.profile_chain import target_of
from vllmctl.request.profile_check import check, check_config
from vllmctl.request.profile_list import list_profiles
from vllmctl.request.profile_places import Place
from vllmctl.request.profiles import resolve
from vllmctl.rules.check import check as check_body
from vllmctl.rules.finding import Level


def problems_of(names: list[str], env: Environment) -> list[str]:
    """Return a line for each problem of the profiles ``names``, or of all there are."""
    lines = list(_everywhere(env)) if not names else []
    listed = [row.name for row in list_profiles(env) if not row.problem]
    for name in names or dict.fromkeys(listed):
        found = [f"{p}" + (f"; {p.hint}" if p.hint else "") for p in check(name, env)]
        lines += found or _broken_rules(name, env)
    return list(dict.fromkeys(lines))


def _everywhere(env: Environment) -> Iterator[str]:
    for place in (Place.USER, Place.PROJECT):
        yield from map(str, check_config(place, env))
    for row in list_profiles(env):
        if row.problem:
            yield row.problem


def _broken_rules(name: str, env: Environment) -> list[str]:
    """What the server would refuse of the profile together with what it extends."""
    lines = []
    for endpoint_name in BOTH:
        try:
            resolved = resolve([name], endpoint_name, env, configs=False)
        except VllmctlError as fault:
            return [fault.message]
        merge = Merge(endpoint(endpoint_name, target_of(resolved.profiles)))
        for layer in resolved.layers:
            merge.add(layer)
        for finding in check_body(merge.body, merge.endpoint):
            origin = origin_of(finding.path, merge.origins)
            if finding.level is Level.ERROR and origin is not None:
                lines.append(f"{origin}: {finding.message}")
    return lines
