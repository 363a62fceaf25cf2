"""Hive's commands that write without a table of Spark's: directories, and files that are loaded."""

from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.session import find_hadoop_setting, session_state
from headwater.spark.relations import Java

# A name of several files: those of its folder.
_PATTERN = frozenset("*?[{")


def name_directory(plan: Java) -> DatasetName | None:
    """Where INSERT OVERWRITE DIRECTORY writes to."""
    location = plan.storage().locationUri()
    if not location.isDefined():
        return None
    return _name_path(str(location.get().toString()), bool(plan.isLocal()))


def name_loaded(plan: Java) -> DatasetName:
    """The files that LOAD DATA takes."""
    path = str(plan.path())
    folder, _, last = path.rpartition("/")
    whole = folder if folder and _PATTERN & set(last) else path
    return _name_path(whole, bool(plan.isLocal()))


def find_loaded_table(plan: Java) -> Java:
    """The table that LOAD DATA puts files into, as the catalog has it."""
    state = session_state()
    if state is None:
        raise ValueError("there is no session with a catalog")
    return state.catalog().getTableMetadata(plan.table())


def _name_path(path: str, is_local: bool) -> DatasetName:
    """A path without a scheme is of the file system that Spark uses by default."""
    has_scheme = "://" in path or path.startswith("file:")
    if not has_scheme and not is_local and (files := find_hadoop_setting("fs.defaultFS")):
        path = f"{files.rstrip('/')}/{path.lstrip('/')}"
    return naming.by_location(path)
