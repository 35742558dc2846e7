"""What a person names in Python as ``package.module:name``."""

import re
import sys
from typing import Any

from vllmctl.errors import UsageError

_NAME = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


def python_name(text: str) -> tuple[str, str] | None:
    """Return module and name if ``text`` has the form of such a name."""
    match = _NAME.fullmatch(text.strip())
    return (match[1], match[2]) if match else None


def import_named(module: str, name: str, owner: str, hint: str = "") -> Any:
    """Return what ``name`` is in ``module``, from the current folder or what is installed.

    What the module prints while it is imported goes to stderr. Raises ``UsageError``.
    """
    from contextlib import redirect_stdout
    from importlib import import_module

    sys.path.insert(0, "")
    try:
        with redirect_stdout(sys.stderr):
            return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{owner}: cannot import {module}:{name}: {error}", hint) from None
    except Exception as error:  # whatever the module does when it is imported
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{owner}: {module} fails when it is imported: {what}") from None
    finally:
        sys.path.remove("")
