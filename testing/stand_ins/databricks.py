"""Databricks as far as lineage is published to it and read of it: external metadata and lineage,
tables, their own lineage, grants and tags, jobs, queries, SQL.

It is as strict as its documents: a Bearer token, known fields only, no lineage to what is missing,
none between two tables, none twice. Limits that Databricks does not publish are assumed here.
"""

import re
from typing import Any

from databricks.sdk.service.catalog import SystemType

from testing.stand_ins.recording import Call, Json, Refusal, Reply, WrittenStandIn, require_fields

METADATA = "/api/2.0/lineage-tracking/external-metadata"
LINEAGE = "/api/2.0/lineage-tracking/external-lineage"
UNITY = "/api/2.1/unity-catalog/"
TABLES = f"{UNITY}tables/"
STATEMENTS = "/api/2.0/sql/statements"
LONGEST_NAME = 255
MOST_COLUMNS = 1_000
LONGEST_TEXT = 1_000
_NAME = re.compile(r"[^./\s\x00-\x1f\x7f]+")
_METADATA_FIELDS = {"system_type", "entity_type", "columns", "description", "properties", "url"}
_LINEAGE_FIELDS = {"source", "target", "columns", "properties", "id"}
_SET = re.compile(r"ALTER TABLE (\S+) SET TBLPROPERTIES \((.*)\)", re.DOTALL)
_UNSET = re.compile(r"ALTER TABLE (\S+) UNSET TBLPROPERTIES IF EXISTS \((.*)\)", re.DOTALL)
_COMMENT = re.compile(r"COMMENT ON TABLE (\S+) IS (NULL|'(?:[^'\\]|\\.)*')", re.DOTALL)
_PAIR = re.compile(r"'((?:[^'\\]|\\.)*)' = '((?:[^'\\]|\\.)*)'", re.DOTALL)
_WORD = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)


class DatabricksStandIn(WrittenStandIn):
    """A workspace with some tables; `forbidden` are objects that the token may not change."""

    def __init__(self, token: str, warehouse: str = "wh-1") -> None:
        super().__init__()
        self.token = token
        self.warehouse = warehouse
        self.objects: dict[str, Json] = {}
        self.links: dict[tuple[str, str], Json] = {}
        self.tables: dict[str, Json] = {}
        self.forbidden: set[str] = set()
        self.lineage: dict[str, Json] = {}
        """What table-lineage says of a table."""
        self.column_lineage: dict[tuple[str, str], list[Json]] = {}
        self.tags: dict[str, list[Json]] = {}
        self.grants: dict[str, list[Json]] = {}
        self.jobs: dict[str, Json] = {}
        self.queries: dict[str, Json] = {}
        self.default_catalog = "main"
        self.unreadable: set[str] = set()
        """Tables that the token may list, but not read."""
        self._ids = 0

    def add_table(
        self,
        name: str,
        comment: str | None = None,
        columns: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        listed = [{"name": key, "type_text": kind} for key, kind in (columns or {}).items()]
        self.tables[name] = {
            "full_name": name,
            "name": name.rpartition(".")[2],
            "table_type": "MANAGED",
            "properties": {},
            "comment": comment,
            "columns": listed,
            **more,
        }

    def add_lineage(self, source: str, target: str, **entities: Any) -> None:
        """One table is made of another by notebooks, jobs and queries, as Databricks has seen."""
        for table, side, other in ((target, "upstreams", source), (source, "downstreams", target)):
            entry = {"tableInfo": _table_info(other), **entities}
            self.lineage.setdefault(table, {}).setdefault(side, []).append(entry)

    def add_reader(self, table: str, **entities: Any) -> None:
        """Something reads a table, and writes none."""
        self.lineage.setdefault(table, {}).setdefault("downstreams", []).append(entities)

    def add_column_lineage(self, source: str, target: str, **columns: str) -> None:
        """Columns of a table, each with the column of another that it is made of."""
        table = _table_info(source)
        for column, made_of in columns.items():
            found = self.column_lineage.setdefault((target, column), [])
            found.append({**table, "table_name": table["name"], "name": made_of})

    def answer(self, call: Call) -> Reply:
        if call.path == "/.well-known/databricks-config":
            return Reply(200, {"oidc_endpoint": f"{self.url}/oidc"})
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise _refuse(401, "UNAUTHENTICATED", f"bad {call.headers.get('authorization')}")
        try:
            return self._route(call)
        except ValueError as error:
            raise _refuse(400, "INVALID_PARAMETER_VALUE", str(error)) from None

    def _route(self, call: Call) -> Reply:
        name = call.path.rpartition("/")[2]
        match call.method, call.path:
            case "POST", path if path == METADATA:
                return self._create_object(call.body)
            case "GET", path if path == METADATA:
                return self._page("external_metadata", list(self.objects.values()), call)
            case method, path if path.startswith(f"{METADATA}/"):
                return self._one_object(method, name, call)
            case "GET", path if path == LINEAGE:
                return self._list_links(call)
            case "DELETE", path if path == LINEAGE:
                return self._delete_link(call)
            case ("POST" | "PATCH") as method, path if path == LINEAGE:
                return self._write_link(method, call)
            case "GET", path if path.startswith(TABLES):
                _allow_query(call, {"include_browse"})
                if name in self.unreadable:
                    raise _refuse(403, "PERMISSION_DENIED", f"no BROWSE on {name}")
                return Reply(200, self._table(name))
            case "GET", path:
                return self._read(path, call)
            case "POST", path if path.rstrip("/") == STATEMENTS:
                return self._run(call.body)
        raise _refuse(404, "ENDPOINT_NOT_FOUND", f"no {call.method} {call.path}")

    def _read(self, path: str, call: Call) -> Reply:
        """What only collecting asks."""
        if path.startswith(UNITY):
            return self._read_unity(path.removeprefix(UNITY), call)
        if path == "/api/2.0/lineage-tracking/table-lineage":
            _allow_query(call, {"table_name", "include_entity_lineage"})
            (name,) = call.query["table_name"]
            self._table(name)
            return Reply(200, self.lineage.get(name, {}))
        if path == "/api/2.0/lineage-tracking/column-lineage":
            _allow_query(call, {"table_name", "column_name"})
            (name,), (column,) = call.query["table_name"], call.query["column_name"]
            if column not in {each["name"] for each in self._table(name)["columns"]}:
                raise ValueError(f"no column {column}")
            return Reply(200, {"upstream_cols": self.column_lineage.get((name, column), [])})
        if path == "/api/2.2/jobs/get" and (found := self.jobs.get(call.query["job_id"][0])):
            return Reply(200, found)
        query = path.removeprefix("/api/2.0/sql/queries/")
        if query in self.queries:
            return Reply(200, self.queries[query])
        raise _refuse(404, "RESOURCE_DOES_NOT_EXIST", f"no {path}")

    def _read_unity(self, path: str, call: Call) -> Reply:
        names = [name.split(".") for name in self.tables]
        match path.split("/"):
            case ["current-metastore-assignment"]:
                return Reply(200, {"default_catalog_name": self.default_catalog})
            case ["catalogs"]:
                _allow_query(call, {"include_browse", "page_token"})
                rows = [{"name": each} for each in sorted({name[0] for name in names})]
                return self._page("catalogs", rows, call)
            case ["schemas"]:
                _allow_query(call, {"catalog_name", "include_browse", "page_token"})
                (catalog,) = call.query["catalog_name"]
                found = sorted({name[1] for name in names if name[0] == catalog})
                return self._page("schemas", [{"name": each} for each in found], call)
            case ["tables"]:
                allowed = {"catalog_name", "schema_name", "omit_columns", "include_browse"}
                _allow_query(call, allowed | {"page_token"})
                where = [call.query["catalog_name"][0], call.query["schema_name"][0]]
                rows = [
                    table for name, table in self.tables.items() if name.split(".")[:2] == where
                ]
                return self._page("tables", rows, call)
            case ["entity-tag-assignments", "tables", name, "tags"]:
                self._table(name)
                return self._page("tag_assignments", self.tags.get(name, []), call)
            case ["effective-permissions", "table", name]:
                self._table(name)
                return Reply(200, {"privilege_assignments": self.grants.get(name, [])})
        raise _refuse(404, "ENDPOINT_NOT_FOUND", f"no {path}")

    def _page(self, key: str, rows: list[Json], call: Call) -> Reply:
        size, start = int(call.query.get("page_size", ["100"])[0]), 0
        if size > 1_000:
            raise ValueError("page_size is at most 1000")
        start = int(call.query.get("page_token", ["0"])[0])
        answer: Json = {key: rows[start : start + size]}
        if start + size < len(rows):
            answer["next_page_token"] = str(start + size)
        return Reply(200, answer)

    def _create_object(self, body: Any) -> Reply:
        given = self._check_object(body)
        name = given["name"]
        if name in self.objects:
            raise _refuse(409, "ALREADY_EXISTS", f"External metadata {name} already exists")
        self._allow(name)
        self.objects[name] = {**given, "id": self._next_id()}
        return Reply(200, self.objects[name])

    def _check_object(self, body: Any) -> Json:
        required = {"name", "system_type", "entity_type"}
        given = require_fields(body, _METADATA_FIELDS | {"name"}, required, "external metadata")
        if not _NAME.fullmatch(given["name"]) or len(given["name"]) > LONGEST_NAME:
            raise ValueError(f"name {given['name']!r} is not allowed")
        SystemType(given["system_type"])
        columns = given.get("columns", [])
        if len(columns) > MOST_COLUMNS or len(set(columns)) < len(columns):
            raise ValueError("too many columns, or one of them twice")
        self._check_texts(given)
        return given

    def _check_texts(self, given: Json) -> None:
        texts = {"description": given.get("description", ""), **given.get("properties", {})}
        for key, text in texts.items():
            if not isinstance(text, str) or len(text) > LONGEST_TEXT:
                raise ValueError(f"{key} is no text, or too long")

    def _one_object(self, method: str, name: str, call: Call) -> Reply:
        if name not in self.objects:
            raise _refuse(404, "NOT_FOUND", f"External metadata {name} does not exist")
        if method == "GET":
            return Reply(200, self.objects[name])
        self._allow(name)
        if method == "DELETE":
            if any(name in ends for ends in self.links):
                raise ValueError(f"{name} still has lineage")
            del self.objects[name]
            return Reply(200, {})
        given = self._check_object(call.body)
        for field in call.query["update_mask"][0].split(","):
            if field not in _METADATA_FIELDS:
                raise ValueError(f"no field {field}")
            self.objects[name].pop(field, None)
            if field in given:
                self.objects[name][field] = given[field]
        return Reply(200, self.objects[name])

    def _end(self, given: Any) -> str:
        require_fields(given, {"external_metadata", "table", "path", "model_version"}, set(), "end")
        if len(given) != 1:
            raise ValueError("an end is one of external_metadata, table, path, model_version")
        ((kind, where),) = given.items()
        require_fields(where, {"name", "url", "version"}, {"name"}, kind)
        known: Any = self.tables if kind == "table" else self.objects
        if where["name"] not in known:
            raise _refuse(404, "NOT_FOUND", f"{kind} {where['name']} does not exist")
        return f"{'table:' if kind == 'table' else ''}{where['name']}"

    def _ends(self, given: Json) -> tuple[str, str]:
        source, target = self._end(given["source"]), self._end(given["target"])
        if source.startswith("table:") and target.startswith("table:"):
            raise ValueError("one end is external metadata")
        if source == target:
            raise ValueError("the ends are the same")
        return source, target

    def _write_link(self, method: str, call: Call) -> Reply:
        given = require_fields(call.body, _LINEAGE_FIELDS, {"source", "target"}, "external lineage")
        ends = self._ends(given)
        columns = given.get("columns", [])
        for pair in columns:
            require_fields(pair, {"source", "target"}, {"source", "target"}, "columns")
        if len(columns) > MOST_COLUMNS:
            raise ValueError("too many columns")
        self._check_texts(given)
        if method == "POST":
            if ends in self.links:
                raise _refuse(409, "ALREADY_EXISTS", f"lineage of {ends} already exists")
            self.links[ends] = {**given, "id": self._next_id()}
            return Reply(200, self.links[ends])
        if ends not in self.links:
            raise _refuse(404, "NOT_FOUND", f"no lineage of {ends}")
        for field in call.query["update_mask"][0].split(","):
            if field not in ("columns", "properties"):
                raise ValueError(f"no field {field}")
            self.links[ends][field] = given.get(field, [] if field == "columns" else {})
        return Reply(200, self.links[ends])

    def _list_links(self, call: Call) -> Reply:
        (key,) = (key for key in call.query if key.startswith("object_info."))
        kind = key.split(".")[1]
        here = self._end({kind: {"name": call.query[key][0]}})
        side = {"DOWNSTREAM": 0, "UPSTREAM": 1}[call.query["lineage_direction"][0]]
        rows = [
            {"external_lineage_info": link}
            for ends, link in self.links.items()
            if ends[side] == here
        ]
        return self._page("external_lineage_relationships", rows, call)

    def _delete_link(self, call: Call) -> Reply:
        root = "external_lineage_relationship."
        if any(not key.startswith(root) for key in call.query):
            raise ValueError("unknown parameter")
        ends: dict[str, Json] = {"source": {}, "target": {}}
        for key, values in call.query.items():
            end, kind, field = key.removeprefix(root).split(".")
            ends[end][kind] = {field: values[0]}
        found = self._ends(ends)
        if found not in self.links:
            raise _refuse(404, "NOT_FOUND", f"no lineage of {found}")
        del self.links[found]
        return Reply(200, {})

    def _table(self, name: str) -> Json:
        if name not in self.tables:
            raise _refuse(404, "TABLE_DOES_NOT_EXIST", f"Table '{name}' does not exist.")
        return self.tables[name]

    def _run(self, body: Any) -> Reply:
        allowed = {"statement", "warehouse_id", "wait_timeout"}
        given = require_fields(body, allowed, {"statement", "warehouse_id"}, "statement")
        if given["warehouse_id"] != self.warehouse:
            raise ValueError("no such warehouse")
        statement = given["statement"]
        if found := _SET.fullmatch(statement):
            pairs = {_plain(key): _plain(value) for key, value in _PAIR.findall(found[2])}
            self._table(_unquoted(found[1]))["properties"].update(pairs)
        elif found := _UNSET.fullmatch(statement):
            for key in _WORD.findall(found[2]):
                self._table(_unquoted(found[1]))["properties"].pop(_plain(key), None)
        elif found := _COMMENT.fullmatch(statement):
            text = None if found[2] == "NULL" else _plain(found[2][1:-1])
            self._table(_unquoted(found[1]))["comment"] = text
        else:
            error = {"error_code": "BAD_REQUEST", "message": "[PARSE_SYNTAX_ERROR]"}
            return Reply(200, {"statement_id": "1", "status": {"state": "FAILED", "error": error}})
        return Reply(200, {"statement_id": "1", "status": {"state": "SUCCEEDED"}})

    def _allow(self, name: str) -> None:
        if name in self.forbidden:
            raise _refuse(403, "PERMISSION_DENIED", f"no MODIFY on {name}")

    def _next_id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"


def _table_info(name: str) -> Json:
    catalog, schema, table = name.split(".")
    return {"catalog_name": catalog, "schema_name": schema, "name": table, "table_type": "TABLE"}


def _allow_query(call: Call, allowed: set[str]) -> None:
    if extra := call.query.keys() - allowed:
        raise ValueError(f"unknown parameter {sorted(extra)[0]}")


def _unquoted(name: str) -> str:
    return name.replace("`", "")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def _refuse(status: int, code: str, message: str) -> Refusal:
    return Refusal(status, {"error_code": code, "message": message})
