"""Lineage by settings alone: a session that names a server is listened to once it is there.

`headwater-spark-autoload.pth`, of the distribution in the folder `autoload`, has this loaded
in programs that `spark-submit` runs or that name a server in their environment; in no others.
"""

import functools
import importlib.util
import logging
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

log = logging.getLogger("headwater.spark")

_SESSIONS = "pyspark.sql.session"


def watch_sessions() -> None:
    """Listen to the sessions of this program that ask for it, from when PySpark is imported."""
    if _SESSIONS in sys.modules:
        _watch(sys.modules[_SESSIONS])
    else:
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds PySpark's sessions where everybody does, to be there when they have been loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _SESSIONS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loading(spec.loader)
        return spec


class _Loading(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _watch(module)


def _watch(module: Any) -> None:
    builder = module.SparkSession.Builder
    get_or_create = builder.getOrCreate

    @functools.wraps(get_or_create)
    def get_or_create_and_listen(self: Any) -> Any:
        spark = get_or_create(self)
        _listen(spark)
        return spark

    builder.getOrCreate = get_or_create_and_listen


def _listen(spark: Any) -> None:
    """Whatever goes wrong here, the program has its session."""
    try:
        from headwater.spark.listener import listen
        from headwater.spark.settings import read_settings

        if read_settings(spark).url:
            listen(spark)
    except Exception as error:
        log.warning("lineage of this session will not be reported: %s", error)
