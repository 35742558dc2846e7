"""All targets by name."""

from collections.abc import Mapping

from tools.fuzz.target import Target
from tools.fuzz.targets import answers, commands, connections, files, lints, mocks

TARGETS: Mapping[str, Target] = {
    **answers.TARGETS,
    **connections.TARGETS,
    **files.TARGETS,
    **lints.TARGETS,
    **commands.TARGETS,
    **mocks.TARGETS,
}
