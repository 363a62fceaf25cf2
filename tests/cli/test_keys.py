"""`headwater keys`, and a server that is not started where strangers could reach it."""

import json
from pathlib import Path

import httpx2
import pytest

from headwater.config import load_settings
from headwater.errors import BadConfig
from testing.commands import Outcome, Run, check_one_line, run_program
from testing.services.headwater import Headwater
from testing.wait import wait_until

pytestmark = pytest.mark.usefixtures("no_settings")

SECRET = "a-long-secret-of-the-environment"


def listed(run: Run) -> list[dict[str, object]]:
    outcome = run("keys", "list", "--output", "json")
    assert outcome.status == 0
    found: list[dict[str, object]] = json.loads(outcome.out)
    return found


class TestKeys:
    def test_a_key_is_printed_once_and_how_to_use_it(self, run: Run) -> None:
        outcome = run("keys", "add", "ci", "--scope", "read", "--scope", "write")
        assert outcome.status == 0
        (key,) = outcome.out.splitlines()
        assert key.startswith("hw_")
        for text in ("'ci'", "not shown again", "Authorization: Bearer", "X-API-Key"):
            assert text in outcome.err
        assert key not in outcome.err
        for output in ("text", "json"):
            assert key not in run("keys", "list", "--output", output).out

    def test_a_key_as_json(self, run: Run) -> None:
        outcome = run("keys", "add", "ci", "--scope", "admin", "--output", "json")
        found = json.loads(outcome.out)
        assert found.pop("key").startswith("hw_")
        assert found == {"name": "ci", "scopes": ["admin"]}
        assert outcome.err == ""

    def test_list_and_revoke(self, run: Run) -> None:
        assert "no keys" in run("keys", "list").out
        assert listed(run) == []
        for name, scope in (("writer", "write"), ("reader", "read")):
            assert run("keys", "add", name, "--scope", scope).status == 0
        assert run("keys", "revoke", "reader").out == "revoked 'reader'\n"
        reader, writer = listed(run)
        assert (reader["name"], reader["scopes"]) == ("reader", ["read"])
        assert str(reader["revoked"]) >= str(reader["created"])
        assert (writer["name"], writer["scopes"], writer["revoked"]) == ("writer", ["write"], None)
        shown = run("keys", "list").out
        for text in ("name", "scopes", "created", "revoked", "reader", "writer"):
            assert text in shown
        assert "already revoked" in run("keys", "revoke", "reader").out

    def test_what_cannot_be_done_is_one_line(self, run: Run) -> None:
        run("keys", "add", "ci", "--scope", "read")
        check_one_line(run("keys", "add", "ci", "--scope", "read"), "there is a key 'ci'")
        check_one_line(run("keys", "add", "a b", "--scope", "read"), "name: ")
        check_one_line(run("keys", "add", "local", "--scope", "read"), "'local'")
        check_one_line(run("keys", "revoke", "nobody"), "key 'nobody' not found")
        check_one_line(run("keys", "list", "--store", "mysql://host/db"), "'mysql' is not a store")

    @pytest.mark.parametrize("arguments", [[], ["--scope", "reed"]])
    def test_a_scope_must_be_given(self, run: Run, arguments: list[str]) -> None:
        outcome = run("keys", "add", "ci", *arguments)
        assert outcome.status == 2
        assert "--scope" in outcome.err

    def test_help_teaches(self, run: Run) -> None:
        shown = run("keys", "add", "--help").out
        for text in ("--scope", "read", "write", "admin", "once"):
            assert text in shown


class TestSettings:
    def test_keys_are_not_taken_from_a_file(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "headwater.toml").write_text(f'[auth]\nkeys = "a:{SECRET}:read"\n')
        outcome = run("keys", "list")
        check_one_line(outcome, "setting 'auth.keys'", "HEADWATER__AUTH__KEYS")
        assert SECRET not in outcome.err

    def test_the_rate_may_be_in_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "headwater.toml").write_text("[auth]\nmax_requests_per_second = 5\n")
        assert load_settings().auth.max_requests_per_second == 5

    def test_keys_come_from_the_environment_and_are_not_shown(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEADWATER__AUTH__KEYS", f"a:{SECRET}:read")
        assert SECRET in load_settings().auth.keys.get_secret_value()
        assert SECRET not in repr(load_settings())
        for output in ("text", "json"):
            assert SECRET not in run("config", "show", "--output", output).out

    @pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
    def test_keys_that_cannot_be_used_are_one_line(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, host: str
    ) -> None:
        monkeypatch.setenv("HEADWATER__AUTH__KEYS", f"a:{SECRET}")
        outcome = run("serve", "--port", "0", "--host", host)
        check_one_line(outcome, "setting 'auth.keys'", "NAME:SECRET:SCOPE")
        assert SECRET not in outcome.err

    def test_a_rate_below_zero_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "headwater.toml").write_text("[auth]\nmax_requests_per_second = -1\n")
        with pytest.raises(BadConfig, match=r"auth\.max_requests_per_second"):
            load_settings()


def wait_for(status: int, url: str, headers: dict[str, str] | None = None) -> None:
    """Wait until a server knows of a change: it looks every few seconds."""
    wait_until(lambda: httpx2.get(url, headers=headers, trust_env=False).status_code == status)


def check_refused(outcome: Outcome) -> None:
    check_one_line(outcome, "server.host", "no key", "headwater keys add")


class TestServe:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "headwater.example"])
    def test_no_address_that_others_reach_without_a_key(self, run: Run, host: str) -> None:
        check_refused(run("serve", "--host", host, "--port", "0"))

    def test_a_revoked_key_is_no_key(self, run: Run) -> None:
        run("keys", "add", "ci", "--scope", "read")
        run("keys", "revoke", "ci")
        check_refused(run("serve", "--host", "0.0.0.0", "--port", "0"))

    @pytest.mark.integration
    def test_with_a_key_any_address_will_do(self) -> None:
        keys = {"HEADWATER__AUTH__KEYS": f"ci:{SECRET}:read"}
        with Headwater.start(extra=["--host", "0.0.0.0"], env=keys) as service:
            url = f"{service.url}/api/v1/namespaces"
            assert httpx2.get(url, trust_env=False).status_code == 401
            headers = {"X-API-Key": SECRET}
            assert httpx2.get(url, headers=headers, trust_env=False).status_code == 200

    @pytest.mark.integration
    def test_a_key_of_the_store_opens_and_closes_a_running_server(self) -> None:
        with Headwater.start() as service:
            url = f"{service.url}/api/v1/namespaces"
            assert httpx2.get(url, trust_env=False).status_code == 200
            added = run_program("keys", "add", "ci", "--scope", "read", "--store", service.store)
            headers = {"Authorization": f"Bearer {added.out.strip()}"}
            wait_for(401, url)
            assert httpx2.get(url, headers=headers, trust_env=False).status_code == 200
            run_program("keys", "revoke", "ci", "--store", service.store)
            wait_for(401, url, headers)
