"""The jars of a service in Java, which `scripts/install-services` has gathered from its POM."""

import hashlib
import os
from pathlib import Path

from testing.services.process import StartFailed

# Each folder with a POM beside this file is one service or plugin.
SERVICES = Path(__file__).parent


def gathered_jars(pom: Path) -> Path:
    """The directory in the cache that holds the jars of a POM, as it is now."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    jars = Path(home) / "headwater" / f"{pom.parent.name}-{digest}"
    if not jars.is_dir():
        raise StartFailed(
            f"the jars of {pom.parent.name} are missing; run scripts/install-services"
        )
    return jars
