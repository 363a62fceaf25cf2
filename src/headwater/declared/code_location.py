"""Where the file of a declared job is in git: repository, path and commit."""

import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

_SECONDS = 10


def git_location(file: str) -> dict[str, str]:
    """What git says of a file, as the sourceCodeLocation facet has it; empty outside of git."""
    path = Path(file).resolve()
    root = _git(path.parent, "rev-parse", "--show-toplevel")
    if not root:
        return {}
    url = _without_secrets(_git(path.parent, "config", "--get", "remote.origin.url"))
    found = {
        "type": "git",
        "url": url or Path(root).resolve().as_uri(),
        "repoUrl": url,
        "path": path.relative_to(Path(root).resolve()).as_posix(),
        "version": _git(path.parent, "rev-parse", "HEAD"),
        "branch": _git(path.parent, "symbolic-ref", "--short", "HEAD"),
    }
    return {key: value for key, value in found.items() if value}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _without_secrets(url: str) -> str:
    """A URL of a remote without the user and password that it may hold."""
    parts = urlsplit(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
