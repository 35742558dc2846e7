"""``python -m tools.docs``: bring what the repository keeps of the documentation up to date.

Runs the commands of the pages and writes their output, writes the manual pages and draws the
pictures. With ``--check`` nothing is written; the exit code is 1 when something is out of date.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.docs import man
from tools.docs.pictures import lines_of, pictures
from tools.docs.refresh import NotAsWrittenError, refreshed

PROJECT = Path(__file__).parents[2]
MANUAL = PROJECT / "docs" / "man"
PICTURES = PROJECT / "docs" / "pictures"
FOREIGN = ("docs/dev/catalogue.md",)
"""Pages whose commands need what a test does not have: the releases of vLLM."""


def pages() -> Iterator[Path]:
    """Yield the pages that are written by hand and have commands to run."""
    yield PROJECT / "README.md"
    for path in sorted((PROJECT / "docs").rglob("*.md")):
        if str(path.relative_to(PROJECT)) not in FOREIGN:
            yield path


def main() -> int:
    """Write or check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("pages", nargs="*", type=Path, help="only these pages")
    given = parser.parse_args()
    stale = 0
    for path, text in _wanted([path.resolve() for path in given.pages]):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale += 1
            print(f"{'out of date' if given.check else 'written'}: {path.relative_to(PROJECT)}")
            if not given.check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    return 1 if given.check and stale else 0


def _wanted(only: list[Path]) -> Iterator[tuple[Path, str]]:
    for path in only or pages():
        try:
            yield path, refreshed(path.read_text(encoding="utf-8"))
        except NotAsWrittenError as fault:
            sys.exit(f"{path.relative_to(PROJECT)}: {fault}")
    if not only:
        yield from ((MANUAL / name, text) for name, text in man.pages().items())
        yield from _pictures()


def _pictures() -> Iterator[tuple[Path, str]]:
    """Yield the pictures; one that says the same as before stays as it is."""
    for name, drawn in pictures().items():
        path = PICTURES / name
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        yield path, kept if lines_of(kept) == lines_of(drawn) else drawn


if __name__ == "__main__":
    sys.exit(main())
