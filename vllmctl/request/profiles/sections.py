"""The sections of a profile that hold fields: read, checked, and made into layers."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.env import Environment
from vllmctl.record import Record, field
from vllmctl.request.origin import Layer
from vllmctl.request.profiles.field_check import SECTIONS, field_problems, limit_problems
from vllmctl.request.profiles.files import Profile
from vllmctl.request.profiles.problem import Problem, without_echoes
from vllmctl.request.profiles.section_values import SectionReader


class Sections(Record):
    """The fields of each section, files read; ``problems`` has what is wrong with them."""

    profile: Profile
    values: dict[str, dict[str, Any]] = field(factory=dict)
    problems: list[Problem] = field(factory=list)


def read_sections(
    profile: Profile, env: Environment, endpoints: list[Endpoint], *, limits: bool = False
) -> Sections:
    """Return the sections of ``profile``, checked against ``endpoints``.

    With ``limits``, values are checked as the server does it, too.
    """
    sections = Sections(profile)
    for section, names in SECTIONS.items():
        if not isinstance(profile.table.get(section), dict):
            continue
        reader = SectionReader(profile, section, env)
        values = reader.read([endpoint for endpoint in endpoints if endpoint.name in names])
        problems = chain(reader.problems, field_problems(profile, section, values, endpoints))
        if limits:
            problems = chain(problems, limit_problems(profile, section, values, endpoints))
        sections.values[section] = values
        sections.problems += without_echoes(problems)
    return sections


def layers_for(
    sections: Sections, own: Endpoint, endpoints: list[Endpoint]
) -> tuple[list[Layer], list[tuple[str, tuple[str, str]]]]:
    """Return a layer for each section that is for the endpoint ``own``, lowest first.

    Fields that it does not have, though another of ``endpoints`` has, are left out; their
    names and places in the profile are returned beside.
    """
    layers, skipped = [], []
    for section, values in sections.values.items():
        if section != "request" and own.name not in SECTIONS[section]:
            continue
        layer = Layer({}, {})
        for key, value in values.items():
            if key not in own.fields and any(key in other.fields for other in endpoints):
                skipped.append((key, (section, key)))
                continue
            layer.values[key] = value
            for path in _leaves((key,), value):
                layer.origins[".".join(path)] = sections.profile.origin(section, *path)
        if layer.values:
            layers.append(layer)
    return layers, skipped


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        yield path
        return
    for key, inner in value.items():
        yield from _leaves((*path, key), inner)
