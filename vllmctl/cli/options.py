"""From option specs to Typer's parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

from typer import _click as click
from typer._coercion import TypeDescriptor
from typer.core import TyperArgument, TyperOption
from typer.models import ArgumentInfo, OptionInfo

from vllmctl.fields.options import OptionSpec


class SpecOption(TyperOption):
    """An option made from an ``OptionSpec``.

    Values stay the texts that were typed: ``vllmctl.request`` reads them by the facts. So
    nothing of Typer's own conversion runs, which would cost more than the whole check.
    """

    def __init__(self, spec: OptionSpec) -> None:
        self.spec = spec
        super().__init__(
            param_decls=[spec.dest, *_declarations(spec)],
            type_descriptor=_ANY_OPTION,
            is_flag=spec.switch,
            multiple=not spec.switch,
            metavar=spec.metavar or None,
            help=spec.help,
        )

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the typed texts, or the switch's answer, or ``None`` when it was not given."""
        return list(value) if isinstance(value, (list, tuple)) and value else value or _no(value)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Offer the words that the option takes."""
        from typer._click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.spec.choices if word.startswith(incomplete)]


class PromptArgument(TyperArgument):
    """The positional prompts; nothing else is positional."""

    def __init__(self) -> None:
        super().__init__(
            param_decls=["prompt"], type_descriptor=_ANY_ARGUMENT, nargs=-1, metavar="[PROMPT]"
        )

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the prompts as typed."""
        return list(value or ())

    def _usage_display_name(self) -> str:
        return "[PROMPT]"


def parameters(specs: Sequence[OptionSpec]) -> list[click.Parameter]:
    """Return the prompt argument and one option a spec."""
    return [PromptArgument(), *(SpecOption(spec) for spec in specs)]


def given(specs: Sequence[OptionSpec], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given on the command line, by ``dest``."""
    return {spec.dest: values[spec.dest] for spec in specs if values.get(spec.dest) is not None}


_ANY_OPTION = TypeDescriptor(annotation=str, parameter_info=OptionInfo(), file_annotation=None)
_ANY_ARGUMENT = TypeDescriptor(annotation=str, parameter_info=ArgumentInfo(), file_annotation=None)


def _no(value: Any) -> bool | None:
    return False if value is False else None


def _declarations(spec: OptionSpec) -> list[str]:
    yes = [*spec.names, *spec.hidden]
    no = [*spec.off, *spec.hidden_off]
    pairs = [f"{name}/{off}" for name, off in zip(yes, no, strict=False)]
    rest = yes[len(pairs) :]
    return [*pairs, *rest, *(f"{yes[0]}/{off}" for off in no[len(pairs) :])]
