"""What jobs need beside their SQL: definitions of tables, as the SQL gateway has them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from headwater.collect.flink.gateway import ShownDefinition
from headwater.collect.flink.operators import Operator
from headwater.collect.flink.scripts import (
    HOME,
    DefinedTable,
    JobSql,
    complete,
    quote_name,
    read_definitions,
)

# Views of views: deeper ones stay gaps.
_DEPTH = 5
# In memory, and of one session alone.
_SESSION_CATALOG = HOME[0]
_NO_SESSION = "it is in memory of the session that made it: name that with --gateway-session"
# `what`, as SHOW CREATE has it, and a name -> its definition, in the session of a job.
Show = Callable[[str, str], ShownDefinition]


class DefinedTables(NamedTuple):
    """The SQL that a job may have, with definitions; `missing` are tables without, and why."""

    candidates: Sequence[JobSql] = ()
    tables: Mapping[str, DefinedTable] = {}
    missing: Mapping[str, str] = {}


def define_tables(
    operators: Sequence[Operator], candidates: Sequence[JobSql], show: Show, has_session: bool
) -> DefinedTables:
    """Look up what the SQL of a job uses and does not define; without SQL what its plan names."""
    needed = _list_needed(operators, candidates)
    reader = _DefinitionReader(show, has_session)
    for _ in range(_DEPTH):
        reader.read(needed)
        found = [complete(each, reader.text) for each in candidates]
        tables = read_definitions(reader.text)
        undefined = {*_undefined(found), *(n for each in tables.values() for n in each.undefined)}
        needed = sorted(undefined - reader.looked_up)
        if not needed:
            break
    return DefinedTables(found, tables, reader.missing)


def _list_needed(operators: Iterable[Operator], candidates: Sequence[JobSql]) -> list[str]:
    if candidates:
        return sorted(set(_undefined(candidates)))
    named = (each.table for each in operators if each.table)
    return sorted({name if "." in name else ".".join((*HOME, name)) for name in named})


def _undefined(candidates: Iterable[JobSql]) -> Iterator[str]:
    """The tables that statements use, and nothing defines."""
    for sql in candidates:
        for statement in sql.statements:
            for table in (*statement.inputs, *statement.outputs):
                is_known = table.name in sql.tables or table.dataset is not None
                if not is_known and not table.is_temporary:
                    yield table.name


class _DefinitionReader:
    """Reads definitions; `text` has them as a script, each after what it uses."""

    def __init__(self, show: Show, has_session: bool) -> None:
        self._show = show
        self._has_session = has_session
        self._catalogs: dict[str, str] = {}
        self._tables: list[str] = []
        self.missing: dict[str, str] = {}
        self.looked_up: set[str] = set()

    @property
    def text(self) -> str:
        """What was found last is what others use."""
        return "".join(f"{each};\n" for each in (*self._catalogs.values(), *self._tables) if each)

    def read(self, names: Iterable[str]) -> None:
        for name in names:
            self.looked_up.add(name)
            catalog, _, rest = name.partition(".")
            if rest.count(".") != 1:
                self.missing[name] = "its full name has not three parts"
            elif catalog == _SESSION_CATALOG and not self._has_session:
                self.missing[name] = _NO_SESSION
            else:
                self._read_table(catalog, name)

    def _read_table(self, catalog: str, name: str) -> None:
        found = self._show("TABLE", quote_name(name))
        if "VIEW" in found.problem.upper():
            found = self._show("VIEW", quote_name(name))
        if found.problem:
            self.missing[name] = found.problem
            return
        self._tables.insert(0, found.text)
        if catalog != _SESSION_CATALOG and catalog not in self._catalogs:
            # Before Flink 1.20 none is shown: then the catalog is one that is not known.
            self._catalogs[catalog] = self._show("CATALOG", quote_name(catalog)).text
