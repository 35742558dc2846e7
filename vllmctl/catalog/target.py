"""A target: the engine and the release that will get the request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """An engine and its release; its text form is ``vllm==0.32.0``."""

    engine: str
    release: str

    def __str__(self) -> str:
        return f"{self.engine}=={self.release}"
