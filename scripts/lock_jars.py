"""Write the digests of the jars that Headwater asks for: src/headwater/pipeline/spark/jars.lock."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

from headwater.config import variables_set
from headwater.pipeline.spark.jars import replace_packages
from headwater.pipeline.spark.java import find_java
from headwater.pipeline.spark.packages import KNOWN, SETTING, parse_packages

LOCK = Path("src/headwater/pipeline/spark/jars.lock")


def main() -> None:
    LOCK.write_text("")
    conf = {SETTING: ",".join(map(":".join, parse_packages(KNOWN)))}
    # Not from what was fetched before: that may be what the lock has to find.
    with TemporaryDirectory() as folder, variables_set(XDG_CACHE_HOME=folder):
        jars = replace_packages(conf, find_java(), print)["spark.jars"].split(",")
        digests = {
            Path(jar).name: hashlib.sha256(Path(jar).read_bytes()).hexdigest() for jar in jars
        }
    LOCK.write_text("".join(f"{digests[name]}  {name}\n" for name in sorted(digests)))


if __name__ == "__main__":
    main()
