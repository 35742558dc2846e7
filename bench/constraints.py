"""Makes JSON schemas, regular expressions, grammars and structural tags by rolling dice."""

import random
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

_KEYS = ("a", "b c", "名", "type", "$x")
_FORMATS = ("date", "date-time", "time", "email", "uuid", "uri", "ipv4", "hostname", "duration")
_PATTERNS = ("^a+$", "[0-9]{2,4}", "^(x|y)?z", "\\d+", "a.c", "^[^\\n]{1,5}$", "\\w\\s\\S")
_DEEPEST = 3


class Constraints:
    """Makes constraints, most of which compile."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def schema(self, depth: int = 0) -> Schema:
        """Return a schema; deeper ones are simpler."""
        makers: list[Callable[[int], Schema]] = [self._text, self._number, self._values]
        if depth < _DEEPEST:
            makers += [self._object, self._object, self._list, self._choice, self._reference]
        found = self._dice.choice(makers)(depth)
        if self._dice.random() < 0.15:
            found |= self._dice.choice(
                ({"description": "d"}, {"title": "T"}, {"default": None}, {"examples": [1]})
            )
        return found

    def object_schema(self) -> Schema:
        """Return the schema of an object, as tools want it."""
        return self._object(1)

    def regex(self, depth: int = 0) -> str:
        """Return a regular expression."""
        dice = self._dice
        parts = [self._regex_part(depth) for _ in range(1 + dice.randrange(3))]
        text = "".join(parts)
        if depth == 0 and dice.random() < 0.2:
            return dice.choice(("^{}$", "^{}", "{}$", "(?:{})")).format(text)
        return text

    def grammar(self) -> str:
        """Return a grammar in one of the two dialects."""
        dice = self._dice
        rules = [f"r{place}" for place in range(dice.randrange(3))]
        if dice.random() < 0.6:
            lines = [f"root ::= {self._alternatives(rules, '::=')}"]
            lines += [f"{name} ::= {self._alternatives([], '::=')}" for name in rules]
        else:
            lines = [f"start: {self._alternatives(rules, ':')}"]
            lines += [f"{name}: {self._alternatives([], ':')}" for name in rules]
        return "\n".join(lines)

    def tag(self) -> Schema:
        """Return a structural tag in the old or the new form."""
        schema = self._object(2)
        if self._dice.random() < 0.5:
            structure = {"begin": "<f>", "schema": schema, "end": "</f>"}
            return {"type": "structural_tag", "structures": [structure], "triggers": ["<f"]}
        return {"type": "structural_tag", "format": self._format(schema, 0)}

    def _format(self, schema: Schema, depth: int) -> Schema:
        dice = self._dice
        plain: list[Schema] = [
            {"type": "any_text"},
            {"type": "const_string", "value": "x"},
            {"type": "json_schema", "json_schema": schema},
            {"type": "regex", "pattern": self.regex(1)},
            {"type": "grammar", "grammar": 'root ::= "a"'},
        ]
        if depth < 2:
            inner = self._format(schema, depth + 1)
            tag = {"type": "tag", "begin": "<t>", "content": inner, "end": "</t>"}
            plain += [
                tag,
                {"type": "sequence", "elements": [inner, {"type": "const_string", "value": "y"}]},
                {"type": "or", "elements": [inner, {"type": "const_string", "value": "y"}]},
                {"type": "triggered_tags", "triggers": ["<t"], "tags": [tag]},
                {"type": "tags_with_separator", "tags": [tag], "separator": ","},
            ]
        return dice.choice(plain)

    def _text(self, _depth: int) -> Schema:
        dice = self._dice
        found: Schema = {"type": "string"}
        kind = dice.randrange(4)
        if kind == 0:
            found["pattern"] = dice.choice(_PATTERNS)
        elif kind == 1:
            found["format"] = dice.choice(_FORMATS)
        elif kind == 2:
            found |= {"minLength": dice.randrange(3), "maxLength": 3 + dice.randrange(5)}
        return found

    def _number(self, _depth: int) -> Schema:
        dice = self._dice
        found: Schema = {"type": dice.choice(("integer", "number"))}
        low = dice.choice(("minimum", "exclusiveMinimum", ""))
        high = dice.choice(("maximum", "exclusiveMaximum", ""))
        if low:
            found[low] = dice.choice((-5, 0, 1.5, 10))
        if high:
            found[high] = dice.choice((12, 100, 10**9))
        return found

    def _values(self, _depth: int) -> Schema:
        return self._dice.choice(
            (
                {"type": "boolean"},
                {"type": "null"},
                {"const": {"a": [1, None]}},
                {"enum": ["a", 1, None, True]},
                {"type": "string", "enum": ["é", 'q"']},
                {"type": ["string", "null"]},
                {},
                {"type": "object"},
            )
        )

    def _object(self, depth: int) -> Schema:
        dice = self._dice
        keys = dice.sample(_KEYS, dice.randrange(4))
        found: Schema = {"type": "object"}
        if keys or dice.random() < 0.5:
            found["properties"] = {key: self.schema(depth + 1) for key in keys}
        if keys and dice.random() < 0.6:
            found["required"] = dice.sample(keys, 1 + dice.randrange(len(keys)))
        if dice.random() < 0.4:
            found["additionalProperties"] = dice.choice((False, True, {"type": "integer"}))
        if dice.random() < 0.1:
            found["patternProperties"] = {"^x_": {"type": "string"}}
        if dice.random() < 0.1:
            found |= {"minProperties": 1, "maxProperties": 4}
        return found

    def _list(self, depth: int) -> Schema:
        dice = self._dice
        found: Schema = {"type": "array"}
        if dice.random() < 0.8:
            found["items"] = dice.choice((self.schema(depth + 1), {"type": "integer"}, False))
        if dice.random() < 0.4:
            found["minItems"] = dice.randrange(3)
        if dice.random() < 0.4:
            found["maxItems"] = 2 + dice.randrange(3)
        if dice.random() < 0.2:
            found["prefixItems"] = [self.schema(depth + 1)]
        return found

    def _choice(self, depth: int) -> Schema:
        kind = self._dice.choice(("anyOf", "anyOf", "oneOf", "allOf"))
        return {kind: [self.schema(depth + 1) for _ in range(1 + self._dice.randrange(3))]}

    def _reference(self, depth: int) -> Schema:
        node: Schema = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
        inner = self._dice.choice((node, self.schema(depth + 1)))
        place = self._dice.choice(("$defs", "definitions"))
        if inner is node and place == "definitions":
            node["properties"]["next"]["$ref"] = "#/definitions/node"
        if depth == 0:
            return {"$ref": f"#/{place}/node", place: {"node": inner}}
        return {"anyOf": [{"type": "null"}, inner if inner is not node else {"type": "string"}]}

    def _regex_part(self, depth: int) -> str:
        dice = self._dice
        atoms = ["a", "7", "é", "[a-z]", "[^x]", ".", "\\d", "\\w", "\\s", "\\.", "\\n", "[\\d_-]"]
        atoms += ["\\x41", "\\u0041", "[\\]a]", "/", "-", "\\-", "@"]
        if depth < 2:
            inner = self.regex(depth + 1)
            atoms += [f"({inner})", f"(?:{inner})", f"({inner}|b)", f"(?P<n{depth}>{inner})"]
        return dice.choice(atoms) + dice.choice(
            ("", "", "", "?", "*", "+", "{2}", "{1,3}", "{2,}", "*?", "{0,2}?")
        )

    def _alternatives(self, rules: list[str], sign: str) -> str:
        options = [self._sequence(rules, sign) for _ in range(1 + self._dice.randrange(2))]
        return " | ".join(options)

    def _sequence(self, rules: list[str], sign: str) -> str:
        dice = self._dice
        atoms = ['"a"', '"x y"', '"é"', '"\\n"', *rules, *rules]
        atoms += ["[0-9]", "[a-z_]", "[^x]", '("b" | "c")'] if sign == "::=" else ["/[0-9]+/"]
        parts = [
            dice.choice(atoms) + dice.choice(("", "", "?", "*", "+"))
            for _ in range(1 + dice.randrange(3))
        ]
        return " ".join(parts)
