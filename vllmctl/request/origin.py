"""Where a value came from."""

from vllmctl.record import Record


class Origin(Record, frozen=True):
    """The source of one value, in words a person can act on.

    ``kind`` is one of ``body``, ``profile``, ``environment``, ``option``, ``flag``,
    ``prompt``, ``stdin``, ``session``, ``implied``, ``default`` or ``server``. ``text`` is what is
    shown: ``--top-p``, ``profile precise (profiles/precise.toml:4)``, ``implied by --prefill``.
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def deed(self) -> str:
        """What a value is by it: ``set by --top-p``, ``implied by --prefill``."""
        return self.text if self.kind in ("implied", "default") else f"set by {self.text}"


class Layer(Record, frozen=True):
    """Values of one source; ``origins`` maps each dotted leaf path to where it came from."""

    values: dict[str, object]
    origins: dict[str, Origin]
