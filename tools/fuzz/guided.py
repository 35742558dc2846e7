"""The same targets with atheris, which sees what code an input reaches.

It is a tool for a machine's spare hours, and no dependency of the project: ``pip install
atheris`` into an environment of CPython 3.11 to 3.13.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz.runner import try_one
from tools.fuzz.target import Target
from tools.fuzz.targets import TARGETS

_LONGEST = 20_000


def run_guided(name: str, seconds: float, seed: int) -> int:
    """Run one target under libFuzzer, which ends the process; 2 when there is no atheris."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris (CPython 3.11 to 3.13)")
        return 2
    target = TARGETS[name]
    atheris.instrument_all()

    def once(data: bytes) -> None:
        fault = try_one(target, data)
        if fault is not None:
            raise fault

    with TemporaryDirectory(prefix="fuzz-") as folder:
        atheris.Setup([sys.argv[0], *_arguments(target, Path(folder), seconds, seed)], once)
        atheris.Fuzz()
    return 0


def _arguments(target: Target, folder: Path, seconds: float, seed: int) -> list[str]:
    """Write seeds and words as libFuzzer reads them; return its arguments."""
    corpus, words = folder / "corpus", folder / "words"
    corpus.mkdir()
    for number, data in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(data)
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words if word))
    limits = [f"-max_total_time={seconds:g}", f"-seed={seed + 1}", f"-max_len={_LONGEST}"]
    return [*limits, f"-dict={words}", str(corpus)]


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)
