"""``vllmctl profiles``: list, show, save, edit, check, path, rm, trust."""

from vllmctl.cli.app import LazyGroup
from vllmctl.cli.page import Page

_PAGE = Page(
    usage="vllmctl profiles COMMAND [OPTIONS]",
    summary="Save request parameters under a name, and look at them again.",
    examples=(
        "vllmctl profiles save careful --temperature 0.1 --top-p 0.8",
        'vllmctl chat "Hello" -p careful',
        "vllmctl profiles show careful --origin",
    ),
)


def command() -> LazyGroup:
    """Return the group."""
    return LazyGroup("profiles", _PAGE)
