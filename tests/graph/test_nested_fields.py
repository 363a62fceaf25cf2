"""Walks through nested fields: a column finds the edges of its fields, and a field those of the
column it lies inside; fields beside each other are not connected."""

from headwater.graph.answer import Side, Towards
from headwater.graph.column_graph import ColumnKey
from headwater.model.values.ids import dataset_id
from testing.events.full import Json
from testing.events.history import TABLES, dataset, run
from tests.graph.lineage import Lineage, Tell


def job(name: str, number: int, reads: str, writes: str, columns: Json) -> Json:
    return run(name, "COMPLETE", 0, number, [reads], [dataset(writes, columns=columns)])


def reached(lineage: Lineage, name: str, column: str, towards: Towards) -> set[str]:
    """The columns that a walk finds, by name, without where it began."""
    graph = lineage.column_graph(name, column, towards)
    names = lineage.reader.dataset_names({found.dataset for found in graph.columns})
    found = {f"{names[each.dataset].name}:{each.name}" for each in graph.columns}
    return found - {f"{name}:{column}"}


def up(lineage: Lineage, name: str, column: str) -> set[str]:
    return reached(lineage, name, column, Towards.UPSTREAM)


def down(lineage: Lineage, name: str, column: str) -> set[str]:
    return reached(lineage, name, column, Towards.DOWNSTREAM)


class TestOneStep:
    def test_a_field_comes_from_what_the_column_around_it_comes_from(self, tell: Tell) -> None:
        lineage = tell(job("write", 1, "orders", "topic", {"payload": ["orders.amount"]}))
        edges = lineage.columns_upstream("topic", "payload.amount")
        assert edges == {"orders.amount -> topic.payload.amount by write (via payload)"}

    def test_a_column_comes_from_what_its_fields_come_from(self, tell: Tell) -> None:
        lineage = tell(
            job("write", 1, "orders", "topic", {"in.a": ["orders.a"], "in.b": ["orders.b"]})
        )
        assert lineage.columns_upstream("topic", "in") == {
            "orders.a -> topic.in by write (via in.a)",
            "orders.b -> topic.in by write (via in.b)",
        }

    def test_an_exact_edge_has_no_mark_and_no_others_beside_it(self, tell: Tell) -> None:
        """The column's own edges are those of all its fields: a field has its own."""
        stated = {"in": ["orders.a", "orders.b"], "in.a": ["orders.a"]}
        lineage = tell(job("write", 1, "orders", "topic", stated))
        assert lineage.columns_upstream("topic", "in.a") == {"orders.a -> topic.in.a by write"}

    def test_a_field_goes_where_the_column_around_it_goes(self, tell: Tell) -> None:
        lineage = tell(job("read", 1, "topic", "table", {"total": ["topic:payload"]}))
        edges = lineage.columns_downstream("topic", "payload.amount")
        assert edges == {"topic.payload.amount -> table.total by read (via payload)"}

    def test_a_column_goes_where_its_fields_go(self, tell: Tell) -> None:
        lineage = tell(job("read", 1, "topic", "table", {"total": ["topic:items[].price"]}))
        for column in ("items", "items[]"):
            edges = lineage.columns_downstream("topic", column)
            assert edges == {f"topic.{column} -> table.total by read (via items[].price)"}

    def test_a_copied_column_has_the_same_fields(self, tell: Tell) -> None:
        lineage = tell(job("copy", 1, "a", "b", {"in": ["=a:in"]}))
        assert up(lineage, "b", "in.x[].y") == {"a:in.x[].y"}
        assert down(lineage, "a", "in.x{}") == {"b:in.x{}"}

    def test_a_field_that_is_stated_by_itself_is_no_copy(self, tell: Tell) -> None:
        lineage = tell(job("copy", 1, "a", "b", {"in": ["=a:in"], "in.x": ["=a:z"]}))
        assert up(lineage, "b", "in.x") == {"a:z"}
        assert down(lineage, "a", "in.x") == set()
        assert down(lineage, "a", "in.y") == {"b:in.y"}

    def test_names_that_only_begin_alike_are_not_inside(self, tell: Tell) -> None:
        lineage = tell(
            job("write", 1, "orders", "topic", {"in": ["orders.a"], "inner": ["orders.b"]})
        )
        assert up(lineage, "topic", "in") == {"orders:a"}
        assert up(lineage, "topic", "inner.x") == {"orders:b"}


class TestChains:
    def test_a_message_is_followed_through_the_topic(self, tell: Tell) -> None:
        """The writer states the message, the reader a field of it."""
        lineage = tell(
            job("write", 1, "orders", "topic", {"value": ["orders.id", "orders.amount"]}),
            job("read", 2, "topic", "table", {"amount": ["topic:value.amount"]}),
        )
        assert up(lineage, "table", "amount") == {
            "topic:value.amount",
            "orders:id",
            "orders:amount",
        }
        assert down(lineage, "orders", "amount") == {"topic:value", "table:amount"}

    def test_the_same_field_is_followed_where_both_state_fields(self, tell: Tell) -> None:
        lineage = tell(
            job("write", 1, "orders", "topic", {"value.a": ["orders.a"], "value.b": ["orders.b"]}),
            job("read", 2, "topic", "table", {"payload": ["topic:value"]}),
        )
        assert up(lineage, "table", "payload.a") == {"topic:value", "orders:a"}
        assert up(lineage, "table", "payload") == {"topic:value", "orders:a", "orders:b"}
        assert down(lineage, "orders", "a") == {"topic:value.a", "table:payload"}

    def test_fields_beside_each_other_are_not_connected(self, tell: Tell) -> None:
        for way in ("=", ""):
            lineage = tell(
                job("first", 1, "a", "b", {"in": [f"{way}a:in"]}),
                job("second", 2, "b", "c", {"x": ["b:in.x"], "y": ["b:in.y"]}),
            )
            assert "c:y" not in down(lineage, "a", "in.x")
            assert "c:x" in down(lineage, "a", "in.x")
            assert up(lineage, "c", "y") & {"a:in.x", "a:x"} == set()

    def test_what_is_left_alone_beside_a_field_is_counted(self, tell: Tell) -> None:
        lineage = tell(
            job("first", 1, "a", "b", {"in": ["a:in"]}),
            job("second", 2, "b", "c", {"x": ["b:in.x"], "y": ["b:in.y"]}),
        )
        graph = lineage.column_graph("a", "in.x", Towards.DOWNSTREAM)
        assert graph.more == {(ColumnKey(dataset_id(TABLES, "b"), "in"), Side.DOWNSTREAM): 1}
        assert not lineage.column_graph("a", "in", Towards.DOWNSTREAM).more

    def test_a_filter_on_a_column_is_of_all_its_fields(self, tell: Tell) -> None:
        lineage = tell(
            job("first", 1, "a", "b", {"in": ["?a:in"]}),
            job("second", 2, "b", "c", {"y": ["b:in.y"]}),
        )
        assert "c:y" in down(lineage, "a", "in.x")

    def test_a_job_that_writes_a_field_into_itself_ends(self, tell: Tell) -> None:
        for way in ("=", ""):
            lineage = tell(job("unpack", 1, "a", "a", {"in": [f"{way}a:in.in"]}))
            assert "a:in.in" in up(lineage, "a", "in")
            assert len(up(lineage, "a", "in.x")) < 40
            assert len(down(lineage, "a", "in.in.x")) < 40
