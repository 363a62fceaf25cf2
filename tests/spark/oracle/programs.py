"""All programs of the oracle."""

from tests.spark.oracle.analysis_programs import ANALYSES
from tests.spark.oracle.api_programs import API
from tests.spark.oracle.delta_programs import DELTA
from tests.spark.oracle.everyday_programs import EVERYDAY
from tests.spark.oracle.frame_programs import FRAMES
from tests.spark.oracle.hive_programs import HIVE
from tests.spark.oracle.nested_programs import NESTED
from tests.spark.oracle.replacing_programs import REPLACING
from tests.spark.oracle.report_programs import REPORTS
from tests.spark.oracle.sql_programs import STATEMENTS
from tests.spark.oracle.stream_programs import STREAMS
from tests.spark.oracle.table_programs import TABLE_WRITES

PROGRAMS = (
    *STATEMENTS,
    *REPORTS,
    *EVERYDAY,
    *ANALYSES,
    *NESTED,
    *FRAMES,
    *API,
    *TABLE_WRITES,
    *REPLACING,
    *DELTA,
    *HIVE,
    *STREAMS,
)
