"""The two steps with pydantic's engine: make a validator, and judge a value by it."""

from typing import Any, cast

from pydantic_core import CoreSchema, SchemaValidator, ValidationError

from vllmctl.catalog.core_schema import FieldSchema
from vllmctl.catalog.type_faults import Loc, TypeFault, faults_of


def make_validator(core: FieldSchema) -> SchemaValidator:
    """Return the engine's validator of a schema."""
    return SchemaValidator(cast(CoreSchema, core.schema))


def judge(validator: SchemaValidator, value: Any, place: Loc) -> tuple[Any, list[TypeFault]]:
    """Return the coerced value, and what is wrong with it at ``place`` in the body."""
    try:
        return validator.validate_python(value), []
    except ValidationError as error:
        return value, faults_of(error, place)
