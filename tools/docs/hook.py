"""MkDocs calls this while it builds the site: the pages that are made, not written."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.docs.blocks import without_marks
from tools.docs.pages import reference_pages


def on_files(files: Any, config: Any) -> Any:
    """Add what is made to the files of the site."""
    from mkdocs.structure.files import File

    for path, text in reference_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Take out the comments that say how a page's commands are run."""
    return without_marks(markdown)
