"""Real events, spoilt: in their bytes, types, numbers, depth, encoding, keys, compression, framing.

Everything comes from one `Random`: the same seed makes the same requests.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from urllib.parse import quote

import zstandard

Mutator = Callable[[Random, bytes], bytes]

_NUMBERS = (
    "0",
    "-0",
    "-1",
    "1e400",
    "-1e400",
    "1e-400",
    "9" * 400,
    "1" * 5_000,
    "0.1",
    "1E+2",
    "NaN",
)
_VALUES: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "\0", "\ud800", [], {}, [[]], "x" * 3_000)
_TEXTS = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1",
        "100",
        "1000",
        "10000000000000000000000",
        "true",
        "null",
        "%",
        "%00",
    ),
    *("a" * 3_000, "é", "日本", "\U0001f600", "../..", "'; DROP TABLE event; --", "<script>", "{}"),
    *("2024-01-01T00:00:00Z", "2024-13-01", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "30d"),
    *("dataset:db:t", "job:ns:j", "dataset::", "job:", "datasetField:db:t:a", "desc", "UPDATE_AT"),
)


_HEAD = {"Host": "127.0.0.1", "Connection": "close"}


def flip_bytes(random: Random, body: bytes) -> bytes:
    spoilt = bytearray(body)
    for _ in range(random.randint(1, 8)):
        place = random.randrange(len(spoilt) or 1)
        match random.randrange(3):
            case 0 if spoilt:
                spoilt[place] = random.randrange(256)
            case 1 if spoilt:
                del spoilt[place : place + random.randint(1, 40)]
            case _:
                spoilt[place:place] = random.randbytes(random.randint(1, 5))
    return bytes(spoilt)


def cut(random: Random, body: bytes) -> bytes:
    return body[: random.randrange(len(body) + 1)]


def change_types(random: Random, body: bytes) -> bytes:
    """Values of other types, somewhere in the tree."""
    tree = _loaded(body)
    for _ in range(random.randint(1, 4)):
        tree = _replaced(random, tree, lambda: random.choice(_VALUES))
    return json.dumps(tree).encode()


def change_numbers(random: Random, body: bytes) -> bytes:
    """Numbers that most readers cannot take."""
    mark = "headwater-number"
    text = json.dumps(_replaced(random, _loaded(body), lambda: mark))
    return text.replace(json.dumps(mark), random.choice(_NUMBERS)).encode()


def nest(random: Random, body: bytes) -> bytes:
    depth = random.choice((10, 100, 499, 500, 501, 5_000, 60_000))
    opened, closed = random.choice((("[", "]"), ('{"a":', "}")))
    deep = opened * depth + "1" + closed * depth
    mark = "headwater-deep"
    text = json.dumps(_replaced(random, _loaded(body), lambda: mark))
    return text.replace(json.dumps(mark), deep).encode()


def repeat_keys(random: Random, body: bytes) -> bytes:
    """The same key twice, with another value."""
    text = body.decode(errors="replace").strip()
    if not text.startswith("{"):
        return body
    key = random.choice(("eventTime", "run", "job", "inputs", "eventType", "facets", "\\u006aob"))
    value = json.dumps(random.choice(_VALUES))
    return f'{{"{key}":{value},{text[1:]}'.encode(errors="surrogatepass")


def encode_otherwise(random: Random, body: bytes) -> bytes:
    text = body.decode(errors="replace")
    name = random.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"))
    return text.encode(name, errors="replace")


def join(random: Random, body: bytes) -> bytes:
    """An array, or what might be taken for one."""
    count = random.choice((0, 1, 2, 50))
    separator = random.choice((b",", b"\n", b",,", b" "))
    return b"[" + separator.join([body] * count) + random.choice((b"]", b",]", b""))


def lengthen(random: Random, body: bytes) -> bytes:
    """Long names, and many datasets."""
    tree = _loaded(body)
    if isinstance(tree, dict):
        many = random.choice((1, 100, 2_000))
        name = "n" * random.choice((1, 1_000, 5_000))
        tree["inputs"] = [{"namespace": "fuzz", "name": f"{name}{n}"} for n in range(many)]
    return json.dumps(tree).encode()


MUTATORS: tuple[Mutator, ...] = (
    flip_bytes,
    cut,
    change_types,
    change_numbers,
    nest,
    repeat_keys,
    encode_otherwise,
    join,
    lengthen,
)


def mutate(random: Random, body: bytes) -> bytes:
    """As it is, or spoilt in one way or two."""
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        body = random.choice(MUTATORS)(random, body)
    return body


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(body, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return {}


def _replaced(random: Random, tree: Any, make: Callable[[], Any]) -> Any:
    """A copy with one value, at a place by chance, replaced."""
    if isinstance(tree, dict) and tree and random.random() < 0.85:
        key = random.choice([*tree])
        return tree | {key: _replaced(random, tree[key], make)}
    if isinstance(tree, list) and tree and random.random() < 0.85:
        place = random.randrange(len(tree))
        return [*tree[:place], _replaced(random, tree[place], make), *tree[place + 1 :]]
    return make()


def post(random: Random, path: str, body: bytes) -> bytes:
    """A whole request: head, and the body packed and framed in some way."""
    body, encoding = _packed(random, body)
    head = {
        "Host": "127.0.0.1",
        "Content-Type": "application/json",
        "Connection": "close",
    } | encoding
    match random.randrange(8):
        case 0:
            head["Transfer-Encoding"] = "chunked"
            body = _chunked(random, body)
        case 1:
            length = len(body) + random.choice((-1, 1, 10**12, -(10**6)))
            head["Content-Length"] = random.choice(
                (str(length), "x", "", "+5", str(len(body)) + ", 0")
            )
        case _:
            head["Content-Length"] = str(len(body))
    return _framed(random, "POST", path, head) + body


def _packed(random: Random, body: bytes) -> tuple[bytes, dict[str, str]]:
    match random.randrange(12):
        case 0:
            packed, name = gzip.compress(body, 1, mtime=0), "gzip"
        case 1:
            packed, name = zlib.compress(body, 1), "deflate"
        case 2:
            packed, name = zstandard.compress(body, 1), "zstd"
        case 3:
            packed, name = (
                gzip.compress(body, 1, mtime=0) + gzip.compress(bytes(1_000_000), 1, mtime=0),
                "gzip",
            )
        case 4:
            packed, name = body, random.choice(("gzip", "br", "identity", "gzip, gzip", "\x01"))
        case _:
            return body, {}
    return (cut(random, packed) if random.random() < 0.3 else packed), {"Content-Encoding": name}


def _chunked(random: Random, body: bytes) -> bytes:
    framed = bytearray()
    place = 0
    # Of a long body the beginning: what is left out is not missed, nor is it ever sent.
    while place < len(body) and len(framed) <= 200_000:
        size = random.choice((1, 7, 1_000, 65_536))
        part = body[place : place + size]
        place += size
        length = f"{len(part):x}".encode()
        if random.random() < 0.02:
            length = random.choice((b"zz", b"-1", b"ffffffffffffffffff", b""))
        framed += length + b"\r\n" + part + b"\r\n"
    return bytes(framed) + random.choice((b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b""))


def get(random: Random, path: str, parameters: Sequence[str], known: Sequence[str]) -> bytes:
    """A read with parameters by chance, those that the path has and others."""

    def value() -> str:
        return quote(random.choice(random.choice((_TEXTS, known))), safe=random.choice(("", "/:%")))

    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + (value() or "x") + rest.partition("}")[2]
    names = random.choices([*parameters, "timeout", "limit", "offset", "x"], k=random.randrange(5))
    query = "&".join(f"{quote(name)}={value()}" for name in names)
    return _framed(random, "GET", f"{path}?{query}" if query else path, _HEAD)


def _framed(random: Random, method: str, path: str, head: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    data = "\r\n".join([*lines, "", ""]).encode(errors="replace")
    if random.random() < 0.05:
        data = flip_bytes(random, data)
    if random.random() < 0.01:
        data = data.replace(b"\r\n", b"\r\nX-Long: " + b"a" * 70_000 + b"\r\n", 1)
    return data
