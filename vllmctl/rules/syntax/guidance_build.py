"""Whether llguidance can build a grammar of a shape: something has to fit it."""

from collections.abc import Callable

from vllmctl.rules.syntax.guidance_number import build_number
from vllmctl.rules.syntax.json_schema import NothingFitsError, RefusalError
from vllmctl.rules.syntax.matching import is_match
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.shapes import (
    ANY,
    AnyOf,
    Array,
    Never,
    Number,
    Object,
    OneOf,
    Reference,
    Shape,
    Text,
)

_MOST_ITEMS = 200_000
"""Lists are written out item by item, and a grammar has a size that it may not outgrow."""


def build(shape: Shape, definition: Callable[[str], Shape]) -> None:
    """Raise ``RefusalError`` for a shape of which no grammar can be built."""
    _Builder(definition).whole(shape)


class _Builder:
    def __init__(self, definition: Callable[[str], Shape]) -> None:
        self._definition = definition
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self._reasons: dict[int, str] = {}  # of parts, which all live as long as the whole

    def whole(self, shape: Shape) -> None:
        """Build a shape, and then the definitions that it refers to."""
        self.build(shape)
        while self._waiting:
            self.build(self._definition(self._waiting.pop()))

    def build(self, shape: Shape) -> None:
        """Raise for a shape of which no grammar can be built."""
        match shape:
            case Never(reason=reason):
                raise NothingFitsError(f"nothing fits the schema: {reason}")
            case Number():
                build_number(shape)
            case Text():
                _text(shape)
            case Array():
                self._array(shape)
            case Object():
                self._object(shape)
            case AnyOf(options=options):
                self._any_of(options)
            case OneOf():
                raise RefusalError("oneOf with options that overlap is not supported; use anyOf")
            case Reference(name=name) if name not in self._seen:
                self._seen.add(name)
                self._waiting.append(name)

    def _fits_nothing(self, shape: Shape) -> str:
        """Why nothing fits a part, or an empty text; other refusals are raised."""
        known = id(shape)
        if known not in self._reasons:
            self._reasons[known] = self._reason(shape)
        return self._reasons[known]

    def _reason(self, shape: Shape) -> str:
        try:
            self.build(shape)
        except NothingFitsError as fault:
            return str(fault)
        return ""

    def _any_of(self, options: tuple[Shape, ...]) -> None:
        reasons = [self._fits_nothing(option) for option in options]
        if all(reasons):
            raise NothingFitsError(reasons[-1] if reasons else "anyOf has no options")

    def _array(self, shape: Array) -> None:
        if shape.most is not None and shape.least > shape.most:
            raise NothingFitsError(f"minItems ({shape.least}) is above maxItems ({shape.most})")
        if max(shape.least, shape.most or 0) > _MOST_ITEMS:
            raise RefusalError(f"it may have {max(shape.least, shape.most or 0)} items: too many")
        reason = self._fits_nothing(shape.items or ANY)
        if reason and shape.least > len(shape.prefix):
            raise NothingFitsError(f"an item that must be there: {reason}")
        end = len(shape.prefix) if shape.most is None else shape.most
        for place, item in enumerate(shape.prefix[:end]):
            reason = self._fits_nothing(item)
            if reason and place < shape.least:
                raise NothingFitsError(f"item {place}, which must be there: {reason}")
            if reason:
                return

    def _object(self, shape: Object) -> None:
        missing = [name for name in shape.required if name not in shape.members]
        for name in (*shape.members, *missing):
            reason = self._fits_nothing(shape.member(name))
            if reason and name in shape.required:
                raise NothingFitsError(f"the property {name}, which is required: {reason}")
        self._fits_nothing(shape.others or ANY)
        if shape.least or shape.most is not None:
            self._sizes(shape)

    def _sizes(self, shape: Object) -> None:
        if shape.most is not None and shape.least > shape.most:
            raise NothingFitsError(f"minProperties ({shape.least}) is above maxProperties")
        if shape.most is not None and len(shape.required) > shape.most:
            raise NothingFitsError("more properties are required than there may be")
        least = max(0, shape.least - len(shape.required))
        most = None if shape.most is None else shape.most - len(shape.required)
        usable = {name for name in shape.members if not self._fits_nothing(shape.member(name))}
        if not shape.required >= usable and (least or most is not None):
            one = least < 2 and most in (None, 1)
            if not one or not isinstance(shape.others, Never):
                raise RefusalError("minProperties and maxProperties want all properties required")
        elif least and (most == 0 or self._fits_nothing(shape.others or ANY)):
            raise NothingFitsError(f"minProperties ({shape.least}) is above what there may be")


def require_pattern(pattern: str) -> None:
    """Raise for a pattern that llguidance refuses."""
    reason = judge_regex(pattern).guidance
    if reason:
        raise RefusalError(f"in pattern {pattern}: {reason}")


def _fits(pattern: str, text: str) -> bool:
    """Whether a text matches; of others than plain ones the engines think differently."""
    return not (text.isascii() and text.isprintable()) or is_match(pattern, text)


def _text(shape: Text) -> None:
    for pattern in shape.patterns:
        require_pattern(pattern)
        if shape.constant is not None and not _fits(pattern, shape.constant):
            raise NothingFitsError(f"{shape.constant!r} does not match {pattern}")
    if shape.most is not None and shape.least > shape.most:
        raise NothingFitsError(f"minLength ({shape.least}) is above maxLength ({shape.most})")
    length = None if shape.constant is None else len(shape.constant)
    most = shape.most if shape.most is not None else length
    if length is not None and most is not None and not shape.least <= length <= most:
        raise NothingFitsError(f"{shape.constant!r} is too short or too long")
