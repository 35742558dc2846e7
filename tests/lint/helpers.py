"""Runs ``vllmctl lint`` inside the test's process."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.outcome import Outcome, stream, written
from vllmctl.cli.lint import command
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError

DATA = Path(__file__).parent.parent / "data" / "lint"


class Answer(Outcome):
    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.json["findings"]]


def lint(
    *arguments: str,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Answer:
    out, err = stream(), stream()
    env = Environment(
        stdin=None if stdin is None else io.BytesIO(stdin),
        stdout=out,
        stderr=err,
        variables=variables or {},
        cwd=cwd or Path("/nowhere"),
    )
    try:
        code = command().main(arguments, env)
    except VllmctlError as fault:
        err.write(f"error: {fault.message}\n  hint: {fault.hint}\n")
        code = fault.exit_code
    return Answer(int(code), written(out), written(err))


def lint_json(body: Any, *arguments: str) -> Answer:
    return lint(json.dumps(body), "--json", *arguments)


def chat(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "hi"}], **fields}


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
