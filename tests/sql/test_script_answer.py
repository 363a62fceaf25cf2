"""What a script as a whole reads and writes."""

from headwater.sql import analyze
from headwater.sql.render.batch import answer_request, script_answer


def test_a_table_that_is_only_defined_and_read_is_an_input() -> None:
    text = "CREATE TABLE a (x INT) WITH ('connector' = 'kafka');"
    text += "CREATE TABLE b (x INT) WITH ('connector' = 'kafka'); INSERT INTO b SELECT x FROM a"
    answer = script_answer(analyze(text, "flink"))
    assert (answer["inputs"], answer["outputs"]) == (["a"], ["b"])


def test_a_table_that_is_filled_and_read_is_no_input() -> None:
    text = "CREATE TABLE b AS SELECT x FROM a; INSERT INTO c SELECT x FROM b"
    answer = script_answer(analyze(text, "postgres"))
    assert (answer["inputs"], answer["outputs"]) == (["a"], ["b", "c"])


def test_the_same_of_several_statements_is_answered_once() -> None:
    answer = script_answer(analyze("INSERT INTO b SELECT x FROM a WHERE y > 1;" * 2, "postgres"))
    assert answer["columns"] == [{"out": ["b", "x"], "in": [["a", "x"]]}]
    assert [each["subtype"] for each in answer["transformations"]] == ["IDENTITY", "FILTER"]


def test_names_of_a_request_are_completed_by_its_database_and_schema() -> None:
    line = b'{"id": 1, "sql": "INSERT INTO b SELECT x FROM s.a", "dialect": "snowflake", "%s}'
    given = answer_request(line % b'default_db": "d", "default_schema": "p"')
    assert (given["inputs"], given["outputs"]) == (["d.s.a"], ["d.p.b"])
    alone = answer_request(line % b'default_db": null')
    assert (alone["inputs"], alone["outputs"]) == (["s.a"], ["b"])
