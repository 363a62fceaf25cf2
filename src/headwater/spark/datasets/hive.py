"""Hive's commands that write without a table of Spark's: directories, and files that are loaded."""

from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.catalogs import active_session
from headwater.spark.relations import Java

# A name of several files: those of its folder.
_PATTERN = frozenset("*?[{")


def name_directory(plan: Java) -> DatasetName | None:
    """Where INSERT OVERWRITE DIRECTORY writes to."""
    location = plan.storage().locationUri()
    if not location.isDefined():
        return None
    return _name_path(plan, str(location.get().toString()), bool(plan.isLocal()))


def name_loaded(plan: Java) -> DatasetName:
    """The files that LOAD DATA takes."""
    path = str(plan.path())
    folder, _, last = path.rpartition("/")
    whole = folder if folder and _PATTERN & set(last) else path
    return _name_path(plan, whole, bool(plan.isLocal()))


def find_loaded_table(plan: Java) -> Java:
    """The table that LOAD DATA puts files into, as the catalog has it."""
    return active_session(plan).catalog().getTableMetadata(plan.table())


def _name_path(plan: Java, path: str, is_local: bool) -> DatasetName:
    """A path without a scheme is of the file system that Spark uses by default."""
    if "://" not in path and not path.startswith("file:") and not is_local:
        files = str(active_session(plan).newHadoopConf().get("fs.defaultFS") or "")
        if files.startswith("hdfs:") or files.partition("://")[2]:
            path = f"{files.rstrip('/')}/{path.lstrip('/')}"
    return naming.by_location(path)
