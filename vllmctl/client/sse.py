"""A reader of server-sent events that takes them as they really come.

Source: the event-stream format of the HTML standard, with what servers get wrong accepted:
no blank line after the last event, line ends of any kind, lines of any length.
"""

ServerEvent = tuple[str, bytes]
"""The name of an event (mostly empty) and its data, still encoded."""

_BOM = b"\xef\xbb\xbf"


class SSEReader:
    """Splits bytes into events, wherever the network has cut them.

    Time and memory are linear in what arrives: an unfinished line is kept in pieces until
    its end comes.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._name = ""
        self._after_cr = False
        self._started = False

    def feed(self, read: bytes) -> list[ServerEvent]:
        """Return the events that ``read`` completes."""
        if not self._started:
            read = self._start(read)
        if self._after_cr or b"\r" in read:
            read = self._with_plain_ends(read)
        end = read.rfind(b"\n") + 1
        if not end:
            if read:
                self._line.append(read)
            return []
        text = read[:end]
        if self._line:
            text = b"".join((*self._line, text))
            self._line.clear()
        if end < len(read):
            self._line.append(read[end:])
        return self._events(text)

    def finish(self) -> list[ServerEvent]:
        """Return the event that the end of the stream completes, if any."""
        rest = b"".join(self._line)
        self._line.clear()
        return self._by_line(rest + b"\n\n")

    def _start(self, read: bytes) -> bytes:
        """Drop a byte order mark, which may come in pieces."""
        read = b"".join((*self._line, read))
        self._line.clear()
        if len(read) < len(_BOM) and _BOM.startswith(read):
            self._line.append(read)
            return b""
        self._started = True
        return read.removeprefix(_BOM)

    def _with_plain_ends(self, read: bytes) -> bytes:
        """Return ``read`` with LF for CR and CRLF, a pair cut by the network included."""
        if self._after_cr and read:
            read = read.removeprefix(b"\n")
            self._after_cr = False
        if read.endswith(b"\r"):
            self._after_cr = True
        return read.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _events(self, text: bytes) -> list[ServerEvent]:
        if not self._data and text.startswith(b"data: ") and text.endswith(b"\n\n"):
            pieces = text[6:-2].split(b"\n\ndata: ")
            if text.count(b"\n") == 2 * len(pieces):  # nothing but single data lines
                name, self._name = self._name, ""
                events = [("", piece) for piece in pieces]
                events[0] = (name, pieces[0])
                return events
        return self._by_line(text)

    def _by_line(self, text: bytes) -> list[ServerEvent]:
        events: list[ServerEvent] = []
        for line in text[:-1].split(b"\n"):
            if line:
                self._field(line)
                continue
            if self._data:
                events.append((self._name, b"\n".join(self._data)))
                self._data = []
            self._name = ""
        return events

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if value.startswith(b" "):
            value = value[1:]
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode(errors="replace")
