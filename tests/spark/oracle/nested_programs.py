"""Programs over structures, arrays, maps and messages."""

from tests.spark.oracle.program import Program

CARTS = ("carts",)
_MESSAGE = "a int, b struct<c: string>, items array<struct<sku: string, n: int>>"


NESTED = (
    Program(
        "nested columns as they are",
        {
            "cart": "cart IDENTITY",
            "owner.name": "owner.name IDENTITY",
            "owner.address.city": "owner.address.city IDENTITY",
            "owner.address.zip": "owner.address.zip IDENTITY",
            "lines[].sku": "lines[].sku IDENTITY",
            "lines[].count": "lines[].count IDENTITY",
            "tags": "tags IDENTITY",
            "extra.key": "extra.key IDENTITY",
            "extra.value": "extra.value IDENTITY",
        },
        tables=CARTS,
        sql="SELECT cart, owner, lines, tags, extra FROM carts",
    ),
    Program(
        "fields of structures",
        {
            "who": "owner.name IDENTITY",
            "city": "owner.address.city IDENTITY",
            "name": "owner.name IDENTITY",
            "address.city": "owner.address.city IDENTITY",
            "address.zip": "owner.address.zip IDENTITY",
        },
        tables=CARTS,
        sql="SELECT owner.name AS who, owner.address.city, owner.* FROM carts",
    ),
    Program(
        "structures put together",
        {
            "s.city": "owner.address.city TRANSFORMATION",
            "s.inner.n": "cart IDENTITY",
            "t.n": "cart IDENTITY",
            "t.name": "owner.name IDENTITY",
        },
        tables=CARTS,
        sql="SELECT struct(upper(owner.address.city) AS city, struct(cart AS n) AS inner) AS s, "
        "struct(s.inner.n, owner.name) AS t FROM "
        "(SELECT *, struct(struct(cart AS n) AS inner) AS s FROM carts)",
    ),
    Program(
        "arrays and maps put together",
        {
            "list[].n": "cart IDENTITY",
            "list[].who": "owner.name IDENTITY",
            "m.key": "owner.name IDENTITY",
            "m.value.n": "cart IDENTITY",
            "tagged.key": "tags TRANSFORMATION",
            "tagged.value": "tags TRANSFORMATION",
            "names": "owner.address.city TRANSFORMATION, owner.name TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT array(struct(cart AS n, owner.name AS who)) AS list, "
        "map(owner.name, struct(cart AS n)) AS m, map_from_arrays(tags, tags) AS tagged, "
        "array(owner.name, owner.address.city) AS names FROM carts",
    ),
    Program(
        "elements and values",
        {
            "sku": "lines[].sku IDENTITY",
            "tag": "tags TRANSFORMATION",
            "v": "extra.key CONDITIONAL, extra.value IDENTITY",
            "counts": "lines[].count TRANSFORMATION",
            "n": "lines[].count IDENTITY",
            "keys": "extra.key TRANSFORMATION",
            "many": "lines TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT lines[0].sku AS sku, tags[0] AS tag, extra['k'] AS v, lines.count AS counts, "
        "element_at(lines, 1).count AS n, map_keys(extra) AS keys, size(lines) AS many FROM carts",
    ),
    Program(
        "explode of structures",
        {"cart": "cart IDENTITY", "sku": "lines[].sku IDENTITY", "n": "lines[].count IDENTITY"},
        tables=CARTS,
        sql="SELECT cart, line.sku, line.count AS n FROM carts LATERAL VIEW explode(lines) AS line",
    ),
    Program(
        "explode of maps, with places, and inline",
        {
            "cart": "cart IDENTITY",
            "k": "extra.key IDENTITY",
            "v": "extra.value IDENTITY",
            "place": "tags TRANSFORMATION",
            "tag": "tags TRANSFORMATION",
            "sku": "lines[].sku IDENTITY",
        },
        tables=CARTS,
        sql="SELECT cart, k, v, place, tag, sku FROM carts LATERAL VIEW explode(extra) AS k, v "
        "LATERAL VIEW posexplode(tags) AS place, tag LATERAL VIEW inline(lines) AS sku, n",
    ),
    Program(
        "lambdas over arrays",
        {
            "made[].s": "lines[].sku IDENTITY",
            "made[].n": "cart TRANSFORMATION, lines[].count TRANSFORMATION",
            "many[].sku": "lines[].count CONDITIONAL, lines[].sku IDENTITY",
            "many[].count": "lines[].count CONDITIONAL, lines[].count IDENTITY",
            "own": "lines[].sku TRANSFORMATION, owner.name TRANSFORMATION",
            "total": "lines[].count TRANSFORMATION",
            "ordered[].sku": "lines[].count CONDITIONAL, lines[].sku IDENTITY",
            "ordered[].count": "lines[].count CONDITIONAL, lines[].count IDENTITY",
        },
        tables=CARTS,
        sql="SELECT transform(lines, x -> struct(x.sku AS s, x.count * cart AS n)) AS made, "
        "filter(lines, x -> x.count > 2) AS many, exists(lines, x -> x.sku = owner.name) AS own, "
        "aggregate(lines, 0, (sum, x) -> sum + x.count) AS total, "
        "array_sort(lines, (l, r) -> l.count - r.count) AS ordered FROM carts",
    ),
    Program(
        "lambdas over maps",
        {
            "changed.key": "extra.key IDENTITY",
            "changed.value": "cart TRANSFORMATION, extra.key TRANSFORMATION, "
            "extra.value TRANSFORMATION",
            "some.key": "extra.key CONDITIONAL, extra.key IDENTITY",
            "some.value": "extra.key CONDITIONAL, extra.value IDENTITY",
            "zipped.key": "extra.key IDENTITY",
            "zipped.value": "extra.value IDENTITY",
        },
        tables=CARTS,
        sql="SELECT transform_values(extra, (k, v) -> concat(k, v, cart)) AS changed, "
        "map_filter(extra, (k, v) -> k <> 'm') AS some, "
        "map_zip_with(extra, extra, (k, a, b) -> a) AS zipped FROM carts",
    ),
    Program(
        "functions of arrays",
        {
            "zipped[].tags": "tags TRANSFORMATION",
            "zipped[].lines.sku": "lines[].sku IDENTITY",
            "zipped[].lines.count": "lines[].count IDENTITY",
            "flat[].sku": "lines[].sku IDENTITY",
            "flat[].count": "lines[].count IDENTITY",
            "both[].sku": "lines[].sku IDENTITY",
            "both[].count": "lines[].count IDENTITY",
            "different": "tags TRANSFORMATION",
            "sorted": "tags TRANSFORMATION",
            "first[].sku": "lines[].sku IDENTITY",
            "first[].count": "lines[].count IDENTITY",
            "pairs[].tag": "tags TRANSFORMATION",
            "pairs[].sku": "lines[].sku IDENTITY",
        },
        tables=CARTS,
        sql="SELECT arrays_zip(tags, lines) AS zipped, flatten(array(lines, lines)) AS flat, "
        "concat(lines, lines) AS both, array_distinct(tags) AS different, "
        "sort_array(tags) AS sorted, slice(lines, 1, 1) AS first, "
        "zip_with(tags, lines, (t, l) -> struct(t AS tag, l.sku AS sku)) AS pairs FROM carts",
    ),
    Program(
        "nested messages parsed",
        {
            "a": "text TRANSFORMATION",
            "c": "text TRANSFORMATION",
            "sku": "text TRANSFORMATION",
            "items[].sku": "text TRANSFORMATION",
            "items[].n": "text TRANSFORMATION",
        },
        tables=CARTS,
        sql=f"SELECT v.a, v.b.c, get(v.items, 0).sku AS sku, v.items FROM "
        f"(SELECT from_json(text, '{_MESSAGE}') AS v FROM carts)",
    ),
    Program(
        "parts of messages",
        {"c": "text TRANSFORMATION", "a": "text TRANSFORMATION", "n": "text TRANSFORMATION"},
        tables=CARTS,
        sql="SELECT get_json_object(text, '$.b.c') AS c, a, n FROM carts "
        "LATERAL VIEW json_tuple(text, 'a', 'items') AS a, n",
    ),
    Program(
        "messages written",
        {
            "value": "cart TRANSFORMATION, lines TRANSFORMATION, owner.name TRANSFORMATION",
            "line": "cart TRANSFORMATION, owner.name TRANSFORMATION",
            "x": "cart TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT to_json(struct(cart, owner.name AS who, lines)) AS value, "
        "to_csv(struct(cart, owner.name)) AS line, to_xml(struct(cart)) AS x FROM carts",
    ),
    Program(
        "messages written and parsed again",
        {"who": "owner.name IDENTITY", "n": "cart IDENTITY"},
        tables=CARTS,
        sql="SELECT v.who, v.n FROM (SELECT from_json(to_json("
        "struct(cart AS n, owner.name AS who)), 'n int, who string') AS v FROM carts)",
    ),
    Program(
        "CSV and XML parsed",
        {"a": "owner.name TRANSFORMATION", "b": "owner.address.city TRANSFORMATION"},
        tables=CARTS,
        sql="SELECT from_csv(owner.name, 'a string').a AS a, "
        "from_xml(concat('<r><b>', owner.address.city, '</b></r>'), 'b string').b AS b FROM carts",
    ),
    Program(
        "structures chosen",
        {
            "one.name": "cart CONDITIONAL, owner.name IDENTITY",
            "one.address.city": "cart CONDITIONAL, owner.address.city IDENTITY",
            "one.address.zip": "cart CONDITIONAL, owner.address.zip IDENTITY",
            "same.name": "owner CONDITIONAL, owner.name TRANSFORMATION",
            "same.address.city": "owner CONDITIONAL, owner.address.city TRANSFORMATION",
            "same.address.zip": "owner CONDITIONAL, owner.address.zip TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT if(cart > 1, owner, named_struct('name', owner.name, 'address', "
        "named_struct('city', 'x', 'zip', owner.address.zip))) AS one, "
        "coalesce(owner, NULL) AS same FROM carts",
    ),
    Program(
        "structures cast",
        {
            "renamed.n": "owner.name IDENTITY",
            "renamed.a.c": "owner.address.city IDENTITY",
            "renamed.a.z": "owner.address.zip IDENTITY",
            "longer[].sku": "lines[].sku IDENTITY",
            "longer[].count": "lines[].count TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT CAST(owner AS struct<n: string, a: struct<c: string, z: string>>) AS renamed, "
        "CAST(lines AS array<struct<sku: string, count: bigint>>) AS longer FROM carts",
    ),
    Program(
        "structures collected",
        {
            "owners[].name": "owner.name AGGREGATION",
            "owners[].address.city": "owner.address.city AGGREGATION",
            "owners[].address.zip": "owner.address.zip AGGREGATION",
            "top.cart": "cart AGGREGATION, cart CONDITIONAL, owner.name CONDITIONAL",
            "top.name": "cart CONDITIONAL, owner.name AGGREGATION, owner.name CONDITIONAL",
            "cities": "owner.address.city AGGREGATION",
            "some[].sku": "lines[].sku AGGREGATION",
            "some[].count": "lines[].count AGGREGATION",
        },
        tables=CARTS,
        sql="SELECT collect_list(owner) AS owners, max(struct(cart, owner.name)) AS top, "
        "collect_set(owner.address.city) AS cities, first(lines) AS some FROM carts",
    ),
)
