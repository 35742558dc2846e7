"""Build the wheel, the source distribution and the single file that runs by itself."""

import os
import subprocess
import sys
from pathlib import Path

from tools.package.environment import Environment
from tools.package.requirements import PROJECT


def build(folder: Path, source: Path = PROJECT) -> tuple[Path, Path]:
    """Build into ``folder``; return the wheel and the source distribution.

    The same source gives the same bytes, for the same ``SOURCE_DATE_EPOCH`` if that is set.
    Needs no network: hatchling is installed, and builds alone. Raises RuntimeError.
    """
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(folder.absolute())]
    done = subprocess.run(line, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"hatchling failed:\n{done.stdout}{done.stderr}")
    newest = {kind: max(folder.glob(kind), key=os.path.getmtime) for kind in ("*.whl", "*.tar.gz")}
    return newest["*.whl"], newest["*.tar.gz"]


def zipapp(wheel: Path, file: Path, scratch: Path) -> None:
    """Write ``file``, a program that holds the wheel and all it needs.

    It holds native code, so it runs on the system, the processor and the release of Python that
    it was built with; it unpacks itself once into the folder that shiv keeps (``~/.shiv``).
    """
    builder = Environment.create(scratch, sys.executable)
    builder.install("shiv")
    file.parent.mkdir(parents=True, exist_ok=True)
    shebang = f"/usr/bin/env python{sys.version_info.major}.{sys.version_info.minor}"
    options = ["-c", "vllmctl", "-p", shebang, "--reproducible", "--compressed", "-o", str(file)]
    builder.run("shiv", *options, "-q", str(wheel))
