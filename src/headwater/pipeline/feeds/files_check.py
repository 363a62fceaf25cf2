"""Testing a place of files: whether it can be listed, and what its first event is."""

from collections.abc import Iterator

from headwater.listing import Listing, check_place
from headwater.pipeline.check_steps import OpenSession, Step, describe_event, run_steps
from headwater.pipeline.feeds.byte_ranges import WHOLE, read_byte_range
from headwater.pipeline.feeds.files import FilesPlace


def check_files(source: FilesPlace, name: str, open_session: OpenSession) -> Iterator[Step]:
    yield from run_steps(
        ("place", lambda: _look_at(source.place)),
        ("events", lambda: _read_first(source.place)),
    )


def _look_at(place: str) -> str:
    check_place(place)
    files = Listing(place).list()
    return f"{len(files):,} files, {sum(file.size for file in files):,} bytes"


def _read_first(place: str) -> str:
    for file in Listing(place).list():
        for record in read_byte_range(file.path, 0, WHOLE):
            if record.error is not None:
                return f"{file.path}{record.place} would be rejected: {record.error}"
            return f"{file.path}{record.place} {describe_event(record.data)}"
    return "there are none yet"
