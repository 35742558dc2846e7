"""Compares our verdicts on recorded bodies with the real server's.

Usage: python bench/agreement.py [FILE.jsonl[.gz] …] [--target vllm==0.32.0]

A row of a file holds path, body and the server's verdict. Rows in which only the
server's model or flags decide (``server_state``) are left out.
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.lint.judge import Judge as LintJudge
from vllmctl.lint.linter import Linter
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding, Level

RECORDED = Path(__file__).parent.parent / "tests" / "data" / "verdicts" / "vllm-0.32.0.jsonl.gz"

Row = dict[str, Any]


@dataclass(slots=True)
class Judged:
    """A row, what we said, and what kind of refusal the server's was."""

    row: Row
    findings: list[Finding]
    family: str

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.level is Level.ERROR]

    @property
    def agrees(self) -> bool:
        return bool(self.errors) == (self.row["verdict"] == "reject")

    @property
    def names_the_field(self) -> bool:
        """Whether an error is about a field that the server names; true when it names none."""
        named = fields_named(self.row)
        return not named or any(top(error.path) in named for error in self.errors)


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file in which the request alone decides."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if not row.get("server_state"):
                yield row


def judge(row: Row, target: str = "vllm==0.32.0") -> Judged:
    """Return what we say to a row's body."""
    name = by_path(row["path"])
    assert name is not None, row["path"]
    if "text" in row:
        found = _linter(target, name).whole(row["text"].encode(), "").findings
        return Judged(row, found, family(row))
    findings = check(row["body"], endpoint(name, parse_target(target)))
    return Judged(row, findings, family(row))


@cache
def _linter(target: str, name: str) -> Linter:
    return Linter(LintJudge.of(target), name)


def family(row: Row) -> str:
    """Return the kind of the server's answer: ``accept``, ``types``, or the field of a rule."""
    if row["verdict"] == "accept":
        return "accept"
    message = row.get("message") or ""
    if re.match(r"\d+ validation error", message):
        return "types"
    named = sorted(fields_named(row))
    return named[0] if named else "other"


def fields_named(row: Row) -> set[str]:
    """Return the body's fields that the server blames in its message, if any."""
    message, param, fields = row.get("message") or "", row.get("param") or "", fields_sent(row)
    found = {top(loc) for loc in re.findall(r"'loc': 'body\.([^']+)'", message)}
    if param:
        found.add(top(param.removeprefix("body.")))
    elif not found:
        found |= {name for name in fields if name and re.search(rf"\b{re.escape(name)}\b", message)}
    return found & fields


def fields_sent(row: Row) -> set[str]:
    """Return the names at the top of a row's body; none for a text that is no object."""
    if "text" not in row:
        return set(row["body"])
    try:
        body = json.loads(row["text"])
    except ValueError:
        return set()
    return set(body) if isinstance(body, dict) else set()


def top(path: str) -> str:
    """Return the field that a path starts with."""
    return re.split(r"[.\[]", path)[0]


def report(judged: list[Judged]) -> None:
    """Print agreement by endpoint and by kind of answer, and every difference."""
    for title, key in (("endpoint", lambda j: j.row["path"]), ("answer", lambda j: j.family)):
        print(f"{title:<44} {'rows':>6} {'agree':>8}")
        for name, count in sorted(Counter(map(key, judged)).items()):
            same = sum(one.agrees for one in judged if key(one) == name)
            print(f"{name:<44} {count:>6} {same / count:>8.2%}")
        print()
    same = sum(one.agrees for one in judged)
    refused = [one for one in judged if one.agrees and one.row["verdict"] == "reject"]
    named = sum(one.names_the_field for one in refused)
    print(f"{'all':<44} {len(judged):>6} {same / len(judged):>8.2%}")
    title = "refused by both: our error names the field"
    print(f"{title:<44} {len(refused):>6} {named / max(1, len(refused)):>8.2%}\n")


def differences(judged: list[Judged]) -> Iterator[str]:
    """Yield a line for each row on which we do not agree."""
    for one in judged:
        if not one.agrees:
            server = one.row["verdict"] + (
                f": {one.row['message']}" if "message" in one.row else ""
            )
            ours = "; ".join(f"{e.code} {e.message}" for e in one.errors) or "accept"
            body = (one.row.get("text") or json.dumps(one.row["body"]))[:400]
            yield f"{one.row['path']} {body}\n  server {server[:200]}\n  ours   {ours[:200]}"


def main() -> None:
    """Judge the files' rows and print the table and the differences."""
    parser = argparse.ArgumentParser(description="Compare our verdicts with a real server's.")
    parser.add_argument("files", nargs="*", type=Path, default=[RECORDED])
    parser.add_argument("--target", default="vllm==0.32.0")
    parser.add_argument("--unnamed", action="store_true", help="list refusals about another field")
    asked = parser.parse_args()
    judged = [judge(row, asked.target) for file in asked.files for row in rows(file)]
    report(judged)
    print("\n".join(differences(judged)))
    if asked.unnamed:
        for one in judged:
            if one.agrees and not one.names_the_field:
                body = one.row.get("text") or json.dumps(one.row["body"])
                print(body[:300], one.row["message"][:200])
                print("   ours:", [error.path for error in one.errors])


if __name__ == "__main__":
    main()
