"""What functions mean for lineage, where it is more than "made of all arguments".

To teach Headwater a function that sqlglot has a class for, add the class to one of these sets; one
that sqlglot does not know is found by its name, in lower case.
"""

import re

from sqlglot import exp


def _classes(*names: str) -> tuple[type[exp.Expr], ...]:
    """Classes by name, of those that this release of sqlglot has."""
    found = (getattr(exp, name, None) for name in names)
    return tuple(each for each in found if each is not None)


# The value does not reveal the argument.
MASKING = _classes(
    "Count", "CountIf", "CountDistinct", "ApproxDistinct", "Hll", "MD5", "MD5Digest",
    "MD5NumberLower64", "MD5NumberUpper64", "SHA", "SHA1Digest", "SHA2", "SHA2Digest",
    "FarmFingerprint", "StandardHash", "Encrypt", "EncryptRaw", "JarowinklerSimilarityHash",
    "CityHash64", "ApproxCountDistinct",
)  # fmt: skip
_MASKING_WORDS = """
    aes_encrypt approx_count_distinct blake3 cityhash64 count_distinct count_if countdistinct
    crc32 farm_fingerprint hash hash_md5 hashbytes hmac hmac_md5 hmac_sha1 hmac_sha256
    hmac_sha512 mask mask_keep_left mask_keep_right mask_left mask_right md5 md5_binary md5_hex
    murmur_hash murmurhash3_32 ora_hash sha sha1 sha1_binary sha2 sha2_binary sha224 sha256
    sha384 sha512 spooky_hash_v2_32 standard_hash xxhash64 xxh3 siphash64 aes_encrypt
    count count_min_sketch hll_sketch_agg uniq uniqcombined uniqcombined64 uniqexact uniqhll12
    uniqthetasketch
    """
MASKING_NAMES = frozenset(_MASKING_WORDS.split())
# The value is one of the arguments.
CHOICES = _classes("Greatest", "Least")
CHOICE_NAMES = frozenset(("as_value", "greatest", "least"))
# The value is the first argument that there is: each of them, if those before it are absent.
FIRST_PRESENT = _classes("Coalesce")
FIRST_PRESENT_NAMES = frozenset(("coalesce", "ifnull", "isnull", "nanvl", "nvl", "zeroifnull"))
# Functions over a group of rows that sqlglot does not count among its aggregates.
AGGREGATE_CLASSES = _classes("AnyValue", "ApproxDistinct", "Grouping", "JSONObjectAgg", "Sketch")
_AGGREGATE_WORDS = """
    any_value approx_count_distinct approx_percentile array_agg array_concat_agg bit_and bit_or
    bit_xor bool_and bool_or collect collect_list collect_set corr count_distinct count_if
    countif covar_pop covar_samp every first first_value group_concat grouping_id histogram
    json_agg json_arrayagg json_group_array json_object_agg json_objectagg jsonb_agg
    jsonb_object_agg kurtosis last last_value latest_by_offset earliest_by_offset listagg
    collect_list collect_set topk topkdistinct map_agg max_by median min_by mode
    multiset percentile percentile_cont percentile_disc product regr_count regr_slope skewness
    some std stddev stddev_pop stddev_samp string_agg sum_distinct try_avg try_sum var_pop
    var_samp variance wm_concat xmlagg stddev_sample correlation uniq uniqexact quantile
    ratio_to_report sumif avgif groupArray argmax argmin
    """
AGGREGATE_NAMES = frozenset(_AGGREGATE_WORDS.lower().split())
# Another name or place for the same value.
SAME = _classes("Paren", "Alias", "Distinct", "Ordered", "IgnoreNulls", "RespectNulls", "Kwarg",
                "PivotAlias", "Collate", "Prior", "ConnectByRoot")  # fmt: skip


# Of another row of the window, or its place: no aggregate of its rows.
_OF_OTHER_ROWS = _classes(
    "Lag", "Lead", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "NthValue",
)  # fmt: skip
# Take what they sum up from WITHIN GROUP (ORDER BY ...).
ORDERED_SETS = _classes("PercentileCont", "PercentileDisc", "Mode", "Quantile")


def is_masking(node: exp.Expr) -> bool:
    if isinstance(node, MASKING):
        return True
    is_by_name = isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc, *COMBINED))
    return is_by_name and _name(node) in MASKING_NAMES


def is_of_rows(node: exp.Expr) -> bool:
    """Whether a function is usually given a table's whole rows, as those that make JSON are."""
    return "json" in (node.key if not isinstance(node, exp.Anonymous) else _name(node))


def is_choice(node: exp.Expr) -> bool:
    if isinstance(node, CHOICES):
        return True
    return isinstance(node, exp.Anonymous) and _name(node) in CHOICE_NAMES


def is_first_present(node: exp.Expr) -> bool:
    if isinstance(node, FIRST_PRESENT):
        return True
    return isinstance(node, exp.Anonymous) and _name(node) in FIRST_PRESENT_NAMES


def is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, _OF_OTHER_ROWS):
        return False
    # As a scalar function: max(a, b) of MySQL and SQLite.
    if isinstance(node, (exp.Max, exp.Min)) and node.args.get("expressions"):
        return False
    if isinstance(node, (exp.AggFunc, *AGGREGATE_CLASSES)):
        return True
    if isinstance(node, exp.AnonymousAggFunc):
        return True
    return isinstance(node, exp.Anonymous) and _name(node) in AGGREGATE_NAMES


# What ClickHouse adds to the name of an aggregate, as in `sumIfState`.
_COMBINATORS = re.compile(
    "(if|array|map|simplestate|state|merge|mergestate|foreach|distinct|ordefault|ornull|argmin|argmax)$"
)
COMBINED = (exp.CombinedAggFunc, exp.CombinedParameterizedAgg)


def combinators(node: exp.Expr) -> list[str]:
    """What stands behind the name of an aggregate of ClickHouse, the last first."""
    name, found = str(node.this).lower(), []
    while (match := _COMBINATORS.search(name)) and match.start():
        found.append(match[1])
        name = name[: match.start()]
    return found


def _name(node: exp.Expr) -> str:
    name = str(node.this).lower() if isinstance(node.this, str) else ""
    if isinstance(node, COMBINED):
        for each in combinators(node):
            name = name.removesuffix(each)
    return name
