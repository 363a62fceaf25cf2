"""The homes of a new machine, for `scripts/fresh`: empty but for settings."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

# Of a home, what says how to reach registries, and as whom.
SETTINGS = (
    ".gitconfig",
    ".config/git/config",
    ".netrc",
    ".npmrc",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
)
# Of the account's home, what programs leave there for the next time.
CACHES = (
    ".cache",
    ".config",
    ".gradle",
    ".ivy2",
    ".ivy2.5.2",
    ".java",
    ".local/share",
    ".local/state",
    ".m2",
    ".npm",
    ".sbt",
)
# exec keeps the process: signals and the exit status pass through.
MOUNT = 'mount -t overlay fresh -o "$1" "$2" && shift 2 && exec "$@"'


class NotPossible(Exception):
    """Something cannot be had on this machine; the text says why."""


def say(text: str) -> None:
    # At once: what the command prints does not pass through here.
    print(f"fresh: {text}", flush=True)


def make_home(folder: Path, account: Path) -> Path:
    """An empty home but for settings; Maven's are always those of the account."""
    home = folder / "home"
    home.mkdir()
    old = Path(os.environ.get("HOME") or account)
    config = Path(os.environ.get("XDG_CONFIG_HOME") or old / ".config")
    kept = []
    for name in SETTINGS:
        source = (account if name.startswith(".m2/") else old) / name
        if name.startswith(".config/"):
            source = config / name.removeprefix(".config/")
        if source.is_file():
            keep(source, home / name)
            kept.append(name)
    say(f"empty home {home}, settings kept: {', '.join(kept) or 'none'}")
    return home


def keep(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def hide_caches(account: Path, folder: Path) -> list[str]:
    """What to put before a command for which the account's home has no caches."""
    if os.geteuid() != 0:
        raise NotPossible("that takes root")
    if folder.is_relative_to(account):
        raise NotPossible(f"{folder} is in it")
    upper, work = folder / "account", folder / "work"
    if re.search("[:,\\\\]", f"{account}{upper}"):
        raise NotPossible("a mount cannot name it")
    try:
        work.mkdir()
        make_like(account, upper)
        hidden = [name for name in CACHES if hide(account / name, upper / name)]
        options = f"lowerdir={account},upperdir={upper},workdir={work}"
        words = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", MOUNT, "sh"]
        words += [options, str(account)]
        tried = subprocess.run([*words, "true"], capture_output=True, text=True)
    except OSError as error:
        raise NotPossible(str(error)) from None
    if tried.returncode != 0:
        raise NotPossible(" ".join(tried.stderr.split()))
    say(f"hidden in {account}: {', '.join(hidden) or 'nothing, there are no caches'}")
    return words


def hide(lower: Path, upper: Path) -> bool:
    """Make the mark by which an overlay has `lower` no more, but for settings in it."""
    if not lower.exists():
        return False
    if Path(sys.base_prefix).is_relative_to(lower.resolve()):
        say(f"left visible, since Python is in it: {lower}")
        return False
    if not upper.parent.exists():
        make_like(lower.parent, upper.parent)
    settings = [each for name in SETTINGS if (each := find_in(lower, name)) is not None]
    if not settings:
        os.mknod(upper, stat.S_IFCHR, os.makedev(0, 0))
        return True
    make_like(lower, upper)
    os.setxattr(upper, "trusted.overlay.opaque", b"y")
    for setting in settings:
        keep(lower / setting, upper / setting)
    return True


def find_in(folder: Path, setting: str) -> Path | None:
    """A setting's place in a folder of the home, if it has one there."""
    name = Path(setting)
    if name.parts[0] != folder.name or len(name.parts) < 2:
        return None
    inside = Path(*name.parts[1:])
    return inside if (folder / inside).is_file() else None


def make_like(model: Path, folder: Path) -> None:
    folder.mkdir()
    shutil.copystat(model, folder)
    owner = model.stat()
    os.chown(folder, owner.st_uid, owner.st_gid)
