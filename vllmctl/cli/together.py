"""Which settings do not go together, and which say nothing by themselves. Data and one check."""

from collections.abc import Iterator

from vllmctl.cli.given import Given
from vllmctl.errors import UsageError
from vllmctl.fields.sugar import LOGPROBS_VIEWS

_ONE_OF = (
    ("extract", "extract_all", "parse", "only_reasoning", "show_logprobs", "json", "format"),
    ("only_reasoning", "hide_reasoning"),
    ("usage", "usage_json"),
    ("session", "continue"),
    ("dry_run", "output"),
)
"""Of each of these one may be given; two would be two answers to one question."""

_GOES_WITH = {
    "alternatives": LOGPROBS_VIEWS,
    "max_turns": ("run_tools",),
    "full": ("dry_run", "interactive"),
}
"""Settings that do something only with one of others."""

_SAYS_NOTHING = {("format", "text")}
"""What is so anyway."""


def require_agreement(given: Given) -> None:
    """Raise ``UsageError`` for settings that contradict each other, or that nothing reads."""
    for options in _ONE_OF:
        said = list(_said(options, given))
        if len(said) > 1:
            raise UsageError(f"{said[0]} and {said[1]} do not go together", "leave one out")
    for option, others in _GOES_WITH.items():
        if given.has(option) and not any(map(given.has, others)):
            raise UsageError(
                f"{_flag(option)} does nothing by itself",
                f"it goes with {' or '.join(map(_flag, others))}",
            )


def _said(options: tuple[str, ...], given: Given) -> Iterator[str]:
    for option in options:
        if option == "json" and given.has("format"):
            continue  # the same question; ``Given.format`` compares them
        word = None if given.values.get(option) is True else given.last(option)
        if given.has(option) and (option, word) not in _SAYS_NOTHING:
            yield _flag(option)


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")
