"""Files with one request a line: read as they come, in constant memory.

Only the ids of a batch file are kept (as numbers), because they may not come twice.
"""

from collections.abc import Iterable, Iterator

from vllmctl.lint.batch_file import BatchFile
from vllmctl.lint.finding import TextFinding
from vllmctl.lint.linter import Linter
from vllmctl.lint.result import Result
from vllmctl.record import Record
from vllmctl.rules.finding import Level

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"


class Line(Record):
    """A line as it stands in the file, with its end; ``result`` is ``None`` for a blank one."""

    raw: bytes
    result: Result | None = None


def read_lines(stream: Iterable[bytes], name: str, linter: Linter) -> Iterator[Line]:
    """Yield every line of ``stream`` with what there is to say of it.

    Blank lines count, so that numbers are those of the file.
    """
    batch = BatchFile(linter.judge.newest)
    for number, raw in enumerate(stream, 1):
        if number == 1 and raw.startswith(_WIDE_MARKS):
            yield Line(raw, _unreadable(name, linter))
            return
        text = raw.strip()
        if not text.removeprefix(_MARK):
            yield Line(raw)
            continue
        yield Line(raw, linter.line(text, name, number, batch))


def _unreadable(name: str, linter: Linter) -> Result:
    """A file in UTF-16 has no lines of bytes: say so once."""
    message = "this is UTF-16; lines must be UTF-8: convert the file first, with iconv -t UTF-8"
    finding = TextFinding(Level.ERROR, "json.encoding", "", message)
    result = Result(name, 1, linter.endpoint, linter.judge.label, [finding])
    result.readable = False
    return result
