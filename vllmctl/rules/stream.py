"""Streams and their options."""

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.finding import Edit
from vllmctl.rules.registry import mend, own_rule


@mend("stream_options.needs_stream")
def _without_options(*_: object) -> tuple[Edit, ...]:
    return drop("stream_options")


@own_rule(
    "stream_options.without_include_usage",
    "continuous_usage_stats has no effect without include_usage.",
    ("stream_options",),
    since="0.18.0",
)
def idle_continuous_usage(case: Case) -> Faults:
    """Usage in every chunk only when there is usage at all."""
    options = case.object("stream_options")
    if options.get("continuous_usage_stats") and not options.get("include_usage"):
        path = "stream_options.continuous_usage_stats"
        message = "continuous_usage_stats has no effect without include_usage: true"
        yield Fault(path, message, put("stream_options.include_usage", True))


@own_rule(
    "stream_interval.without_stream",
    "stream_interval has no effect without stream.",
    ("stream_interval",),
    since="0.27.0",
)
def idle_interval(case: Case) -> Faults:
    """There are no chunks to fill."""
    if case.is_set("stream_interval") and not case.value.get("stream"):
        message = "stream_interval has no effect without stream: true"
        yield Fault("stream_interval", message, drop("stream_interval"))
