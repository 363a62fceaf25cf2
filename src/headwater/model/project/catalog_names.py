"""Tables of catalogs that systems name differently by rule: joined also where no event says so.

LineageBridge's namespaces of Unity Catalog and BigQuery say what others call the same table. Those
of Glue do not: OpenLineage's name has the account in it.
"""

from headwater.model.confluent.names import DATABRICKS, GOOGLE, other_table_names
from headwater.model.facet_readers import NamedDataset
from headwater.model.naming import DatasetName
from headwater.model.project.projection import Projection
from headwater.model.relations import Alias, Authority, Joined
from headwater.model.values.ids import dataset_id

_PLACES = (f"{DATABRICKS}://http", f"{GOOGLE}://")


def name_catalog_tables(projection: Projection) -> None:
    """Give each table that an event names what others call it."""
    tables = [
        each for each in projection.facts.names.values() if each.namespace.startswith(_PLACES)
    ]
    for table in tables:
        for other in other_table_names(DatasetName(table.namespace, table.name)):
            named = NamedDataset(dataset_id(*other), *other)
            projection.name(named)
            alias = Alias(table.id, named.id, Authority.EVENT, Joined.TABLE, projection.stamp)
            projection.facts.add("alias", alias)
