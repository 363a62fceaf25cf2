"""Reads the options of a CREATE statement."""

from sqlglot import exp


def create_options(create: exp.Create) -> dict[str, str]:
    """The `WITH (...)` options of a statement, as text.

    A key in quotes is kept as it is (Flink's); a bare one is in upper case (ksqlDB folds them).
    """
    properties = create.args.get("properties")
    found = properties.expressions if properties else []
    return {each.name: each.text("value") for each in found if type(each) is exp.Property}
