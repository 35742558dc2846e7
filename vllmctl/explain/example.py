"""A command line that sets a field."""

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.fields.kinds import Form
from vllmctl.fields.options import OptionSpec, field_options
from vllmctl.fields.sugar import CHAT, COMPLETE

_COMMANDS = {CHAT: 'vllmctl chat "Hello"', COMPLETE: 'vllmctl complete "Once upon a time"'}
_WITHOUT_PROMPT = {"messages": "vllmctl chat", "prompt": "vllmctl complete"}
_SAMPLES = {Form.INTEGER: "1", Form.NUMBER: "0.5", Form.TEXT: "TEXT"}


def command_of(endpoint: str) -> str:
    """Return the start of a command line for an endpoint, or an empty text."""
    return _COMMANDS.get(endpoint, "")


def option_of(of: Endpoint, path: str) -> OptionSpec | None:
    """Return the option that sets the field at ``path``, if there is one."""
    if of.name not in _COMMANDS:
        return None
    return next((spec for spec in field_options(of) if spec.path == path), None)


def example(of: Endpoint, path: str, field: Field, written: str = "") -> str:
    """Return a command line that sets ``path``; ``written`` is its arguments, if known."""
    command = _WITHOUT_PROMPT.get(path) or command_of(of.name)
    if not command:
        return ""
    arguments = written or _arguments(of, path, field)
    return f"{command} {arguments}" if arguments else ""


def _arguments(of: Endpoint, path: str, field: Field) -> str:
    spec = option_of(of, path)
    if spec is None:
        return ""
    if spec.switch:
        return spec.off[0] if field.default is True and spec.off else spec.names[0]
    value = spec.example or (spec.choices[0] if spec.choices else _SAMPLES.get(spec.kind.form, ""))
    return f"{spec.names[0]} {value}" if value else ""
