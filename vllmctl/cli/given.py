"""What was given on the command line, read out by name."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vllmctl.errors import UsageError
from vllmctl.fields.options import OptionSpec
from vllmctl.fields.sugar import LOGPROBS_VIEWS

if TYPE_CHECKING:
    from vllmctl.request.build import Asked, GivenFlag
    from vllmctl.request.media import Media
    from vllmctl.request.messages import Words


class Given:
    """The given options by ``OptionSpec.dest``, and the positional prompts.

    ``typed`` has the names of those that were not given by their flag (``/set top_p``), or by
    another name of it (``--tool``).
    """

    def __init__(
        self,
        values: dict[str, Any],
        specs: Sequence[OptionSpec],
        typed: Mapping[str, str] | None = None,
    ) -> None:
        self.values = values
        self.specs = specs
        self.typed = typed or {}

    def has(self, dest: str) -> bool:
        """Whether the option was given (a switch: and says yes)."""
        return bool(self.values.get(dest))

    def all(self, dest: str) -> list[str]:
        """Every text of a repeated option."""
        return list(self.values.get(dest) or [])

    def last(self, dest: str) -> str | None:
        """The last text of an option, or ``None`` when it was not given."""
        texts = self.all(dest)
        return texts[-1] if texts else None

    def one_of(self, dest: str, choices: Sequence[str], default: str) -> str:
        """The last text, which must be one of ``choices``."""
        text = self.last(dest)
        if text is None:
            return default
        if text not in choices:
            choose = f"is not one of {', '.join(choices)}"
            raise UsageError(f"{self.name_of(dest)}: {text!r} {choose}")
        return text

    def count(self, dest: str) -> int | None:
        """The last text, which must be a whole number, or ``None`` when it was not given."""
        from vllmctl.counts import count_in

        text = self.last(dest)
        count = None if text is None else count_in(text)
        if text is not None and count is None:
            raise UsageError(f"{self.name_of(dest)}: expected a whole number, got {text!r}")
        return count

    @property
    def shows_logprobs(self) -> bool:
        """Whether the log-probabilities are written anywhere."""
        return any(map(self.has, LOGPROBS_VIEWS))

    def name_of(self, dest: str) -> str:
        """The name by which a setting of the program was given."""
        return self.typed.get(dest, "--" + dest.replace("_", "-"))

    def format(self, choices: Sequence[str]) -> str:
        """How to print: what --format or --json say, else the first of ``choices``."""
        named = self.one_of("format", choices, "json" if self.has("json") else choices[0])
        if self.has("json") and named != "json":
            raise UsageError(f"--json and --format {named} say different things", "leave one out")
        return named

    def no_words(self, command: str) -> None:
        """Raise ``UsageError`` for words that ``command`` has no use for."""
        if self.all("prompt"):
            raise UsageError(f"{command} takes no words, got {self.all('prompt')[0]!r}")

    def flags(self) -> "list[GivenFlag]":
        """The fields' and the sugar's flags."""
        return [
            _flag(spec, self.values[spec.dest], self.typed.get(spec.dest, ""))
            for spec in self.specs
            if (spec.path or spec.sugar) and spec.dest in self.values
        ]

    def words(self) -> "Words":
        """Prompts, files, roles."""
        from vllmctl.request.messages import Words

        return Words(
            prompts=self.all("prompt"),
            files=self.all("file"),
            file_flag=self.typed.get("file", "-f"),
            system=self.last("system"),
            messages=self.all("message"),
            prefill=self.last("prefill"),
            media=self._media(),
            escape=self.has("escape"),
            read_stdin=not self.has("no_stdin"),
            literal=self.has("interactive"),
        )

    def _media(self) -> "list[Media]":
        from vllmctl.request.media import KINDS, Media

        flags = [("--" + kind, kind) for kind in KINDS] + [("--attach", "")]
        return [
            Media(self.typed.get(flag[2:], flag), kind, source)
            for flag, kind in flags
            for source in self.all(flag[2:])
        ]

    def asked(self) -> "Asked":
        """All that shapes the body, but for the profiles' layers."""
        from vllmctl.request.build import Asked

        return Asked(
            data=self.last("body"),
            options=self.all("option"),
            flags=self.flags(),
            unset=[key.replace("-", "_") for key in self.all("unset")],
            words=self.words(),
            needs_words=not self.has("interactive"),
            wants=self._wants(),
        )

    def _wants(self) -> dict[str, Any]:
        """The settings that imply fields, and their values; see ``fields.sugar.IMPLICATIONS``."""
        return {
            "usage": self.has("usage") or self.has("usage_json"),
            "interactive": self.has("interactive"),
            **{view: self.has(view) for view in LOGPROBS_VIEWS},
            "alternatives": self.count("alternatives"),
        }


def _flag(spec: OptionSpec, value: Any, typed: str) -> "GivenFlag":
    from vllmctl.request.build import GivenFlag

    if spec.switch:
        flag = spec.names[0] if value or not spec.off else spec.off[0]
        return GivenFlag(spec, typed or flag, answer=bool(value))
    return GivenFlag(spec, typed or spec.names[0], texts=list(value))
