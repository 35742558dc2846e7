"""All targets by name."""

from collections.abc import Mapping

from tools.fuzz.target import Target
from tools.fuzz.targets.answers import TARGETS as ANSWERS
from tools.fuzz.targets.commands import TARGETS as COMMANDS
from tools.fuzz.targets.connections import TARGETS as CONNECTIONS
from tools.fuzz.targets.files import TARGETS as FILES
from tools.fuzz.targets.lints import TARGETS as LINTS
from tools.fuzz.targets.mocks import TARGETS as MOCKS
from tools.fuzz.targets.views import TARGETS as VIEWS

TARGETS: Mapping[str, Target] = {
    **ANSWERS,
    **CONNECTIONS,
    **FILES,
    **LINTS,
    **COMMANDS,
    **MOCKS,
    **VIEWS,
}
