"""Jinja templates, read as far as is certain without Jinja: tags, blocks, brackets."""

import re
from collections.abc import Iterator

_TAGS = re.compile(r"\{#.*?(#\}|$)|\{\{(.*?)(\}\}|$)|\{%(.*?)(%\}|$)", re.DOTALL)
_TEXTS = re.compile(r"\"(\\.|[^\"\\])*+(\"|$)|'(\\.|[^'\\])*+('|$)", re.DOTALL)
_BLOCKS = ("for", "if", "macro", "call", "filter", "block", "with", "autoescape", "generation")
_OTHERS = ("set", "include", "import", "from", "extends", "break", "continue", "do", "raw")
_BRANCHES = {"elif": ("if",), "else": ("if", "for")}
_NEED_WORDS = ("for", "if", "elif", "set", "macro", "call", "filter", "do")
_WORD = re.compile(r"\w*")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_END_OF_RAW = re.compile(r"\{%[-+]?\s*+endraw\s*+[-+]?%\}")
_RAW = re.compile(rf"\{{%[-+]?\s*+raw\s*+[-+]?%\}}.*?{_END_OF_RAW.pattern}", re.DOTALL)
_RAISED = re.compile(r"\s*raise_exception\(")


def jinja_refusal(template: str) -> str:
    """Return why ``template`` cannot be a Jinja template, or empty when it may be one."""
    return next(_faults(_without_raw(template)), "")


def _without_raw(template: str) -> str:
    """The template without what stands for itself; behind the last end of that there is none."""
    end = max((found.end() for found in _END_OF_RAW.finditer(template)), default=0)
    return _RAW.sub("", template[:end]) + template[end:]


def _faults(template: str) -> Iterator[str]:
    opened: list[str] = []
    for tag in _TAGS.finditer(template):
        if not (tag[1] or tag[3] or tag[5]):
            yield f"{tag[0][:2]} is not closed"
        if tag[3] is not None and tag[2] is not None:
            yield from _output(tag[2].strip().strip("-+").strip(), top=not opened)
        elif tag[4] is not None:
            yield from _statement(_trimmed(tag[4]), opened)
    if opened:
        yield f"{{% {opened[-1]} %}} has no {{% end{opened[-1]} %}}"


def _trimmed(text: str) -> str:
    """What a tag says, without the signs that say what becomes of the blanks around it."""
    text = text[text[:1] in ("-", "+") :].strip()
    return text[: len(text) - (text[-1:] in ("-", "+"))].rstrip()


def _output(expression: str, *, top: bool) -> Iterator[str]:
    if not expression:
        yield "{{ }} holds nothing"
    if top and _RAISED.match(expression):
        yield "it raises an exception whatever the messages are"
    yield from _brackets(expression)


def _statement(text: str, opened: list[str]) -> Iterator[str]:
    word = _WORD.match(text)[0]  # type: ignore[index]  # it matches nothing, too
    rest = text[len(word) :].strip()
    if word in _NEED_WORDS and not rest:
        yield f"{{% {word} %}} holds nothing"
    if word == "for" and not re.search(r"\bin\b", rest):
        yield "{% for %} has no in"
    yield from _nesting(word, rest, opened)
    yield from _brackets(rest)


def _nesting(word: str, rest: str, opened: list[str]) -> Iterator[str]:
    """What a tag opens, parts or ends."""
    if word.startswith("end") and word[3:] in (*_BLOCKS, "set"):
        if not opened or opened.pop() != word[3:]:
            yield f"{{% {word} %}} has nothing to end"
    elif word in _BRANCHES:
        if not opened or opened[-1] not in _BRANCHES[word]:
            yield f"{{% {word} %}} has no {{% if %}}"
    elif word in _BLOCKS or (word == "set" and "=" not in rest):
        opened.append(word)
    elif word not in _OTHERS:
        yield f"there is no tag {{% {word} %}}"


def _brackets(expression: str) -> Iterator[str]:
    opened = []
    for character in _TEXTS.sub("", expression):
        if character in "([{":
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            yield f"in {expression!r} a {character} has nothing to close"
    if opened:
        yield f"in {expression!r} a {opened[-1]} is not closed"
