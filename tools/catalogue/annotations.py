"""Turns type annotations into schemas."""

import ast
from collections.abc import Iterable

from tools.catalogue.constants import Constants
from tools.catalogue.facts import MODEL_PREFIX, Schema
from tools.catalogue.modules import Defined, Module, ModuleName, Outside, Sources, assigned_names
from tools.catalogue.schemas import LIMIT_NAMES, NULL, add_limit, enum, union

_DEEPEST = 24
_SCALARS: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "Decimal": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": NULL,
    "Any": {},
    "object": {},
    "JsonValue": {},
    "bytes": {"type": "string", "format": "base64"},
    "date": {"type": "string", "format": "date"},
    "dict": {"type": "object"},
    "Dict": {"type": "object"},
    "list": {"type": "array"},
    "List": {"type": "array"},
    "tuple": {"type": "array"},
    "set": {"type": "array", "uniqueItems": True},
    "StrictStr": {"type": "string", "strict": True},
    "StrictBool": {"type": "boolean", "strict": True},
    "StrictInt": {"type": "integer", "strict": True},
    "NonNegativeInt": {"type": "integer", "minimum": 0},
    "PositiveInt": {"type": "integer", "exclusiveMinimum": 0},
    "UploadFile": {"type": "string", "format": "file-upload"},
}
_SETS = {"set", "Set", "frozenset"}
_ARRAYS = {"list", "List", "Sequence", "Iterable", "Collection", "ValidatorIterator", *_SETS}
_OBJECTS = {"dict", "Dict", "Mapping", "MutableMapping"}
_WRAPPERS = {"SkipValidation", "SerializeAsAny", "Required", "NotRequired", "Final", "ReadOnly"}
_CONSTRAINED = {"conint": "integer", "confloat": "number", "constr": "string", "conlist": "array"}
_WITH_LIMITS = {"Field", "StringConstraints", "Query", "Body", "Form", *_CONSTRAINED}
_ONE_LIMIT = {
    "Ge": "ge",
    "Gt": "gt",
    "Le": "le",
    "Lt": "lt",
    "MinLen": "min_length",
    "MaxLen": "max_length",
}
_ENUMS = {"Enum", "IntEnum", "StrEnum"}


class Annotations:
    """Reads annotations; ``models`` collects the classes that they name."""

    def __init__(self, sources: Sources, constants: Constants) -> None:
        self._sources = sources
        self._constants = constants
        self.models: dict[str, Defined] = {}

    def schema(
        self, module: Module, annotation: ast.expr | None, inside: tuple[str, ...] = ()
    ) -> Schema:
        """Return what an annotation stands for; ``inside`` names the aliases being read."""
        if annotation is None or len(inside) > _DEEPEST:
            return {}
        if isinstance(annotation, ast.Constant):
            return self._constant(module, annotation, inside)
        if isinstance(annotation, ast.BinOp):
            return union(self.schema(module, part, inside) for part in _alternatives(annotation))
        if isinstance(annotation, ast.Name | ast.Attribute):
            return self._named(module, annotation, inside)
        if isinstance(annotation, ast.Subscript):
            return self._subscripted(module, annotation, inside)
        if isinstance(annotation, ast.Call):
            return self._constrained(module, annotation, inside)
        return {"x-python": ast.unparse(annotation)}

    def limit(self, module: Module, schema: Schema, keywords: Iterable[ast.keyword]) -> None:
        """Put the limits and the discriminator that a call's keywords give into a schema."""
        for keyword in keywords:
            if keyword.arg in LIMIT_NAMES:
                add_limit(schema, keyword.arg, self._constants.value(module, keyword.value))
            elif keyword.arg == "discriminator":
                schema["discriminator"] = self._constants.value(module, keyword.value)

    def _constant(self, module: Module, given: ast.Constant, inside: tuple[str, ...]) -> Schema:
        if given.value is None:
            return dict(NULL)
        if not isinstance(given.value, str):
            return {}
        try:
            inner = ast.parse(given.value, mode="eval").body
        except SyntaxError:
            return _reference(given.value)
        return self.schema(module, inner, (*inside, given.value))

    def _named(
        self, module: Module, name: ast.Name | ast.Attribute, inside: tuple[str, ...]
    ) -> Schema:
        short = name.id if isinstance(name, ast.Name) else name.attr
        meaning = self._sources.resolve(module, name)
        if isinstance(meaning, Outside):
            return _outside(short, meaning)
        if meaning is None and short in _SCALARS:
            return dict(_SCALARS[short])
        if meaning is None or isinstance(meaning, ModuleName) or short in inside:
            return _reference(short)
        if isinstance(meaning.node, ast.ClassDef):
            return self._class(meaning, meaning.node)
        if isinstance(meaning.node, ast.Assign | ast.AnnAssign):
            return self._alias(meaning, meaning.node, (*inside, short))
        return _reference(short)

    def _class(self, meaning: Defined, node: ast.ClassDef) -> Schema:
        if {ast.unparse(base).rpartition(".")[2] for base in node.bases} & _ENUMS:
            return enum(self._members(meaning.module, node))
        self.models.setdefault(node.name, meaning)
        return _reference(node.name)

    def _members(self, module: Module, node: ast.ClassDef) -> list[object]:
        """The values of an enumeration's members; an automatic one is its name."""
        named = [
            (name, self._constants.value(module, statement.value))
            for statement in node.body
            if isinstance(statement, ast.Assign)
            for name in assigned_names(statement)
            if not name.startswith("_")
        ]
        return [name if value in ("auto()", "enum.auto()") else value for name, value in named]

    def _alias(
        self, meaning: Defined, node: ast.Assign | ast.AnnAssign, inside: tuple[str, ...]
    ) -> Schema:
        value = node.value
        if isinstance(value, ast.Call):
            maker = _last_name(value.func)
            if maker == "TypeVar":
                return {}
            if maker in ("NewType", "TypeAliasType"):
                value = value.args[1]
        return self.schema(meaning.module, value, inside)

    def _subscripted(self, module: Module, node: ast.Subscript, inside: tuple[str, ...]) -> Schema:
        base = _last_name(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if base in ("Optional", "Union"):
            options = [self.schema(module, part, inside) for part in parts]
            return union([*options, NULL] if base == "Optional" else options)
        if base == "Literal":
            return self._literal(module, parts)
        if base == "Annotated" or base in _WRAPPERS:
            return self._annotated(module, parts, inside)
        if base in _ARRAYS:
            return self._array(base, self.schema(module, parts[0], inside))
        if base in ("tuple", "Tuple"):
            members = [part for part in parts if ast.unparse(part) != "..."]
            return {
                "type": "array",
                "prefixItems": [self.schema(module, member, inside) for member in members],
            }
        if base in _OBJECTS:
            return self._object([self.schema(module, part, inside) for part in parts])
        return self._generic(module, node, inside)

    def _array(self, base: str, items: Schema) -> Schema:
        schema: Schema = {"type": "array"}
        if items:
            schema["items"] = items
        return {**schema, "uniqueItems": True} if base in _SETS else schema

    def _object(self, parts: list[Schema]) -> Schema:
        schema: Schema = {"type": "object"}
        if len(parts) > 1:
            if parts[1]:
                schema["additionalProperties"] = parts[1]
            if parts[0].get("type", "string") != "string":
                schema["propertyNames"] = parts[0]
        return schema

    def _generic(self, module: Module, node: ast.Subscript, inside: tuple[str, ...]) -> Schema:
        """A class or an alias of the release with type parameters, which are left aside."""
        meaning = self._sources.resolve(module, node.value)
        if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef):
            return self._class(meaning, meaning.node)
        if isinstance(meaning, Defined) and isinstance(meaning.node, ast.Assign | ast.AnnAssign):
            return self._alias(meaning, meaning.node, (*inside, _last_name(node.value)))
        return {"x-python": ast.unparse(node)}

    def _literal(self, module: Module, parts: list[ast.expr]) -> Schema:
        values: list[object] = []
        for part in parts:
            meaning = self._sources.resolve(module, part)
            if isinstance(meaning, Defined) and isinstance(meaning.node, ast.Assign):
                values += self.schema(meaning.module, meaning.node.value).get("enum", ())
            else:
                values.append(self._constants.value(module, part))
        return enum(values)

    def _annotated(self, module: Module, parts: list[ast.expr], inside: tuple[str, ...]) -> Schema:
        schema = dict(self.schema(module, parts[0], inside))
        for note in parts[1:]:
            if isinstance(note, ast.Call):
                schema = self._with_note(module, schema, note)
        return schema

    def _with_note(self, module: Module, schema: Schema, note: ast.Call) -> Schema:
        name = _last_name(note.func)
        if name in _WITH_LIMITS:
            self.limit(module, schema, note.keywords)
        elif name in _ONE_LIMIT and note.args:
            add_limit(schema, _ONE_LIMIT[name], self._constants.value(module, note.args[0]))
        elif name == "BeforeValidator" and note.args and _takes_none(note.args[0]):
            schema["nullable"] = True
        elif name == "GetPydanticSchema" and note.args:
            inner = _schema_from(note.args[0])
            if inner is not None:
                kept = {"nullable": True} if schema.get("nullable") else {}
                return self.schema(module, inner) | kept
        return schema

    def _constrained(self, module: Module, call: ast.Call, inside: tuple[str, ...]) -> Schema:
        name = _last_name(call.func)
        if name not in _CONSTRAINED:
            return {"x-python": ast.unparse(call)}
        schema: Schema = {"type": _CONSTRAINED[name]}
        if name == "conlist" and call.args:
            schema["items"] = self.schema(module, call.args[0], inside)
        self.limit(module, schema, call.keywords)
        return schema


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The parts of ``a | b | c``, in order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), node.right]
    return [node]


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _reference(name: str) -> Schema:
    return {"$ref": MODEL_PREFIX + name}


def _outside(short: str, meaning: Outside) -> Schema:
    last = meaning.name.rpartition(".")[2]
    scalar = _SCALARS.get(last, _SCALARS.get(short))
    return {"x-external": meaning.name} if scalar is None else dict(scalar)


def _takes_none(validator: ast.expr) -> bool:
    """Whether a check before the type, ``lambda v: 0 if v is None else v``, lets null pass."""
    return isinstance(validator, ast.Lambda) and any(
        isinstance(node, ast.Constant) and node.value is None for node in ast.walk(validator)
    )


def _schema_from(maker: ast.expr) -> ast.expr | None:
    """The type in ``lambda _, handler: handler(TYPE)``."""
    if isinstance(maker, ast.Lambda) and isinstance(maker.body, ast.Call) and maker.body.args:
        return maker.body.args[0]
    return None
