"""YAML text -> plain values, and the line at which each of them stands.

What YAML lets pass silently is refused: the same key twice, values that contain themselves, aliases
that make a short text a huge value. `${NAME}` and `${NAME:-otherwise}` are variables.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

Path = tuple[str | int, ...]

MAX_TEXT = 500_000
MAX_VALUES = 100_000
MAX_DEPTH = 50
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# A date stays the text that it is: what reads the values knows which of them are times.
_TEXTS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp")


class FormProblem(NamedTuple):
    """What is wrong with a file, and in which line."""

    line: int
    message: str


class BrokenFile(Exception):
    """A text of which nothing can be read."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.problem = FormProblem(line, message)


class Document(NamedTuple):
    """One document of a text: its value, the line of each part by its path, and problems."""

    value: Any
    lines: dict[Path, int]
    problems: list[FormProblem]

    def line_of(self, path: Path) -> int:
        """The line of a part, or of the nearest part around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_documents(text: str, variables: Mapping[str, str]) -> list[Document]:
    """The documents of a text; raises BrokenFile for one that is no YAML, or too large."""
    if len(text) > MAX_TEXT:
        raise BrokenFile(1, f"has more than {MAX_TEXT:,} characters")
    reader = _Reader(variables)
    return [reader.read(node) for node in _nodes(text) if node is not None]


def _nodes(text: str) -> Iterator[yaml.Node | None]:
    try:
        yield from yaml.compose_all(text, Loader=_BoundedLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise BrokenFile(line, f"is no YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise BrokenFile(1, f"is no YAML: {str(error).splitlines()[0]}") from None


class _BoundedLoader(yaml.SafeLoader):  # type: ignore[misc]
    """Gives up at a depth, lest a text of brackets alone takes half a minute.

    Not the loader in C: such a text makes it overflow the stack.
    """

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        # Beyond what values may have: those are refused with their place.
        if self._depth > MAX_DEPTH + 2:
            raise BrokenFile(self.peek_event().start_mark.line + 1, "is nested too deep")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Reader:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._count = 0

    def read(self, node: yaml.Node) -> Document:
        self._lines: dict[Path, int] = {}
        self._problems: list[FormProblem] = []
        return Document(self._value(node, (), ()), self._lines, self._problems)

    def _value(self, node: yaml.Node, path: Path, around: tuple[int, ...]) -> Any:
        # Of an alias, where it stands and not what it means.
        line = self._lines.get(path, node.start_mark.line + 1)
        self._count += 1
        if self._count > MAX_VALUES:
            raise BrokenFile(line, f"has more than {MAX_VALUES:,} values, aliases counted in full")
        if len(around) > MAX_DEPTH or id(node) in around:
            raise BrokenFile(line, "is nested too deep, or contains itself")
        # A key has noted where it is: a value may begin in a later line.
        self._lines.setdefault(path, line)
        inside = (*around, id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, inside)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(e, (*path, n), inside) for n, e in enumerate(node.value)]
        return self._scalar(node, line)

    def _mapping(self, node: yaml.MappingNode, path: Path, inside: tuple[int, ...]) -> Any:
        found: dict[str, Any] = {}
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag.endswith(":merge"):
                self._problems.append(FormProblem(line, "a key is a text, and `<<` is not known"))
                continue
            key = str(key_node.value)
            if key in first:
                message = f"the key {key!r} stands here again, after line {first[key]}"
                self._problems.append(FormProblem(line, message))
                continue
            first[key] = self._lines[(*path, key)] = line
            found[key] = self._value(value_node, (*path, key), inside)
        return found

    def _scalar(self, node: yaml.Node, line: int) -> Any:
        if node.tag not in _TEXTS:
            try:
                return yaml.SafeLoader("").construct_object(node)
            except (yaml.YAMLError, ValueError):
                self._problems.append(FormProblem(line, f"{node.value!r} cannot be read"))
                return None

        def resolve(match: re.Match[str]) -> str:
            value = self._variables.get(match[1]) or match[2]
            if value is None:
                message = f"the variable {match[1]} is not set; ${{{match[1]}:-...}} has a default"
                self._problems.append(FormProblem(line, message))
            return value or ""

        return _VARIABLE.sub(resolve, str(node.value))
