"""Wrong keys are slowed down by address; right ones are not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.errors import TooManyGuesses
from headwater.server.http.guesses import MAX_GUESSES, SECONDS_A_GUESS, Guesses
from testing.api import error_of, no_lake, serve

SECRETS = ("a-long-secret-of-a-key", "another-secret-of-a-key")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx2.Client]:
    keys = SecretStr(f"a:{SECRETS[0]}:read,b:{SECRETS[1]}:read")
    settings = no_lake(f"sqlite:///{tmp_path / 'headwater.db'}", auth=AuthSettings(keys=keys))
    with serve(settings) as url, httpx2.Client(base_url=url, trust_env=False) as client:
        yield client


def ask(client: httpx2.Client, secret: str) -> httpx2.Response:
    return client.get("/api/v1/namespaces", headers={"X-API-Key": secret})


def test_guesses_end(client: httpx2.Client) -> None:
    assert ask(client, SECRETS[0]).status_code == 200
    answers = [ask(client, f"guess-{number}") for number in range(MAX_GUESSES + 10)]
    codes = [answer.status_code for answer in answers]
    assert codes[:MAX_GUESSES] == [401] * MAX_GUESSES
    assert 429 in codes
    limited = next(answer for answer in answers if answer.status_code == 429)
    error_of(limited, 429)
    assert int(limited.headers["retry-after"]) >= 1
    # A right key from an address that guesses is a guess, unless it was right from there before.
    assert ask(client, SECRETS[0]).status_code == 200
    assert ask(client, SECRETS[1]).status_code in (200, 429)
    # Who shows no key guesses none.
    assert client.get("/api/v1/namespaces").status_code == 401


def test_the_same_wrong_key_is_one_guess(client: httpx2.Client) -> None:
    """A sender that was not told of its new key goes on for days."""
    assert {ask(client, "revoked").status_code for _ in range(3 * MAX_GUESSES)} == {401}


class TestAddresses:
    def scope(self, address: str) -> dict[str, Any]:
        return {"client": (address, 1)}

    def exhaust(self, guesses: Guesses, address: str) -> None:
        for number in range(MAX_GUESSES):
            guesses.check(self.scope(address), b"%d" % number)
            guesses.note_wrong(self.scope(address), b"%d" % number)

    def test_each_has_its_own_guesses(self) -> None:
        guesses = Guesses(lambda: 0.0)
        self.exhaust(guesses, "10.0.0.1")
        with pytest.raises(TooManyGuesses):
            guesses.check(self.scope("10.0.0.1"), b"x")
        guesses.check(self.scope("10.0.0.2"), b"x")

    def test_neighbours_of_ipv6_are_one(self) -> None:
        guesses = Guesses(lambda: 0.0)
        self.exhaust(guesses, "2001:db8::1")
        with pytest.raises(TooManyGuesses):
            guesses.check(self.scope("2001:db8::2"), b"x")
        guesses.check(self.scope("2001:db8:1::1"), b"x")

    def test_guesses_come_back(self) -> None:
        now = 0.0
        guesses = Guesses(lambda: now)
        self.exhaust(guesses, "10.0.0.1")
        with pytest.raises(TooManyGuesses) as error:
            guesses.check(self.scope("10.0.0.1"), b"x")
        assert error.value.retry_after == SECONDS_A_GUESS
        now = SECONDS_A_GUESS
        guesses.check(self.scope("10.0.0.1"), b"x")

    def test_are_forgotten_when_there_are_too_many(self) -> None:
        guesses = Guesses(lambda: 0.0)
        self.exhaust(guesses, "10.0.0.1")
        for number in range(20_000):
            guesses.note_wrong(self.scope(f"10.1.{number // 250}.{number % 250}"), b"x")
            guesses.note_right(self.scope(f"10.1.{number // 250}.{number % 250}"), b"y")
        guesses.check(self.scope("10.0.0.1"), b"x")
