"""The command line: what it says, how it fails, and where its settings come from."""

import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from headwater import __version__
from headwater.config import IntakeSettings, ServerSettings, load_settings
from headwater.errors import BadConfig
from headwater.store.migrate import HEAD
from testing.commands import Run, check_one_line, run_installed, run_program
from testing.services.headwater import Headwater

pytestmark = pytest.mark.usefixtures("no_settings")


class TestHelp:
    def test_help_lists_the_commands(self, run: Run) -> None:
        outcome = run("--help")
        assert outcome.status == 0
        for command in ("serve", "db"):
            assert command in outcome.out

    def test_serve_help_lists_its_options_and_defaults(self, run: Run) -> None:
        outcome = run("serve", "--help")
        assert outcome.status == 0
        for text in ("--host", "--port", "--store", "--data", "127.0.0.1", "5000"):
            assert text in outcome.out

    def test_a_flag_takes_no_value(self) -> None:
        """In the help of any command: the page is made from them, which `make check` holds."""
        page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
        assert "--watch" in page and "<bool>" not in page and "BOOLEAN" not in page

    def test_db_help_lists_upgrade(self, run: Run) -> None:
        assert "upgrade" in run("db", "--help").out

    def test_no_command_shows_the_help(self, run: Run) -> None:
        outcome = run()
        assert outcome.status == 2
        assert "serve" in outcome.out + outcome.err

    def test_version(self, run: Run) -> None:
        assert run("--version") == (0, f"{__version__}\n", "")

    @pytest.mark.parametrize(
        "arguments", [["nothing"], ["serve", "--nothing"], ["serve", "--port", "x"]]
    )
    def test_a_wrong_call_gets_the_usage(self, run: Run, arguments: list[str]) -> None:
        outcome = run(*arguments)
        assert outcome.status == 2
        assert "--help" in outcome.err
        assert "Traceback" not in outcome.err

    def test_the_installed_program_runs(self) -> None:
        assert run_installed("--version") == (0, f"{__version__}\n", "")


@pytest.mark.slow
class TestUpgrade:
    def test_says_whether_there_was_work(self, tmp_path: Path) -> None:
        store = f"sqlite:///{tmp_path / 'new' / 'headwater.db'}"
        assert run_program("db", "upgrade", "--store", store) == (
            0,
            f"upgraded to revision {HEAD}\n",
            "",
        )
        assert run_program("db", "upgrade", "--store", store) == (
            0,
            f"already at revision {HEAD}\n",
            "",
        )

    def test_without_a_store_it_is_in_the_data_folder(self, tmp_path: Path) -> None:
        assert run_program("db", "upgrade", "--data", "here").status == 0
        assert (tmp_path / "here" / "headwater.db").is_file()

    @pytest.mark.integration
    def test_on_postgresql(self, postgresql_url: str) -> None:
        for done in ("upgraded to", "already at"):
            outcome = run_program("db", "upgrade", "--store", postgresql_url)
            assert outcome == (0, f"{done} revision {HEAD}\n", "")

    def test_a_store_of_a_newer_version_is_left_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "headwater.db"
        store = f"sqlite:///{file}"
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
            connection.execute("INSERT INTO alembic_version VALUES ('9999')")
            connection.commit()
        check_one_line(run_program("db", "upgrade", "--store", store), "9999", "newer")


class TestBadStores:
    @pytest.mark.parametrize(
        ("store", "reason"),
        [
            ("nonsense", "not a URL"),
            ("mysql://host/db", "'mysql' is not a store"),
            ("sqlite://", "name a file"),
            ("sqlite:///:memory:", "name a file"),
            ("sqlite:////proc/none/headwater.db", "folder"),
            ("sqlite:///{folder}", "unable to open"),
            ("sqlite:///{file}", "not a database"),
            ("postgresql://postgres@127.0.0.1:1/none", "refused"),
            ("postgresql://host:port/none", ""),
            ("postgresql://127.0.0.1:1/none?nothing=1", ""),
        ],
    )
    @pytest.mark.parametrize("command", [["db", "upgrade"], ["serve", "--port", "0"]])
    def test_is_one_line(
        self, run: Run, tmp_path: Path, command: list[str], store: str, reason: str
    ) -> None:
        file = tmp_path / "text"
        file.write_text("no database, but long enough to be taken for one\n" * 100)
        outcome = run(*command, "--store", store.format(folder=tmp_path, file=file))
        check_one_line(outcome, reason)

    @pytest.mark.parametrize(
        "store",
        [
            "postgresql://ada:hunter2@127.0.0.1:1/none",
            "postgresql://127.0.0.1:1/none?user=ada&password=hunter2",
            "mysql://ada:hunter2@host/db",
            "ada:hunter2@host",
        ],
    )
    def test_a_password_is_not_shown(self, run: Run, store: str) -> None:
        outcome = run("db", "upgrade", "--store", store)
        check_one_line(outcome)
        assert "hunter2" not in outcome.err

    def test_a_file_that_cannot_be_written_is_one_line(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        outcome = run("db", "upgrade", "--data", str(tmp_path / "file" / "below"))
        check_one_line(outcome, "folder")


class TestSettings:
    def test_an_empty_machine_needs_none(self, tmp_path: Path) -> None:
        settings = load_settings()
        assert settings.server == ServerSettings(host="127.0.0.1", port=5000)
        assert settings.intake == IntakeSettings(
            max_body_bytes=20_000_000, max_in_flight_bytes=256_000_000, max_ahead_seconds=86_400
        )
        assert settings.store_url == f"sqlite:///{tmp_path / 'headwater-data' / 'headwater.db'}"

    def test_a_file_then_the_environment_then_flags(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "headwater.toml").write_text(
            'store = "sqlite:///file.db"\n[server]\nhost = "::1"\nport = 1\n'
        )
        assert load_settings().server == ServerSettings(host="::1", port=1)
        monkeypatch.setenv("HEADWATER__SERVER__PORT", "2")
        assert load_settings().server == ServerSettings(host="::1", port=2)
        flags = {"host": None, "port": 3}
        assert load_settings(server=flags).server == ServerSettings(host="::1", port=3)
        assert load_settings(store=None).store_url == "sqlite:///file.db"
        assert load_settings(store="sqlite:///flag.db").store_url == "sqlite:///flag.db"

    def test_the_file_can_be_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "other.toml").write_text("[intake]\nmax_ahead_seconds = 5\n")
        monkeypatch.setenv("HEADWATER_CONFIG", str(tmp_path / "other.toml"))
        assert load_settings().intake.max_ahead_seconds == 5

    def test_settings_do_not_change(self) -> None:
        settings = load_settings()
        with pytest.raises(ValueError, match="frozen"):
            settings.store = "sqlite:///x"
        with pytest.raises(ValueError, match="frozen"):
            settings.server.port = 1

    @pytest.mark.parametrize(
        ("text", "key"),
        [
            ("stroe = 'x'", "stroe"),
            ("[server]\nprot = 1", "server.prot"),
            ("[severs]\nport = 1", "severs"),
            ("[server]\nport = 'x'", "server.port"),
            ("[server]\nport = 70000", "server.port"),
            ("[intake]\nmax_body_bytes = 1", "intake.max_body_bytes"),
            ("server = 1", "server"),
            ("store = ", "headwater.toml"),
            ("= 1", "headwater.toml"),
        ],
    )
    def test_a_key_that_cannot_be_used_is_one_line(
        self, run: Run, tmp_path: Path, text: str, key: str
    ) -> None:
        (tmp_path / "headwater.toml").write_text(text)
        check_one_line(run("db", "upgrade"), f"setting '{key}': ")

    def test_a_file_in_another_encoding_is_one_line(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "headwater.toml").write_bytes("store = 'é'".encode("latin-1"))
        check_one_line(run("db", "upgrade"), "headwater.toml")

    @pytest.mark.parametrize(
        ("name", "value", "key"),
        [
            ("HEADWATER__SERVER__PORT", "x", "server.port"),
            ("HEADWATER__SERVER__PROT", "1", "server.prot"),
            ("HEADWATER__STROE", "x", "stroe"),
            ("HEADWATER__SERVER", "{", "server"),
            ("HEADWATER_CONFIG", "/nowhere/headwater.toml", "HEADWATER_CONFIG"),
        ],
    )
    def test_a_variable_that_cannot_be_used_is_one_line(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, key: str
    ) -> None:
        monkeypatch.setenv(name, value)
        check_one_line(run("db", "upgrade"), "setting '", key)

    def test_a_bad_setting_holds_its_key_and_reason(self, tmp_path: Path) -> None:
        (tmp_path / "headwater.toml").write_text("[server]\nport = -1")
        with pytest.raises(BadConfig) as refused:
            load_settings()
        assert refused.value.key == "server.port"
        assert "greater than or equal to 0" in refused.value.reason


@pytest.mark.integration
class TestServe:
    def test_settings_of_the_environment_reach_the_server(self) -> None:
        with Headwater.start(env={"HEADWATER__INTAKE__MAX_BODY_BYTES": "1000"}) as service:
            answer = httpx2.post(
                f"{service.url}/api/v1/lineage", content=b" " * 1001, trust_env=False
            )
        assert answer.status_code == 413
        assert "1,000 bytes" in answer.text

    def test_it_says_where_it_listens_and_ends_well(self) -> None:
        with Headwater.start() as service:
            # The server ends its work, then lets the signal have its way.
            assert service.stop() in (0, -signal.SIGTERM)
            assert f"http://127.0.0.1:{service.port}" in service.log()
            assert "Traceback" not in service.log()

    def test_a_port_in_use_is_stated_and_ends_with_1(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            ended = run_program("serve", "--port", port, "--data", str(tmp_path))
        assert ended.status == 1
        assert "address already in use" in ended.err
        assert "Traceback" not in ended.err
