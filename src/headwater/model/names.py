"""What can stand as a name: of a job, a dataset, a run, a facet."""

from headwater.errors import InvalidEvent

MAX_NAME_BYTES = 2_000
# The run facet of events whose datasets are declared by the job's author, and not observed.
DECLARED_RUN = "headwater_declared"


def is_name(text: str) -> bool:
    """Whether a text found inside a facet can stand as a name."""
    try:
        check_name(text, "")
    except InvalidEvent:
        return False
    return True


def check_name(name: str, path: str, field: str = "") -> None:
    """Refuse what no store can hold as a name."""
    if 0 < len(name) <= MAX_NAME_BYTES // 4 and name.isascii() and "\0" not in name:
        return
    where = f"{path}.{field}" if field else path
    if not name:
        raise InvalidEvent(where, "empty")
    if "\0" in name:
        raise InvalidEvent(where, "contains a NUL character")
    if not _is_encodable(name):
        raise InvalidEvent(where, "contains half of a surrogate pair")
    if (size := len(name.encode())) > MAX_NAME_BYTES:
        raise InvalidEvent(where, f"{size:,} bytes long; the limit is {MAX_NAME_BYTES:,}")


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
