"""The command line: ``update``, ``verify`` and ``make``."""

import argparse
import os
import sys
from pathlib import Path

from tools.catalogue.data_format import write
from tools.catalogue.difference import difference, difference_lines
from tools.catalogue.fact_files import read_facts
from tools.catalogue.gathered import engine_files
from tools.catalogue.known_sites import settle
from tools.catalogue.shipped import Shipped, read_shipped
from tools.catalogue.source_tree import ReleaseError, open_release
from tools.catalogue.update import updated
from tools.catalogue.verify import verdict_lines, verify

DATA = Path(__file__).parents[2] / "vllmctl" / "catalog" / "data"


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit code: 0 done, 1 not borne out, 2 a mistake."""
    given = _parser().parse_args(arguments)
    try:
        return _COMMANDS[given.command](given)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough (``| head``)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.catalogue", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    update = commands.add_parser("update", help="print what a release changes, and take it in")
    update.add_argument("source", type=Path, help="an sdist, a wheel, or a folder with vllm/ in it")
    update.add_argument("--release", help="the version, when SOURCE does not tell it")
    update.add_argument("--write", action="store_true", help="take the release into the data")
    update.add_argument(
        "--settle", action="store_true", help="note that the refusals printed need no rule"
    )
    update.add_argument(
        "--name",
        action="append",
        default=[],
        metavar='"POST /v1/path=name"',
        help="give a new route the name of an endpoint",
    )
    verify = commands.add_parser("verify", help="show how well sources bear out the data")
    verify.add_argument("sources", type=Path, nargs="+", help="releases in the list")
    verify.add_argument("--least", type=float, default=99, help="percent of equal facts wanted")
    for command in (update, verify):
        command.add_argument(
            "--data", type=Path, default=DATA / "vllm", help="the folder of data files"
        )
    make = commands.add_parser("make", help="write an engine's data anew, as gathered at first")
    make.add_argument("gathered", type=Path, help="the gathered catalogue")
    make.add_argument("--engine", default="vllm", help="whose it is: vllm or furiosa")
    make.add_argument("--out", type=Path, default=DATA, help="where the engines' folders are")
    return parser


def _update(given: argparse.Namespace) -> int:
    tree = open_release(given.source, given.release)
    shipped = read_shipped(given.data)
    for text in given.name:
        _add_place(shipped, text, tree.release)
    found = difference(tree, shipped)
    for line in difference_lines(found):
        print(line)
    if given.write and not found.is_newer:
        raise ReleaseError(f"{tree.release} is in the list; only a newer one can be added")
    if given.settle and not found.is_latest:
        raise ReleaseError(f"{tree.release} is old; settle the refusals of the newest release")
    if given.write:
        changed = write(given.data, updated(shipped, found.facts, found.enforced))
        print(f"\nwrote {len(changed)} files in {given.data}")
    if given.settle:
        settle(found.enforced.others)
        print(f"\n{len(found.enforced.others)} refusals need no rule")
    return 0


def _add_place(shipped: Shipped, text: str, release: str) -> None:
    route, _, name = text.partition("=")
    method, _, path = route.partition(" ")
    if not name or not path.startswith("/"):
        raise ReleaseError(f"--name {text!r} is not of the form 'POST /v1/path=name'")
    if name in shipped.index["endpoints"]:
        raise ReleaseError(f"--name {text!r}: the catalogue has an endpoint of this name")
    shipped.index["endpoints"][name] = {"path": path, "method": method, "since": release}


def _verify(given: argparse.Namespace) -> int:
    shipped = read_shipped(given.data)
    shares = []
    for source in given.sources:
        tree = open_release(source)
        if tree.release not in shipped.releases:
            raise ReleaseError(f"{tree.release} is not in the list; see update")
        verdict = verify(tree, shipped)
        shares.append(verdict.share)
        print("\n".join(verdict_lines(verdict)), end="\n\n")
    return 0 if min(shares) >= given.least else 1


def _make(given: argparse.Namespace) -> int:
    files = engine_files(given.engine, read_facts(given.gathered))
    folder = given.out / given.engine
    folder.mkdir(parents=True, exist_ok=True)
    print(f"wrote {len(write(folder, files))} files in {folder}")
    return 0


_COMMANDS = {"update": _update, "verify": _verify, "make": _make}


if __name__ == "__main__":
    sys.exit(main())
