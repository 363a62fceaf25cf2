"""What a script as a whole reads and writes."""

from headwater.sql import analyze
from headwater.sql.render.batch import script_answer


def test_a_table_that_is_only_defined_and_read_is_an_input() -> None:
    text = "CREATE TABLE a (x INT) WITH ('connector' = 'kafka');"
    text += "CREATE TABLE b (x INT) WITH ('connector' = 'kafka'); INSERT INTO b SELECT x FROM a"
    answer = script_answer(analyze(text, "flink"))
    assert (answer["inputs"], answer["outputs"]) == (["a"], ["b"])


def test_a_table_that_is_filled_and_read_is_no_input() -> None:
    text = "CREATE TABLE b AS SELECT x FROM a; INSERT INTO c SELECT x FROM b"
    answer = script_answer(analyze(text, "postgres"))
    assert (answer["inputs"], answer["outputs"]) == (["a"], ["b", "c"])
