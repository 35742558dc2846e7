"""An answer that is held back until it is known whether it is the last one."""

import io

from vllmctl.env import Environment
from vllmctl.record import replace


class Held:
    """Stands in for stdout in ``env``; ``release`` writes what was held."""

    def __init__(self, env: Environment) -> None:
        self._to = env
        encoding = getattr(env.stdout, "encoding", None) or "utf-8"
        self._bytes = io.BytesIO()
        self._text = io.TextIOWrapper(
            self._bytes, encoding=encoding, errors="backslashreplace", newline=""
        )
        self.env = replace(env, stdout=self._text)

    def release(self) -> None:
        """Write to the real stdout, byte by byte as it came."""
        self._text.flush()
        self._to.stdout.flush()
        buffer = getattr(self._to.stdout, "buffer", None)
        if buffer is None:
            self._to.stdout.write(self._bytes.getvalue().decode(self._text.encoding))
        else:
            buffer.write(self._bytes.getvalue())
        self._to.stdout.flush()
