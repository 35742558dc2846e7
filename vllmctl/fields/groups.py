"""The panels in which options are shown, in the order of the help page."""

from enum import StrEnum


class Group(StrEnum):
    """A panel; its value is the panel's title."""

    PROMPT = "Prompt"
    SAMPLING = "Sampling"
    LENGTH = "Length and stopping"
    STRUCTURED = "Structured output"
    REASONING = "Reasoning"
    TOOLS = "Tools"
    LOGPROBS = "Log probabilities"
    STREAM = "Streaming"
    TEMPLATE = "Chat template"
    TOKENS = "Token control"
    BEAM = "Beam search"
    MEDIA = "Media"
    RETURNS = "What comes back"
    SERVING = "Scheduling and caches"
    OTHER = "Other fields"
    BODY = "Body and profiles"
    CHECKS = "Checks"
    OUTPUT = "Output"
    CONNECTION = "Connection"

    @property
    def key(self) -> str:
        """The word that ``--help-panel`` takes."""
        return _KEYS[self]


_KEYS = {
    Group.PROMPT: "prompt",
    Group.SAMPLING: "sampling",
    Group.LENGTH: "length",
    Group.STRUCTURED: "structured",
    Group.REASONING: "reasoning",
    Group.TOOLS: "tools",
    Group.LOGPROBS: "logprobs",
    Group.STREAM: "streaming",
    Group.TEMPLATE: "template",
    Group.TOKENS: "tokens",
    Group.BEAM: "beam",
    Group.MEDIA: "media",
    Group.RETURNS: "returns",
    Group.SERVING: "serving",
    Group.OTHER: "other",
    Group.BODY: "body",
    Group.CHECKS: "checks",
    Group.OUTPUT: "output",
    Group.CONNECTION: "connection",
}
