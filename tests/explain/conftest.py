import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from vllmctl.catalog.target import parse_target
from vllmctl.cli.explain import command as explain_command
from vllmctl.cli.fields import command as fields_command
from vllmctl.env import Environment
from vllmctl.explain.explain import Question, explain

DATA = Path(__file__).parent.parent / "data" / "explain"


@dataclass
class Printed:
    """What a command printed."""

    code: int
    out: str

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def asked():
    """Explain a name at a target."""

    def ask(name, target="vllm", endpoint=None):
        return explain(Question(name, parse_target(target), endpoint))

    return ask


@pytest.fixture
def printed():
    """Run ``explain`` or ``fields`` within this process."""
    commands = {"explain": explain_command, "fields": fields_command}

    def run(name, *arguments, variables=None):
        out = io.StringIO()
        env = Environment(stdout=out, stderr=io.StringIO(), variables=variables or {})
        code = commands[name]().main(arguments, env)
        return Printed(code, out.getvalue())

    return run


@pytest.fixture
def golden():
    """Compare a text with a kept one; GOLDEN=update keeps the new one."""

    def compare(name, text):
        path = DATA / "golden" / name
        if os.environ.get("GOLDEN") == "update":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
