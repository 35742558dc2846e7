"""From the bytes of one request to a result: read, unwrap, judge, and mend if asked."""

from collections.abc import Callable
from typing import Any

from vllmctl.lint.batch_file import BatchFile
from vllmctl.lint.endpoints import at_path, cannot_tell, guessed, no_path
from vllmctl.lint.forms import Form, Unwrapped, unwrap
from vllmctl.lint.json_text import parse
from vllmctl.lint.judge import Judge
from vllmctl.lint.result import Result
from vllmctl.record import Record, replace
from vllmctl.rules.edits import Change, apply
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.mending import Mended, mend

_ROUNDS = 3
"""A mend may bring up a name that has a newer one."""

Translate = Callable[[Any, str], list[Change]]


class Linter(Record):
    """Lints requests for one target.

    ``endpoint`` is the endpoint that was asked for by name, which counts more than what a
    file says. With ``mends`` the value of a result is mended; ``translate`` first puts a
    body into the words of the target.
    """

    judge: Judge
    endpoint: str | None = None
    mends: bool = False
    translate: Translate | None = None

    def whole(self, raw: bytes, name: str, url: str | None = None) -> Result:
        """Lint the one request in ``raw``; ``url`` is where it is sent, if that is known."""
        return self._lint(raw, name, None, BatchFile(self.judge.newest), url)

    def line(self, raw: bytes, name: str, number: int, batch: BatchFile) -> Result:
        """Lint one line of a file; ``batch`` knows the lines before it."""
        return self._lint(raw, name, number, batch, None)

    def _lint(
        self, raw: bytes, name: str, number: int | None, batch: BatchFile, url: str | None
    ) -> Result:
        read = parse(raw, number or 1)
        result = Result(name, number, self.endpoint, self.judge.label, read.findings)
        result.raw, result.value, result.readable = raw, read.value, read.readable
        result.is_deep = read.is_deep
        if not read.readable:
            return result
        form = unwrap(read.value)
        if form.form is Form.BATCH:
            result.findings += batch.findings(read.value, number or 1)
        if self.mends and result.findings and not read.is_deep:
            _mend_around(result)
            form = unwrap(result.value)
        result.keys, result.custom_id = form.keys, form.custom_id
        self._judge(result, form, url)
        return result

    def _judge(self, result: Result, form: Unwrapped, url: str | None) -> None:
        around = [_within(finding, form.keys) for finding in result.findings]
        if form.form is Form.BATCH and "body" not in result.value:
            result.findings = around
            return
        body = form.body
        found = self._endpoint(form.url or url, body)
        if isinstance(found, Finding):
            has_said = any(finding.code == "batch.url" for finding in around)
            result.findings = around if has_said else [*around, found]
            return
        result.endpoint = found
        result.findings = _joined(around, self._findings(body, found, result))

    def _findings(self, body: Any, name: str, result: Result) -> list[Finding]:
        if not self.mends or result.is_deep:
            return self.judge.findings(body, name)
        mended = Mended([], [])
        for _ in range(_ROUNDS):
            if self.translate is not None:
                result.changes += self.translate(body, name)
            mended = mend(body, lambda changed: self.judge.findings(changed, name))
            result.changes += mended.changes
            if not mended.changes:
                break
        return mended.findings

    def _endpoint(self, url: str | None, body: Any) -> str | Finding:
        if self.endpoint is not None:
            return self.endpoint
        if url is not None:
            return at_path(url, self.judge.engine) or no_path(url, self.judge.engine)
        return guessed(body) or cannot_tell(body)


def _joined(around: list[Finding], findings: list[Finding]) -> list[Finding]:
    """One finding a place: what the text shows says where, and the rules how bad it is."""
    told = {finding.path for finding in around if finding.path and _is_telling(finding)}
    wrong = {finding.path for finding in findings if finding.level is Level.ERROR}
    raised = [
        replace(finding, level=Level.ERROR) if finding.path in told & wrong else finding
        for finding in around
    ]
    said = {finding.path for finding in raised if finding.level is Level.ERROR and finding.path}
    return [*raised, *(finding for finding in findings if finding.path not in said)]


def _is_telling(finding: Finding) -> bool:
    """Whether a finding shows a value that some fields take and others do not."""
    return finding.code in ("json.not_a_number", "json.half_pair")


def _mend_around(result: Result) -> None:
    """Mend what is wrong with the text and around the body; leave the findings that remain."""
    remaining: list[Finding] = []
    for finding in reversed(result.findings):  # what is taken out of a list moves what follows
        if finding.fix is None:
            remaining.append(finding)
        elif not finding.fix:
            result.rewritten.append(getattr(finding, "placed", finding.message))
        else:
            result.changes += apply(result.value, finding.fix, finding.message)
    result.findings = remaining[::-1]


def _within(finding: Finding, keys: tuple[str, ...]) -> Finding:
    """Let a finding about a value in the body speak of the body."""
    if not keys:
        return finding
    prefix = f"{keys[0]}."
    if finding.path.startswith(prefix):
        path = finding.path.removeprefix(prefix)
        return replace(finding, path=path, fix=_rebased(finding, prefix))
    return finding


def _rebased(finding: Finding, prefix: str) -> Any:
    if finding.fix is None:
        return None
    return tuple(
        replace(edit, path=edit.path.removeprefix(prefix), to=edit.to.removeprefix(prefix))
        for edit in finding.fix
    )
