"""Flags that write other fields, and fields that imply others. Data only.

Sugar never shares its name with a field, and a dry run shows what it wrote.
"""

from typing import Any, Literal

from vllmctl.fields.groups import Group
from vllmctl.record import Record

CHAT, COMPLETE = "chat.completions", "completions"
BOTH = (CHAT, COMPLETE)
BY_COMMAND = {"chat": CHAT, "complete": COMPLETE}
"""The commands that send a request, and their endpoints."""


class Sugar(Record, frozen=True):
    """One flag that writes fields.

    ``paths`` are the places it may write to, the best first: the first whose field the
    target has is taken. ``value`` is what is written, or ``None`` for the flag's own value,
    read as ``kind`` says: a ``switch`` writes ``True`` (and ``False`` for ``off``), ``text``
    the string, ``texts`` a list of strings, ``schema`` a JSON schema, ``tokens`` token ids.
    """

    name: str
    kind: Literal["switch", "text", "texts", "schema", "tokens"]
    paths: tuple[str, ...]
    help: str
    group: Group
    endpoints: tuple[str, ...] = BOTH
    off: str = ""
    aliases: tuple[str, ...] = ()
    metavar: str = ""
    value: Any = None
    common: bool = False


SUGAR = (
    Sugar(
        "--thinking",
        "switch",
        ("chat_template_kwargs.enable_thinking",),
        "Let the model think, or not (Qwen3 and alike)",
        Group.REASONING,
        (CHAT,),
        off="--no-thinking",
        common=True,
    ),
    Sugar(
        "--schema",
        "schema",
        ("structured_outputs.json", "guided_json"),
        "A JSON schema, or 'name, age int'",
        Group.STRUCTURED,
        aliases=("--json-schema",),
        metavar="SCHEMA|@FILE",
        common=True,
    ),
    Sugar(
        "--regex",
        "text",
        ("structured_outputs.regex", "guided_regex"),
        "The answer must match this pattern",
        Group.STRUCTURED,
        metavar="PATTERN",
        common=True,
    ),
    Sugar(
        "--choice",
        "texts",
        ("structured_outputs.choice", "guided_choice"),
        "The answer is one of these; repeat it",
        Group.STRUCTURED,
        metavar="TEXT",
        common=True,
    ),
    Sugar(
        "--grammar",
        "text",
        ("structured_outputs.grammar", "guided_grammar"),
        "The answer must follow this EBNF grammar",
        Group.STRUCTURED,
        metavar="EBNF|@FILE",
    ),
    Sugar(
        "--json-object",
        "switch",
        ("response_format",),
        "The answer must be a JSON object",
        Group.STRUCTURED,
        value={"type": "json_object"},
        common=True,
    ),
    Sugar(
        "--include-usage",
        "switch",
        ("stream_options.include_usage",),
        "Have the stream report its tokens",
        Group.STREAM,
        off="--no-include-usage",
    ),
    Sugar(
        "--prompt-tokens",
        "tokens",
        ("prompt",),
        "A prompt as token ids; repeat it for more",
        Group.PROMPT,
        (COMPLETE,),
        metavar="IDS",
    ),
)


class Implication(Record, frozen=True):
    """``when`` being asked for sets ``path`` to ``value`` unless the user set it.

    ``when`` is a field whose value is neither null, false, 0 nor empty, or a setting of the
    program (``usage``, ``interactive``). ``value`` is ``None`` for the setting's own number.
    ``streaming`` limits it to streamed requests. The user is told, unless it is ``quiet``. What
    is ``needed`` must not be turned off by the user.
    """

    when: str
    path: str
    value: Any
    endpoints: tuple[str, ...] = BOTH
    streaming: bool = False
    quiet: bool = False
    needed: bool = False


LOGPROBS_VIEWS = ("show_logprobs", "save_html", "save_svg")
"""Settings that show or save log-probabilities."""

# of two that set the same, the upper one counts
IMPLICATIONS = (
    Implication("continue_final_message", "add_generation_prompt", False, (CHAT,)),
    Implication("top_logprobs", "logprobs", True, (CHAT,)),
    Implication("logprob_token_ids", "logprobs", True, (CHAT,)),
    Implication("alternatives", "logprobs", None, (COMPLETE,), quiet=True),
    Implication("logprob_token_ids", "logprobs", 0, (COMPLETE,)),
    Implication("alternatives", "top_logprobs", None, (CHAT,), quiet=True),
    *(
        Implication(view, "logprobs", value, (endpoint,), quiet=True, needed=True)
        for view in LOGPROBS_VIEWS
        for endpoint, value in ((CHAT, True), (COMPLETE, 0))
    ),
    Implication("usage", "stream_options.include_usage", True, streaming=True, quiet=True),
    Implication("interactive", "stream_options.include_usage", True, streaming=True, quiet=True),
)

STREAM_BLOCKERS = {
    CHAT: ("prompt_logprobs",),
    COMPLETE: ("prompt_logprobs", "use_beam_search"),
}
"""Fields that the server refuses in a stream: with one of them no stream is asked for."""
