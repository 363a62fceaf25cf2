"""`decode` and `project` under atheris, which looks for new ways through the code:

python -m tests.fuzz.with_atheris -runs=200000 -seed=1
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# Not in the locks: it has wheels for some versions of Python only.
import atheris

with atheris.instrument_imports(include=["headwater"]):
    from tests.fuzz.taking_in import check_taken_in
    from tests.pipeline.corpus import make_corpus


def main() -> None:
    with TemporaryDirectory() as folder:
        for number, event in enumerate(make_corpus().all):
            (Path(folder) / str(number)).write_bytes(event[:100_000])
        atheris.Setup([*sys.argv, folder], check_taken_in)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
