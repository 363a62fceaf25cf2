"""Requests by chance to a server, for as long as is wanted, with how far they are:

python -m tests.fuzz --requests 200000 --seed 19 --database postgresql

A run that was ended goes on with the `--first` that it said last.
"""

import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import mkdtemp

from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from tests.fuzz.run import NO_LAKE, Fuzz


def main() -> None:
    logging.basicConfig(level=logging.ERROR)
    options = read_options()
    folder = Path(mkdtemp(prefix="headwater-fuzz-"))
    fuzz = Fuzz(options.seed, options.requests - options.first, options.first)
    print(f"fuzz: seed {fuzz.seed}; requests that fail are kept in {folder}", flush=True)
    with (
        store_of(options.database) as store,
        Headwater.start(store=store, env=NO_LAKE) as server,
    ):
        answers = fuzz.run(server, folder, lambda text: print(f"fuzz: {text}", flush=True))
        fuzz.check(server, answers)
    print("fuzz: passed")


def read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--requests", type=int, default=200_000, help="up to this one")
    parser.add_argument("--seed", type=int, default=Random().randrange(2**32))
    parser.add_argument("--first", type=int, default=0, help="where an earlier run ended")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    return parser.parse_args()


@contextmanager
def store_of(database: str) -> Iterator[str | None]:
    """The URL of an empty store; None is a file that the server makes."""
    if database == "sqlite":
        yield None
        return
    with PostgreSQL.start() as service:
        yield service.url("fuzz")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
