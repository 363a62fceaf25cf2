"""Templates in SQL: Jinja and `${name}`. They are kept as they are, under names that parse."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from headwater.model.column_map import Transformation
from headwater.sql.results import Problem, SourceColumn, SqlTable, Statement, TableWrite

# Comments and strings come first, so that what looks like a template in them stays.
_PATTERN = re.compile(
    r"(?P<skip>--[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|''|\\.)*')"
    r"|(?P<block>\{%.*?%\}|\{#.*?#\})|(?P<value>\{\{.*?\}\}|\$\{[^{}\n]+\})",
    re.DOTALL,
)
_MARK = re.compile(r"_tpl\d+_*")
_WORDS = re.compile(r"\w+")
# Blocks whose text is no SQL of this place.
_ELSEWHERE = frozenset(("macro", "docs", "test"))


class _Blocks:
    """Which of the text between Jinja's blocks is read: of several branches the first.

    The text of a loop is read once, without what only stands between its rounds.
    """

    def __init__(self) -> None:
        # The kind of each block that is open, and whether what is in it is read.
        self._open: list[tuple[str, bool]] = []
        self._left_out = 0

    @property
    def is_kept(self) -> bool:
        return not self._left_out

    def _push(self, kind: str, is_kept: bool) -> None:
        self._open.append((kind, is_kept))
        self._left_out += not is_kept

    def _pop(self) -> str:
        kind, is_kept = self._open.pop()
        self._left_out -= not is_kept
        return kind

    def follow(self, block: str) -> None:
        words = _WORDS.findall(block)
        word = words[0].lower() if words else ""
        if word in ("else", "elif") and self._open:
            kind = self._pop()
            self._push(kind, kind == "for")
        elif word.startswith("end"):
            while self._open and self._pop() != word[3:]:
                pass
        elif word in ("if", "for", "filter", "call", "snapshot", "raw", *_ELSEWHERE):
            is_between = "loop" in words and ("last" in words or "first" in words)
            self._push(word, word not in _ELSEWHERE and not is_between)
        elif word == "set" and "=" not in block:
            self._push(word, False)


def _blank(text: str) -> str:
    return "".join(each if each == "\n" else " " for each in text)


def _is_joined(match: re.Match[str]) -> bool:
    """Whether a template is part of a longer name, as in `{{ schema }}.t`."""
    return match.string[match.end() : match.end() + 1] in (".", "_")


class Templates:
    """A text whose templates are replaced by names of the same length, which can be undone.

    A template that stands where a statement begins is no part of it, as dbt's `config(...)`.
    """

    def __init__(self, text: str, keep: frozenset[str] = frozenset()) -> None:
        self._marks: dict[str, str] = {}
        self._originals: dict[str, str] = {}
        self._keep = keep
        self.problems: list[Problem] = []
        self.found: list[tuple[int, str]] = []
        self._counted = (0, 1)
        has_any = "{{" in text or "{%" in text or "{#" in text or "${" in text
        self.text = "".join(self._parts(text)) if has_any else text

    def _parts(self, text: str) -> Iterator[str]:
        """The text between templates, and what takes the place of each."""
        blocks = _Blocks()
        end, is_start = 0, True
        for match in _PATTERN.finditer(text):
            between = text[end : match.start()]
            yield between if blocks.is_kept else _blank(between)
            if between.strip() and blocks.is_kept:
                is_start = between.rstrip().endswith(";")
            replaced = self._replaced(match, blocks, is_start)
            is_start = is_start and (match["value"] is None or not replaced.strip())
            is_start = is_start and (match["skip"] is None or replaced[:2] in ("--", "/*"))
            yield replaced
            end = match.end()
        yield text[end:] if blocks.is_kept else _blank(text[end:])

    def _replaced(self, match: re.Match[str], blocks: "_Blocks", is_start: bool) -> str:
        text = match[0]
        was_kept = blocks.is_kept
        if match["block"] is not None:
            if text.startswith("{%"):
                blocks.follow(text)
                if was_kept or blocks.is_kept:
                    self._note(match, text, is_kept=blocks.is_kept or not was_kept)
            return _blank(text)
        if not was_kept:
            return _blank(text)
        if match["skip"] is not None:
            return text
        if text.startswith("${") and text[2:-1].strip().upper() in self._keep:
            return text
        self._note(match, text)
        if is_start and text.startswith("{{") and not _is_joined(match):
            return _blank(text)
        mark = self._marks.get(text)
        if mark is None:
            mark = f"_tpl{len(self._marks)}_".ljust(len(text), "_")
            self._marks[text] = mark
            self._originals[mark.rstrip("_")] = text
        return mark

    def _note(self, match: re.Match[str], text: str, is_kept: bool = True) -> None:
        source, start = match.string, match.start()
        counted, line = self._counted
        line += source.count("\n", counted, start)
        self._counted = (start, line)
        column = start - source.rfind("\n", 0, start)
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        message = f"The template {shown} is kept as it is."
        if not is_kept:
            message = f"What follows the template {shown} is left out."
        self.problems.append(Problem("template", message, line, column))
        self.found.append((start, text))

    def restored(self, name: str) -> str:
        """A name with the templates that were in it."""
        if not self._marks or "_tpl" not in name:
            return name
        return _MARK.sub(self._original, name)

    def _original(self, match: re.Match[str]) -> str:
        original = self._originals.get(match[0].rstrip("_"))
        if original is None:
            return match[0]
        # Behind the mark's own underscores there may be some of the name.
        return original + match[0][len(self._marks[original]) :]

    def restore(self, statement: Statement) -> Statement:
        """A statement with the templates in its names as they were written."""
        if not self._marks:
            return statement
        texts = tuple(text for text in self._marks if self._is_in(statement, text))
        return replace(
            statement,
            inputs=[self._table(each) for each in statement.inputs],
            writes=[self._write(each) for each in statement.writes],
            problems=[
                each._replace(message=self.restored(each.message)) for each in statement.problems
            ],
            templates=texts,
        )

    def _is_in(self, statement: Statement, text: str) -> bool:
        begin, end = statement.position.offset, statement.end.offset
        return any(begin <= place < end and text == found for place, found in self.found)

    def _table(self, table: SqlTable) -> SqlTable:
        return table._replace(name=self.restored(table.name))

    def _write(self, write: TableWrite) -> TableWrite:
        return replace(
            write,
            table=self._table(write.table) if write.table is not None else None,
            columns=[
                replace(each, name=self.restored(each.name), sources=self._sources(each.sources))
                for each in write.columns
            ],
            rows=self._sources(write.rows),
        )

    def _sources(
        self, sources: Mapping[SourceColumn, Sequence[Transformation]]
    ) -> dict[SourceColumn, Sequence[Transformation]]:
        return {
            each._replace(table=self.restored(each.table), column=self.restored(each.column)): ways
            for each, ways in sources.items()
        }


def is_template(name: str) -> bool:
    """Whether a name is nothing but a template, which may be any value."""
    return name.startswith("_tpl") and _MARK.fullmatch(name) is not None
