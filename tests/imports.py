"""Which modules a run of the program imports."""

import subprocess
import sys
from collections.abc import Container, Sequence


def run_and_list(arguments: Sequence[str], codes: Container[int] = (0,)) -> tuple[str, set[str]]:
    """Run the program; return its stdout and the names of all modules it imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vllmctl", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in codes, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.stdout, {line.rpartition("|")[2].strip() for line in lines}
