"""How long to wait before a request is sent again."""

from collections.abc import Mapping

_FIRST, _LONGEST, _LONGEST_ASKED = 0.5, 8.0, 60.0


def pause_before_retry(tries: int, headers: Mapping[str, str]) -> float:
    """Return the seconds to wait after ``tries`` earlier retries.

    The server's ``Retry-After`` (seconds or a date) decides if there is one; negative when
    it asks for more than a minute, which is for the user to wait. Else 0.5 s, doubled each
    time, 8 s at most.
    """
    asked = retry_after(headers)
    if asked is None:
        return min(_FIRST * 2.0**tries, _LONGEST)
    return asked if asked <= _LONGEST_ASKED else -1.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` asks to wait, or ``None`` without a usable one."""
    text = headers.get("retry-after", "").strip()
    if text.replace(".", "", 1).isdecimal():
        return float(text)
    return _until(text) if text else None


def _until(date: str) -> float | None:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return None
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
