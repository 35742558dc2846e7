"""The programs that vllmctl is compared with, each in an environment of its own."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

CLIENTS = Path(__file__).parent / "clients"
PACKAGES = {"httpie": "http", "llm": "llm", "openai": "python", "aiohttp": "python"}
"""By package on the index: the program that runs it."""


def cache_folder() -> Path:
    """Return the folder that holds the environments."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "vllmctl-bench"


def installed(quick: bool) -> dict[str, str]:
    """Return the peers' programs by package; those that are missing are installed, or left out."""
    found = {}
    for package, program in PACKAGES.items():
        if not _there(package) and not quick:
            _install(package)
        if _there(package):
            found[package] = str(cache_folder() / package / "bin" / program)
    return found


def curl() -> str:
    """Return curl's program; it is what streams are compared with."""
    return shutil.which("curl") or sys.exit("curl is needed to compare with")


def configure_llm(home: str, urls: dict[str, str]) -> None:
    """Tell llm of a model each URL, by name, in the home folder it will see."""
    folder = Path(home) / ".config" / "io.datasette.llm"
    folder.mkdir(parents=True)
    rows = [
        f'- model_id: {name}\n  model_name: tiny\n  api_base: "{url}/v1"\n'
        for name, url in urls.items()
    ]
    (folder / "extra-openai-models.yaml").write_text("".join(rows))


def _there(package: str) -> bool:
    library = cache_folder() / package / "lib"
    return any(library.glob(f"python*/site-packages/{package}"))


def _install(package: str) -> None:
    folder = cache_folder() / package
    print(f"installing {package} into an environment of its own", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", package], check=True)
