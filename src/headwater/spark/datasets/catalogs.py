"""Tables of catalogs: named by where their files are; what the catalog calls them is a symlink."""

from urllib.parse import urlsplit

from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.session import find_hadoop_setting, find_setting
from headwater.spark.relations import Java, PlanRelation

# Catalogs whose tables are known by the service that has them, not by where their files are.
_BY_URI = frozenset(("hive", "jdbc", "nessie", "rest"))


def name_catalog_table(table: Java, plan: Java) -> PlanRelation:
    """A table of Spark's own catalog: files, under a name."""
    return table_at(str(table.location()), table_name(table.identifier()), find_metastore(plan))


def table_name(identifier: Java) -> str:
    """A name in Spark's own catalog, with its database."""
    database = identifier.database()
    name = str(identifier.table())
    return f"{database.get()}.{name}" if database.isDefined() else f"default.{name}"


def location_of(table: Java) -> str | None:
    found = table.properties().get("location")
    return None if found is None else str(found)


def table_of_catalog(plan: Java, location: str, catalogue: str, name: str) -> PlanRelation:
    """A table of a catalog, which is known by its files, by its service, or both."""
    if not name:
        return PlanRelation(naming.by_location(location))
    kind, uri = (
        find_setting(plan, f"spark.sql.catalog.{catalogue}.{key}") for key in ("type", "uri")
    )
    if uri and kind in _BY_URI:
        service = _metastore(uri) if kind == "hive" else uri
        found = PlanRelation(naming.by_location(location), DatasetName(service, name))
    else:
        is_sparks_own = catalogue == "spark_catalog"
        found = table_at(location, name, find_metastore(plan) if is_sparks_own else "")
    return found._replace(label=f"{catalogue}.{name}")


def name_created(plan: Java, catalog: Java, identifier: Java, table: Java) -> PlanRelation:
    """A table that a plan has just created in a catalog."""
    location = location_of(table)
    name = str(identifier.toString())
    if location is None:
        return PlanRelation(DatasetName(str(catalog.name()), name))
    return table_of_catalog(plan, location, str(catalog.name()), name)


def table_at(location: str, name: str, metastore: str = "") -> PlanRelation:
    """A table is named by where it is; what its catalog calls it is its other name."""
    path = naming.by_location(location)
    return PlanRelation(path, name_in_catalog(path, name, metastore))


def name_in_catalog(path: DatasetName, name: str, metastore: str = "") -> DatasetName:
    """What a catalog calls the table at a path: in its metastore, or in the warehouse's folder."""
    if metastore:
        return DatasetName(metastore, name)
    return naming.in_warehouse(path.namespace, _warehouse(path.name, name), name)


def _warehouse(path: str, name: str) -> str:
    """The parts of a table's path that are not of the table itself."""
    parts, own = path.split("/"), name.split(".")
    # Hive's folder of a database is `shop.db`.
    folders = (own, [f"{own[0]}.db", *own[1:]])
    return "/".join(parts[: -len(own)] if parts[-len(own) :] in folders else parts[:-1])


def find_metastore(plan: Java) -> str:
    """The Hive metastore, as OpenLineage names it, that Spark's own catalog is kept in."""
    if find_setting(plan, "spark.sql.catalogImplementation", "in-memory") != "hive":
        return ""
    # Without one the catalog is a database of this application's.
    uris = find_hadoop_setting("hive.metastore.uris")
    return _metastore(uris) if uris.strip() else ""


def _metastore(uris: str) -> str:
    """The first of the addresses of one metastore: `thrift://host:9083`."""
    return f"hive://{urlsplit(uris.split(',')[0].strip()).netloc}"
