"""The programs of the oracle in a session of their own, with whatever PySpark is installed.

python -m tests.spark.oracle.plain FOLDER

Prints what differs from what the programs are expected to give, as JSON. Programs of tables need
jars that fit a version of Spark, and are left out.
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from headwater.emit.sender import Sender
from headwater.spark.listener import LineageListener
from tests.spark.observed import ObservedEvents, counted, fields
from tests.spark.oracle.plain_programs import PLAIN
from tests.spark.oracle.program import Program
from tests.spark.oracle.programs import PROGRAMS
from tests.spark.oracle.runs import Runner
from tests.spark.oracle.test_oracle import check_program, listed

# What Python functions need of pandas and pyarrow differs by version, and so does whether they run.
_WITH_PANDAS = ("mapIn", "applyIn", "cogroup", "pandas functions", "transformWithState")


def run(folder: Path) -> dict[str, Any]:
    from pyspark import __version__
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "tables"))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    observed = ObservedEvents()
    listener = LineageListener(spark, Sender(observed.post), "plain", batch=True)
    runner = Runner(spark, observed, folder)
    chosen = [
        program
        for program in PROGRAMS
        if program.write is None and not program.name.startswith(_WITH_PANDAS)
    ]
    found = {program.name: _difference(runner, program) for program in chosen}
    release = tuple(map(int, __version__.split(".")[:2]))
    for program in PLAIN:
        if release >= program.oldest:
            found[program.name] = _difference(runner, program) or _violation(runner, program)
    found["a table of a database"] = _write_to_database(runner, observed, folder)
    listener.close()
    spark.stop()
    wrong = {name: each for name, each in found.items() if each}
    return {"version": __version__, "programs": len(found), "wrong": wrong}


def _difference(runner: Runner, program: Program) -> list[str]:
    """What of a program is not as expected."""
    try:
        written, gaps = runner.lineage(program)
    except Exception as error:
        return [f"{type(error).__name__}: {str(error)[:500]}"]
    facet = written["facets"]["columnLineage"]
    given = {name: listed(each["inputFields"]) for name, each in facet["fields"].items()}
    pairs = [
        *(
            (name, given.get(name), program.columns.get(name))
            for name in {**given, **program.columns}
        ),
        ("rows", listed(facet.get("dataset", [])), program.rows),
        ("gaps", sorted({gap["name"] for gap in gaps}), sorted(program.gaps)),
    ]
    return [f"{name}: {has!r}, not {had!r}" for name, has, had in pairs if has != had]


def _violation(runner: Runner, program: Program) -> list[str]:
    """What data shows, of programs that no other test runs."""
    try:
        check_program(runner, program)
    except Exception as error:
        return [f"{type(error).__name__}: {str(error)[:500]}"]
    return []


def _write_to_database(runner: Runner, observed: ObservedEvents, folder: Path) -> list[str]:
    """One write by a provider: Derby comes with Spark."""
    frame = runner.spark.range(3).selectExpr("CAST(id AS int) AS id")
    frame.write.jdbc(f"jdbc:derby:{folder}/shop;create=true", "sales")
    written = observed.find_write(f"derby:{folder}/shop/sales")["outputs"][0]
    found = (fields(written), counted(written).get("rowCount"))
    return [] if found == ({"id": []}, 3) else [str(found)]


if __name__ == "__main__":
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    print(json.dumps(run(Path(sys.argv[1]))))
