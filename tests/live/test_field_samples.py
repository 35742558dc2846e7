"""The table of samples is complete and types what it says."""

import json
from typing import Any

import pytest

from tests.live.program import run_here
from tests.live.samples import ENDPOINTS, Sample, samples
from vllmctl.catalog.load import endpoint, walk
from vllmctl.catalog.target import newest

ALL = list(samples())


@pytest.mark.parametrize("command", ENDPOINTS)
def test_every_field_of_the_newest_release_has_a_sample(command: str) -> None:
    fields = {path for path, _ in walk(endpoint(ENDPOINTS[command], newest()))}
    assert {sample.path for sample in ALL if sample.command == command} == fields


@pytest.mark.parametrize("sample", ALL, ids=str)
def test_flags_write_the_sample_into_the_body(sample: Sample) -> None:
    done = run_here([*sample.arguments, "--dry-run"])
    assert done.returncode == 0, done.stderr
    value = _at(json.loads(done.stdout), sample.path)
    assert value is not None
    assert sample.value in (None, value)


def _at(body: Any, path: str) -> Any:
    for part in path.split("."):
        body = body[part]
    return body
