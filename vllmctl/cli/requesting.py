"""The main job: build a body, check it, then print or send it."""

import json

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.request.build import build
from vllmctl.request.sources import Sources


def request(name: str, given: Given, env: Environment) -> int:
    """Do what ``vllmctl chat`` and ``vllmctl complete`` do; return the exit code."""
    asked = given.asked()
    asked.streams = True
    built = build(asked, endpoint(name, newest()), Sources(env))
    for n in built.notices:
        env.stderr.write(n + "\n")
    for p, o in built.origins.items():
        env.stderr.write(f"{p}: {o}\n")
    env.stdout.write(json.dumps(built.body, indent=2, ensure_ascii=False) + "\n")
    return ExitCode.DONE
