"""SQL text -> statements -> tables and columns that they read and write: start at `analyze`."""

from headwater.sql.analysis import analyze
from headwater.sql.catalog import Catalog, CatalogColumn, CatalogTable
from headwater.sql.results import (
    Problem,
    SourceColumn,
    SqlTable,
    Statement,
    TableWrite,
    WrittenColumn,
)
from headwater.sql.text.dialect_choice import choose_dialect
from headwater.sql.text.limits import SqlLimits

__all__ = [
    "Catalog",
    "CatalogColumn",
    "CatalogTable",
    "SqlLimits",
    "Problem",
    "SourceColumn",
    "Statement",
    "SqlTable",
    "TableWrite",
    "WrittenColumn",
    "analyze",
    "choose_dialect",
]
