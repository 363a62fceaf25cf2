"""Jars for Spark: fetched once by a real Ivy from a repository on this machine, then kept."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.errors import BadConfig, PackagesUnavailable
from headwater.pipeline.spark import jars
from headwater.pipeline.spark.ivy import explain, find_provided
from headwater.pipeline.spark.jars import find_jars, replace_packages
from headwater.pipeline.spark.java import find_java
from headwater.pipeline.spark.packages import KAFKA, Package, parse_packages
from headwater.pipeline.spark.repositories import find_proxy_options, find_repositories
from tests.pipeline.maven_repository import Repository, serve

APP, LIBRARY = "org.example:app:1.0", "org.example:library:2.0"
CONF = {"spark.jars.packages": APP}


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with serve(tmp_path / "served") as repository:
        repository.add(APP, b"app", [LIBRARY, "org.slf4j:slf4j-api:2.0.16"])
        repository.add(LIBRARY, b"library")
        yield repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and no repository or proxy of this machine's."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return home


@pytest.fixture
def chosen(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The repository, named as the one to ask."""
    monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", repository.url)
    return repository


def fetch(conf: dict[str, str] = CONF) -> tuple[dict[str, bytes], list[str]]:
    """The jars of a session by name, and what was told meanwhile."""
    told: list[str] = []
    paths = replace_packages(conf, find_java(), told.append)["spark.jars"].split(",")
    return {Path(path).name: Path(path).read_bytes() for path in paths}, told


BOTH = {"org.example_app-1.0.jar": b"app", "org.example_library-2.0.jar": b"library"}


@pytest.mark.integration
class TestFetching:
    def test_brings_what_a_package_depends_on_but_for_what_spark_has(
        self, chosen: Repository
    ) -> None:
        found, told = fetch()
        assert found == BOTH
        assert told == [
            "fetching for Spark, once: app-1.0.jar",
            "fetching for Spark: jar 1 of up to 2, app-1.0.jar",
            "fetching for Spark: jar 2 of up to 2, library-2.0.jar",
        ]

    def test_is_done_once(self, chosen: Repository) -> None:
        fetch()
        chosen.asked.clear()
        assert fetch() == (BOTH, [])
        assert chosen.asked == []

    def test_a_local_maven_repository_of_poms_alone_is_not_looked_at(
        self, chosen: Repository, home: Path
    ) -> None:
        pom = Path("org/example/library/2.0/library-2.0.pom")
        left = home / ".m2" / "repository" / pom
        left.parent.mkdir(parents=True)
        left.write_bytes((chosen.folder / pom).read_bytes())
        assert fetch()[0] == BOTH

    def test_what_is_damaged_is_fetched_anew(self, chosen: Repository, home: Path) -> None:
        fetch()
        (kept,) = home.rglob("org.example_library-2.0.jar")
        kept.write_bytes(b"half of it")
        assert fetch()[0] == BOTH

    def test_what_was_removed_is_fetched_anew(self, chosen: Repository, home: Path) -> None:
        fetch()
        (kept,) = home.rglob("org.example_app-1.0.jar")
        kept.unlink()
        assert fetch()[0] == BOTH

    def test_two_at_once_fetch_once(self, chosen: Repository) -> None:
        results: list[dict[str, bytes]] = []
        threads = [threading.Thread(target=lambda: results.append(fetch()[0])) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [BOTH, BOTH]
        assert (
            len([path for path in chosen.asked if path.endswith("app-1.0.jar")]) == 2
        )  # HEAD, GET

    def test_the_folder_serves_at_another_place_without_a_network(
        self, chosen: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fetch()
        (home / "cache").rename(tmp_path / "other")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
        monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", "http://127.0.0.1:9/")
        assert fetch() == (BOTH, [])

    def test_excluded_ones_stay_away(self, chosen: Repository) -> None:
        conf = {**CONF, "spark.jars.excludes": "org.example:library"}
        assert set(fetch(conf)[0]) == {"org.example_app-1.0.jar"}

    def test_jars_of_the_users_own_are_kept(self, chosen: Repository) -> None:
        conf = replace_packages({**CONF, "spark.jars": "/own.jar"}, find_java(), print)
        assert conf["spark.jars"].endswith(",/own.jar")
        assert set(conf) == {"spark.jars"}


@pytest.mark.integration
class TestFailures:
    def test_a_version_that_is_not_there(self, chosen: Repository) -> None:
        with pytest.raises(PackagesUnavailable) as caught:
            fetch({"spark.jars.packages": "org.example:app:9.9"})
        assert caught.value.message == (
            f"org.example:app:9.9 cannot be fetched from {chosen.url}: org.example:app:9.9 was not "
            "found; check the network and the version; a mirror can be set in Maven's settings.xml "
            "or in DEFAULT_ARTIFACT_REPOSITORY"
        )

    def test_a_repository_that_does_not_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", "http://127.0.0.1:9/")
        with pytest.raises(PackagesUnavailable, match="Connection refused"):
            fetch()

    def test_a_jar_that_is_not_what_its_checksum_says(self, chosen: Repository) -> None:
        (jar,) = chosen.folder.rglob("library-2.0.jar")
        jar.write_bytes(b"damaged on its way")
        with pytest.raises(
            PackagesUnavailable, match=r": org.example#library;2.0!library.jar: invalid sha1;"
        ):
            fetch()

    def test_a_known_jar_that_is_another_one(
        self, chosen: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kafka = parse_packages([KAFKA])[0]
        chosen.add(":".join(kafka), b"somebody else's")
        with pytest.raises(PackagesUnavailable, match="has another SHA-256 than expected"):
            fetch({"spark.jars.packages": ":".join(kafka)})

    def test_nothing_is_kept_of_what_failed(self, chosen: Repository, home: Path) -> None:
        (jar,) = chosen.folder.rglob("library-2.0.jar")
        content = jar.read_bytes()
        jar.unlink()
        with pytest.raises(PackagesUnavailable):
            fetch()
        jar.write_bytes(content)
        assert fetch()[0] == BOTH


class TestRepositories:
    def settings(self, home: Path, text: str) -> None:
        file = home / ".m2" / "settings.xml"
        file.parent.mkdir()
        file.write_text(
            f'<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">{text}</settings>'
        )

    @pytest.mark.integration
    def test_a_mirror_of_mavens_settings_is_requested(
        self, repository: Repository, home: Path
    ) -> None:
        mirror = f"<mirror><mirrorOf>central</mirrorOf><url>{repository.url}</url></mirror>"
        self.settings(home, f"<mirrors>{mirror}</mirrors>")
        assert fetch()[0] == BOTH

    @pytest.mark.integration
    def test_ivy_settings_of_the_users_own_decide(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        own = tmp_path / "own.xml"
        own.write_text(
            '<ivysettings><settings defaultResolver="own"/><resolvers>'
            f'<ibiblio name="own" m2compatible="true" root="{repository.url}"/>'
            "</resolvers></ivysettings>"
        )
        found, _ = fetch({**CONF, "spark.jars.ivySettings": str(own)})
        assert sorted(found.values()) == [b"app", b"library"]

    @pytest.mark.integration
    def test_further_ones_are_requested_after_the_first(
        self, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serve(tmp_path / "empty") as empty:
            (tmp_path / "empty").mkdir()
            monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", empty.url)
            assert fetch({**CONF, "spark.jars.repositories": repository.url})[0] == BOTH
        assert empty.asked

    @pytest.mark.parametrize(
        ("mirror_of", "is_asked"),
        [
            ("central", True),
            ("*", True),
            ("external:*", True),
            ("internal,central", True),
            ("*,!central", False),
            ("internal", False),
            ("external:http:*", False),
        ],
    )
    def test_which_mirrors_stand_for_the_central_one(
        self, mirror_of: str, is_asked: bool, home: Path
    ) -> None:
        mirror = f"<mirror><mirrorOf>{mirror_of}</mirrorOf><url>http://mirror/</url></mirror>"
        self.settings(home, mirror)
        assert find_repositories({}).urls == ("http://mirror/" if is_asked else None,)

    def test_settings_that_are_no_xml_are_passed_over(self, home: Path) -> None:
        self.settings(home, "<mirror>")
        assert str(find_repositories({})) == "Maven's central repository"

    def test_a_proxy_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("https_proxy", "http://proxy:3128")
        monkeypatch.setenv("no_proxy", "localhost, .example.com")
        assert find_proxy_options() == [
            "-Dhttps.proxyHost=proxy",
            "-Dhttps.proxyPort=3128",
            "-Dhttp.nonProxyHosts=localhost|*.example.com",
        ]

    def test_a_proxy_of_mavens_settings(self, home: Path) -> None:
        off = "<proxy><active>false</active><host>old</host></proxy>"
        on = "<proxy><host>proxy</host><port>8080</port><nonProxyHosts>a|b</nonProxyHosts></proxy>"
        self.settings(home, f"<proxies>{off}{on}</proxies>")
        assert find_proxy_options() == [
            "-Dhttp.proxyHost=proxy",
            "-Dhttp.proxyPort=8080",
            "-Dhttps.proxyHost=proxy",
            "-Dhttps.proxyPort=8080",
            "-Dhttp.nonProxyHosts=a|b",
        ]


class TestPackages:
    def test_are_named_by_group_artifact_and_version(self) -> None:
        names = [" org.b:x_2.13:1 ", "org.a:y:2.0-rc1", "", "org.b:x_2.13:1"]
        assert parse_packages(names) == [
            Package("org.a", "y", "2.0-rc1"),
            Package("org.b", "x_2.13", "1"),
        ]

    @pytest.mark.parametrize("name", ["org.a:y", "a:b:c:d", "org.a:y:", "org.a:<y>:1"])
    def test_other_names_are_refused(self, name: str) -> None:
        with pytest.raises(BadConfig, match="is not GROUP:ARTIFACT:VERSION"):
            parse_packages([name])

    def test_without_any_nothing_is_requested(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(jars, "fetch")
        conf = {"spark.x": "y"}
        assert replace_packages(conf, find_java(), print) == conf
        assert find_jars(parse_packages([APP])) is None

    def test_what_spark_has_is_known_by_names_of_two_words(self, tmp_path: Path) -> None:
        for name in ("slf4j-api-2.0.16.jar", "core-1.1.jar", "spark-sql_2.13-4.0.0.jar", "x.txt"):
            (tmp_path / name).touch()
        assert find_provided(tmp_path) == {("*", "slf4j-api"), ("*", "spark-sql_2.13")}

    def test_an_ivy_that_says_nothing_is_stated_to(self) -> None:
        assert explain(["", " "]) == "Ivy wrote nothing"
