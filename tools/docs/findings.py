"""The reference of lint's codes: the levels, and the codes that are no rules of the server."""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.docs.markdown import code, heading, page, table, text
from tools.docs.rules import every_rule
from vllmctl.explain.prose import names, prose
from vllmctl.rules.finding import Level

_TABLE = Path(__file__).with_name("findings.toml")
_CODE = re.compile(r"[a-z]+\.[a-z_*]+")


def pages() -> dict[str, str]:
    """Return the page by its path in the site."""
    rows = [(code(name), text(words)) for name, words in sorted(told().items())]
    levels = [(code(level.value), text(words)) for level, words in _levels()]
    return {
        "reference/findings.md": page(
            heading(1, "Findings"),
            "A finding has a level, a code, a place in the body, a message and, where there is "
            "one, a fix. `vllmctl explain CODE` says what a code means.",
            heading(2, "Levels"),
            table(("Level", "Meaning"), levels),
            "An `error` stops a request, and so does an unknown field; `--strict` stops on "
            "everything that would be ignored.",
            heading(2, "Codes"),
            f"Most codes are the ids of [rules](rules.md): {len(every_rule())} of them. "
            "These are the others:",
            table(("Code", "Meaning"), rows),
        )
    }


def told() -> dict[str, str]:
    """Return the meaning of each code that is no rule; ``type.*`` stands for a family."""
    found = {name: prose(name, "vllm").finding for name in names("vllm") if _CODE.fullmatch(name)}
    return {**own_table(), **{name: words for name, words in found.items() if words}}


def own_table() -> dict[str, str]:
    """Return the meaning of the codes that ``vllmctl explain`` has no words for."""
    codes: dict[str, str] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["codes"]
    return codes


def _levels() -> Iterator[tuple[Level, str]]:
    tree = ast.parse(inspect.getsource(Level))
    (members,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for member, words in zip(members.body, members.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(words, ast.Expr):
            yield Level[ast.unparse(member.targets[0])], str(ast.literal_eval(words.value))
