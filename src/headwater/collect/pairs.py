"""Settings that are pairs in one text: `A=B C=D`."""


def read_pairs(text: str) -> dict[str, str]:
    """What `A=B C=D` says; raises ValueError where it is something else."""
    pairs = {}
    for entry in text.split():
        key, equals, value = entry.rpartition("=")
        if not (key and equals and value):
            raise ValueError(f"'{entry[:64]}' is not NAME=VALUE")
        pairs[key] = value
    return pairs
