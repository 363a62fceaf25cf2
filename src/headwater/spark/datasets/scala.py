"""Collections of Scala's, as ours."""

from typing import Any

# A map or option in the JVM, behind py4j.
Java = Any


def read_map(found: Java) -> dict[str, str]:
    """A map of Scala's."""
    keys = found.keys().toSeq()
    names = [keys.apply(place) for place in range(keys.size())]
    return {str(name): str(found.apply(name)) for name in names}
