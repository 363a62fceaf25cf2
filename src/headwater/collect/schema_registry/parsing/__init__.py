"""Schemas of Avro, Protobuf and JSON as nested fields; each format by a library of its own."""

from collections.abc import Callable, Mapping
from importlib import import_module

from headwater.collect.schema_registry.fetch import Reference, RegisteredSchema
from headwater.collect.schema_registry.parsing.fields import ParsedSchema, SchemaProblem

References = Mapping[Reference, RegisteredSchema]

_FORMATS = {"AVRO": "avro", "JSON": "json_schema", "PROTOBUF": "protobuf"}


def parse_schema(schema: RegisteredSchema, references: References, part: str) -> ParsedSchema:
    """The fields of a schema; one that is no record is one field with the name of its part.

    Whatever is not understood is among the problems: this raises nothing.
    """
    name = _FORMATS.get(schema.type)
    if name is None:
        return ParsedSchema(problems=(f"schemas of the type {schema.type[:32]} are not read",))
    missing = [each for each in schema.references if each not in references]
    problems = tuple(f"the registry lacks {e.subject}, version {e.version}" for e in missing)
    parse: Callable[[RegisteredSchema, References, str], ParsedSchema]
    parse = import_module(f"{__name__}.{name}").parse
    try:
        found = parse(schema, references, part)
    except SchemaProblem as problem:
        return ParsedSchema(problems=(*problems, str(problem)))
    except RecursionError:
        return ParsedSchema(problems=(*problems, "it is nested too deeply to be read"))
    return found._replace(problems=(*problems, *found.problems))


def in_order(schema: RegisteredSchema, references: References) -> list[RegisteredSchema]:
    """What a schema refers to, each after what it refers to itself; raises SchemaProblem for
    references in a circle."""
    found: dict[tuple[str, int], RegisteredSchema] = {}

    def add(one: RegisteredSchema, above: tuple[tuple[str, int], ...]) -> None:
        key = (one.subject, one.version)
        if key in above:
            raise SchemaProblem(f"the references of {one.subject} are a circle")
        for reference in one.references:
            if reference in references and (reference.subject, reference.version) not in found:
                add(references[reference], (*above, key))
        found[key] = one

    add(schema, ())
    found.pop((schema.subject, schema.version))
    return list(found.values())
