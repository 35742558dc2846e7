"""The same targets with atheris, which sees what code an input reaches."""

import sys

from tools.fuzz.runner import try_one
from tools.fuzz.targets import TARGETS


def run_guided(name: str, seconds: float, seed: int) -> int:
    """Run one target under libFuzzer; ends the process when it finds something."""
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

    arguments = [f"-max_total_time={seconds:g}", f"-seed={seed + 1}", "-max_len=20000"]
    atheris.Setup([sys.argv[0], *arguments], once)
    atheris.Fuzz()
    return 0
