"""Lineage of PySpark programs: streams and batch jobs, by column."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.spark.listener import LineageListener, listen

__all__ = ["LineageListener", "listen"]


def __getattr__(name: str) -> Any:
    # Only when requested: by settings alone, this is loaded before PySpark is.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from headwater.spark import listener

    return getattr(listener, name)
