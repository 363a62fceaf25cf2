"""Looks up all that is locked in a database of known vulnerabilities (OSV): `make audit`.

Packages of Python, of the web UI and the jars of Spark, in one request. What is found fails; a
database that does not answer is one line, and fails nothing. Answers are kept for a day in the
cache folder, as long as the locks stay the same.
"""

import argparse
import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2

from headwater.config import cache_folder

ROOT = Path(__file__).parent.parent
DATABASE = "https://api.osv.dev/v1/querybatch"
KEPT_SECONDS = 86_400
MOST_SECONDS = 8.0
# The database takes no more at once.
AT_ONCE = 1_000
# Known, looked at, and of no harm here: the id, and why.
ACCEPTED: dict[str, str] = {}

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
# As jars.lock has them: GROUP_NAME-VERSION.jar
_JAR = re.compile(r" ([A-Za-z0-9.-]+?)_(\S+)-(\d[\w.]*)\.jar$", re.MULTILINE)

Package = tuple[str, str, str]


def read_packages(root: Path = ROOT) -> list[Package]:
    """Everything that is locked: ecosystem, name and version."""
    found: set[Package] = set()
    for lock in root.glob("requirements*.lock"):
        found.update(("PyPI", *pinned) for pinned in _PINNED.findall(lock.read_text()))
    found.update(_npm_packages(root / "ui" / "package-lock.json"))
    jars = root / "src" / "headwater" / "pipeline" / "spark" / "jars.lock"
    if jars.is_file():
        for group, name, version in _JAR.findall(jars.read_text()):
            found.add(("Maven", f"{group}:{name}", version))
    return sorted(found)


def _npm_packages(lock: Path) -> Iterator[Package]:
    if lock.is_file():
        for path, package in json.loads(lock.read_text())["packages"].items():
            if path and "version" in package:
                yield "npm", path.rpartition("node_modules/")[2], package["version"]


def look_up(packages: Sequence[Package], database: str, seconds: float) -> dict[str, list[str]]:
    """The ids of what is known of each package; raises `httpx2.HTTPError` or ValueError."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(packages), AT_ONCE):
        part = packages[start : start + AT_ONCE]
        queries = [
            {"package": {"ecosystem": ecosystem, "name": name}, "version": version}
            for ecosystem, name, version in part
        ]
        answer = httpx2.post(database, json={"queries": queries}, timeout=seconds)
        answer.raise_for_status()
        results: list[dict[str, Any]] = answer.json()["results"]
        for package, result in zip(part, results, strict=True):
            ids = [known["id"] for known in result.get("vulns", ())]
            if ids:
                found[" ".join(package)] = sorted(ids)
    return found


def audit(database: str, cache: Path, root: Path = ROOT, seconds: float = MOST_SECONDS) -> int:
    packages = read_packages(root)
    key = hashlib.sha256(json.dumps([database, packages]).encode()).hexdigest()
    known = _read_kept(cache, key)
    if known is None:
        try:
            known = look_up(packages, database, seconds)
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            print(f"audit: not done, {database} does not answer: {reason}")
            return 0
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps({"key": key, "at": time.time(), "found": known}))
    return _report(known, len(packages))


def _read_kept(cache: Path, key: str) -> dict[str, list[str]] | None:
    try:
        kept = json.loads(cache.read_text())
        if kept["key"] == key and 0 <= time.time() - kept["at"] < KEPT_SECONDS:
            return dict(kept["found"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _report(known: dict[str, list[str]], total: int) -> int:
    open_ids = {package: [id for id in ids if id not in ACCEPTED] for package, ids in known.items()}
    bad = {package: ids for package, ids in open_ids.items() if ids}
    for package, ids in sorted(bad.items()):
        print(f"audit: {package}: {', '.join(ids)}")
    print(f"audit: {total:,} packages, {len(bad):,} with known vulnerabilities")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default=DATABASE, help="URL of the database's batch query")
    given = parser.parse_args()
    return audit(given.database, cache_folder() / "audit.json")


if __name__ == "__main__":
    sys.exit(main())
