"""Findings for people: what, where it was set, how to mend it."""

import json
from collections.abc import Iterable, Mapping

from vllmctl.env import Environment
from vllmctl.render.style import Style, harmless
from vllmctl.request.layers import origin_of
from vllmctl.request.origin import Origin
from vllmctl.rules.finding import Edit, Finding


def write_findings(
    findings: Iterable[Finding], origins: Mapping[str, Origin], env: Environment
) -> None:
    """Write ``findings`` to stderr, each with the origin of the value it is about."""
    style = Style(env.stderr, env)
    for finding in findings:
        level = style.paint(f"{finding.level.value}:", finding.level.value)
        env.stderr.write(f"{level} {harmless(finding.message)}\n")
        origin = origin_of(finding.path, dict(origins)) if finding.path else None
        if origin is not None:
            verb = "" if origin.kind == "implied" else "set by "
            env.stderr.write(f"  {verb}{harmless(origin.text)}\n")
        if finding.fix:
            env.stderr.write(f"  fix: {harmless(', '.join(map(_edit, finding.fix)))}\n")
    env.stderr.flush()


def _edit(edit: Edit) -> str:
    match edit.op:
        case "set":
            return f"set {edit.path} to {json.dumps(edit.value, ensure_ascii=False)}"
        case "move":
            return f"move {edit.path} to {edit.to}"
        case _:
            return f"remove {edit.path}"
