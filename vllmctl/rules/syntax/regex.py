"""Regular expressions as xgrammar and llguidance read them."""

from functools import partial

from vllmctl.rules.syntax.rust_regex import rust_regex_refusal
from vllmctl.rules.syntax.verdict import Verdict
from vllmctl.rules.syntax.xgrammar_regex import xgrammar_regex_refusal


def judge_regex(pattern: str) -> Verdict:
    """Return what the backends say to ``pattern``."""
    return Verdict(partial(xgrammar_regex_refusal, pattern), partial(rust_regex_refusal, pattern))
