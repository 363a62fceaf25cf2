"""Where a program comes from: its script in a git repository, read without git."""

import subprocess
from pathlib import Path

from headwater.spark.application import find_revision


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_revision_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "jobs" / "job.py"
    script.parent.mkdir()
    script.write_text("pass")
    assert find_revision(script) is None
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert find_revision(script) is None, "no commit yet"
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    git(tmp_path, "remote", "add", "origin", "https://me:secret@example.com/shop.git")
    found = find_revision(script)
    assert found is not None
    assert found["version"] == git(tmp_path, "rev-parse", "HEAD")
    assert (found["branch"], found["path"]) == ("trunk", "jobs/job.py")
    assert found["repoUrl"] == "https://example.com/shop.git"
    git(tmp_path, "pack-refs", "--all")
    assert find_revision(script) == found
    git(tmp_path, "checkout", "-q", "--detach")
    detached = find_revision(script)
    assert detached is not None
    assert detached["version"] == found["version"] and "branch" not in detached
