"""Every request field is taken by the real server."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.live.program import run_here
from tests.live.samples import ENDPOINTS, Sample, samples
from vllmctl.catalog.load import endpoint, walk
from vllmctl.catalog.target import index, newest
from vllmctl.exitcodes import ExitCode

pytestmark = pytest.mark.live

SINCE = {
    (command, path): field.since
    for command, name in ENDPOINTS.items()
    for path, field in walk(endpoint(name, newest()))
}


@pytest.fixture(scope="session")
def release(live_url: str) -> str:
    """The release of the real server."""
    with urllib.request.urlopen(f"{live_url}/version", timeout=10) as answer:
        version: str = json.load(answer)["version"]
    return version.partition("+")[0]


@pytest.mark.parametrize("sample", list(samples()), ids=str)
def test_server_takes_every_field(
    sample: Sample, live_url: str, release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what another test was refused is remembered, and would be told before it is sent
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    newer = index(SINCE[sample.command, sample.path]) > index(release)
    unknown = ["--allow-unknown"] if newer else []
    taken = ["--base-url", live_url, "--format", "json", "--no-verify", *unknown]
    done = run_here([*sample.arguments, *taken])
    if sample.refused:
        assert done.returncode == ExitCode.CLIENT_ERROR, done.stderr
        assert sample.refused in done.stderr
    else:
        assert done.returncode == ExitCode.DONE, done.stderr
        assert json.loads(done.stdout)["choices"]
