"""Build the release, and try it where nothing else is installed.

python -m tools.package build [FOLDER]     the wheel and the source distribution
python -m tools.package pyz [FILE]         a single file that runs by itself, and try it
python -m tools.package lowest             pip constraints for the oldest dependencies
python -m tools.package check [--newest]   install and try the wheel with each Python that is
                                           here, with the newest and the oldest dependencies,
                                           without extras and with all of them
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.package.build import build, zipapp
from tools.package.environment import Environment, interpreters
from tools.package.requirements import DEVELOPERS, extras, lowest
from tools.package.trial import WITHOUT_EXTRAS, faults


def main() -> None:
    """Do what the first argument names."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.package",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("build", "pyz", "lowest", "check"))
    parser.add_argument("place", nargs="?", type=Path)
    parser.add_argument("--newest", action="store_true", help="check no oldest dependencies")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        match options.what:
            case "build":
                print(*build(options.place or Path("dist")), sep="\n")
            case "lowest":
                print("\n".join(lowest()))
            case "pyz":
                sys.exit(_pyz(options.place or Path("dist/vllmctl.pyz"), Path(scratch)))
            case "check":
                sys.exit(_check(Path(scratch), options.newest))


def _pyz(file: Path, scratch: Path) -> int:
    wheel, _ = build(scratch)
    zipapp(wheel, file, scratch / "shiv")
    home = scratch / "home"
    home.mkdir()
    bare = Environment.create(scratch / "bare", sys.executable)
    python = str(bare.folder / "bin" / "python")
    return _tell(str(file), faults([python, str(file.absolute())], home, WITHOUT_EXTRAS))


def _check(scratch: Path, newest_only: bool) -> int:
    wheel, _ = build(scratch)
    constraints = scratch / "lowest.txt"
    constraints.write_text("\n".join(lowest()) + "\n")
    kinds: dict[str, tuple[str, ...]] = {"newest": ()}
    if not newest_only:
        kinds["oldest"] = ("-c", str(constraints))
    failed = 0
    for release, python in interpreters():
        for kind, arguments in kinds.items():
            name = f"Python {release}, {kind} dependencies"
            if python is None:
                print(f"{name}: not tried, there is no such interpreter here")
                continue
            failed |= _tell(name, _installed(scratch, python, wheel, arguments))
    return failed


def _installed(scratch: Path, python: str, wheel: Path, arguments: tuple[str, ...]) -> list[str]:
    """Install the wheel into a clean environment and try it; return what went wrong."""
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    try:
        environment = Environment.create(scratch / "clean", python)
        environment.install(*arguments, str(wheel))
        program = [str(environment.folder / "bin" / "vllmctl")]
        bare = faults(program, home, WITHOUT_EXTRAS)
        names = ",".join(extras().keys() - DEVELOPERS)
        missing = environment.install(*arguments, f"{wheel}[{names}]")
    except subprocess.CalledProcessError as fault:
        return [f"cannot be installed: {fault}", fault.stderr or ""]
    return [*bare, *missing, *faults(program, home)]


def _tell(name: str, found: list[str]) -> int:
    print(f"{name}: {'FAILED' if found else 'works'}", *found, sep="\n  ", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    main()
