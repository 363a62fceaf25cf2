"""`make bench-sql`: how right and how quick SQL lineage is."""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from headwater.sql import analyze
from testing.sql_cases import CASES, Score, compared_columns, compared_tables, read_cases, score
from testing.sql_golden import found_lineage, read_catalog, read_golden


def main(path: Path) -> int:
    """Print a line for each figure, with what it must reach; returns how many do not."""
    failures = 0
    for name, value, limit, is_reached in [*_accuracy(path), *_golden(), *_speed()]:
        failures += not is_reached
        print(f"{'ok  ' if is_reached else 'MISS'} {name:<48} {value:>10}  ({limit})")
    return failures


Row = tuple[str, str, str, bool]


def _accuracy(path: Path) -> Iterator[Row]:
    if not path.is_file():
        print(f"There are no cases at {path}: accuracy on them is not measured.")
        return
    cases = read_cases(path)
    tables = score((e, f) for _, e, f in compared_tables(cases))
    columns = score((e, f) for _, e, f in compared_columns(cases))
    yield from _of_score("tables, unambiguous", tables, 0.99, None)
    yield from _of_score("columns, unambiguous", columns, 0.98, 0.97)


def _of_score(name: str, found: Score, f1: float, exact: float | None) -> Iterator[Row]:
    title = f"{name} ({found.cases} cases)"
    yield f"{title}: F1", f"{found.f1:.3f}", f">= {f1}", found.f1 >= f1
    if exact is not None:
        yield f"{title}: exact", f"{found.exact:.3f}", f">= {exact}", found.exact >= exact


def _golden() -> Iterator[Row]:
    cases = read_golden()
    right = sum(found_lineage(case) == case.expected for case in cases)
    share = right / len(cases)
    name = f"transformation types, reviewed ({len(cases)} cases)"
    yield name, f"{share:.3f}", ">= 0.97", share >= 0.97


def _speed() -> Iterator[Row]:
    times = []
    for case in read_golden():
        catalog = read_catalog(case.catalog)
        started = time.process_time()
        statements = analyze(case.sql, case.dialect or "ansi", catalog)
        times.append((time.process_time() - started) / max(len(statements), 1) * 1_000)
    median = statistics.median(times)
    yield "median statement, CPU-ms", f"{median:.2f}", "< 5", median < 5
    # The least of some, in turns: what else runs on the machine, and the collector, only add.
    rounds = [{lines: _seconds(lines) for lines in (1_000, 4_000)} for _ in range(5)]
    seconds = {lines: min(each[lines] for each in rounds) for lines in (1_000, 4_000)}
    yield "script of 1,000 lines, CPU-s", f"{seconds[1_000]:.2f}", "< 2", seconds[1_000] < 2
    growth = seconds[4_000] / seconds[1_000]
    yield "4,000 lines over 1,000 lines", f"{growth:.1f}x", "<= 5: linear", growth <= 5


def _seconds(lines: int) -> float:
    """CPU time of a script whose statements have four lines each."""
    text = "\n".join(
        f"INSERT INTO s{n}\nSELECT a.x AS x, sum(b.y) AS y FROM a{n} a\n"
        f"JOIN b ON a.i = b.i AND b.k > {n}\nWHERE a.z > {n} GROUP BY a.x;"
        for n in range(lines // 4)
    )
    started = time.process_time()
    analyze(text, "spark")
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else CASES))
