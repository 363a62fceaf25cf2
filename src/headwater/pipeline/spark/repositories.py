"""Where jars come from: the user's mirror or proxy, else Maven's central repository.

In this order: the Ivy settings that `spark.jars.ivySettings` names; DEFAULT_ARTIFACT_REPOSITORY, as
for Spark itself; a mirror in Maven's settings.xml; Ivy's own default, the central repository. What
`spark.jars.repositories` names is tried after that. Maven's local repository never is: Maven keeps
POMs there without their jars, which Ivy takes for the whole package.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from headwater.config import artifact_repository

_SYSTEM_SETTINGS = Path("/etc/maven/settings.xml")
_OWN_SETTINGS = "spark.jars.ivySettings"
_FURTHER = "spark.jars.repositories"

_SETTINGS = """\
<ivysettings>
  <settings defaultResolver="all"/>
  <caches defaultCacheDir={cache}
    artifactPattern="jars/[organisation]_[artifact]-[revision](-[classifier]).[ext]"/>
  <timeout-constraints>
    <timeout-constraint name="patience" connectionTimeout="20000" readTimeout="60000"/>
  </timeout-constraints>
  <resolvers>
    <chain name="all" returnFirst="true">
      {resolvers}
    </chain>
  </resolvers>
</ivysettings>
"""


class Repositories(NamedTuple):
    """Repositories by URL, in the order in which they are tried; None is the central one.

    `own_settings` is an Ivy settings file of the user's, which decides all by itself.
    """

    urls: tuple[str | None, ...]
    own_settings: Path | None = None

    def write_settings(self, file: Path, cache: Path) -> Path:
        """The Ivy settings to use: the user's own, or new ones written to `file`."""
        if self.own_settings is not None:
            return self.own_settings
        resolvers = [_resolver(number, url) for number, url in enumerate(self.urls)]
        text = _SETTINGS.format(cache=quoteattr(str(cache)), resolvers="\n      ".join(resolvers))
        file.write_text(text)
        return file

    def __str__(self) -> str:
        if self.own_settings is not None:
            return f"the repositories of {self.own_settings}"
        return ", ".join(url or "Maven's central repository" for url in self.urls)


def find_repositories(conf: Mapping[str, str], home: Path | None = None) -> Repositories:
    """The repositories for a session with these settings of Spark's."""
    further = tuple(url for url in conf.get(_FURTHER, "").split(",") if url)
    first = artifact_repository() or next(_mirrors(home or Path.home()), None)
    own = conf.get(_OWN_SETTINGS)
    return Repositories((first, *further), Path(own).absolute() if own else None)


def find_proxy_options(home: Path | None = None) -> list[str]:
    """Java's options for the proxy of the environment, or else of Maven's settings."""
    proxies = getproxies()
    options = [
        option
        for scheme in ("http", "https")
        if scheme in proxies
        for option in _options(scheme, proxies[scheme])
    ]
    if not options:
        return list(_maven_proxy_options(home or Path.home()))
    if hosts := [host.strip() for host in proxies.get("no", "").split(",") if host.strip()]:
        patterns = "|".join(f"*{host}" if host.startswith(".") else host for host in hosts)
        options.append(f"-Dhttp.nonProxyHosts={patterns}")
    return options


def _options(scheme: str, url: str) -> Iterator[str]:
    address = urlsplit(url if "://" in url else f"http://{url}")
    if address.hostname:
        yield f"-D{scheme}.proxyHost={address.hostname}"
        yield f"-D{scheme}.proxyPort={address.port or 80}"


def _maven_proxy_options(home: Path) -> Iterator[str]:
    for proxy in _elements(home, "proxy"):
        host = proxy.get("host")
        if not host or proxy.get("active", "true") != "true":
            continue
        for scheme in ("http", "https"):
            yield from _options(scheme, f"http://{host}:{proxy.get('port') or 80}")
        if hosts := proxy.get("nonProxyHosts"):
            yield f"-Dhttp.nonProxyHosts={hosts}"
        return


def _mirrors(home: Path) -> Iterator[str]:
    """URLs of the mirrors that stand for the central repository."""
    for mirror in _elements(home, "mirror"):
        of = {part.strip() for part in mirror.get("mirrorOf", "").split(",")}
        if of & {"*", "external:*", "central"} and "!central" not in of and mirror.get("url"):
            yield mirror["url"]


def _elements(home: Path, name: str) -> Iterator[dict[str, str]]:
    """The elements of one name in Maven's settings, the user's before the machine's.

    Settings that cannot be read are Maven's to complain about.
    """
    for file in (home / ".m2" / "settings.xml", _SYSTEM_SETTINGS):
        try:
            root = ElementTree.parse(file).getroot()
        except (OSError, ElementTree.ParseError):
            continue
        for element in root.iter():
            if _local(element.tag) == name:
                yield {_local(part.tag): (part.text or "").strip() for part in element}


def _local(tag: str) -> str:
    """A tag without its XML namespace."""
    return tag.rpartition("}")[2]


def _resolver(number: int, url: str | None) -> str:
    root = f" root={quoteattr(url)}" if url else ""
    name = f"repository-{number}"
    return f'<ibiblio name="{name}" m2compatible="true" timeoutConstraint="patience"{root}/>'
