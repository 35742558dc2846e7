"""The reference of lint's codes: the levels, and the codes that are no rules of the server."""

import ast
import inspect
from collections.abc import Iterator

from tools.docs.markdown import code, heading, page, table, text
from tools.docs.rules import every_rule
from vllmctl.explain.findings import findings
from vllmctl.rules.finding import Level


def pages() -> dict[str, str]:
    """Return the page by its path in the site."""
    rows = [(code(name), text(words)) for name, words in findings().items()]
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


def _levels() -> Iterator[tuple[Level, str]]:
    tree = ast.parse(inspect.getsource(Level))
    (members,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for member, words in zip(members.body, members.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(words, ast.Expr):
            yield Level[ast.unparse(member.targets[0])], str(ast.literal_eval(words.value))
