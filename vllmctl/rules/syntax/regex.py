"""Regular expressions as xgrammar and llguidance read them."""

from vllmctl.rules.syntax.fault import SyntaxFaultError
from vllmctl.rules.syntax.rust_regex import read_regex
from vllmctl.rules.syntax.verdict import Verdict
from vllmctl.rules.syntax.xgrammar_regex import xgrammar_regex_refusal


def judge_regex(pattern: str) -> Verdict:
    """Return what the backends say to ``pattern``."""
    verdict = Verdict()
    verdict.by_xgrammar(xgrammar_regex_refusal(pattern))
    try:
        read_regex(pattern)
    except SyntaxFaultError as fault:
        verdict.by_guidance(str(fault))
    except RecursionError:
        verdict.by_guidance("its groups are nested too deeply")
    return verdict
