"""Statements that move no data."""

from sqlglot import exp

from headwater.sql.dialects import nodes

WITHOUT_LINEAGE = (
    exp.Analyze, exp.Comment, exp.Commit, exp.Describe, exp.Grant, exp.Kill,
    exp.Pragma, exp.Refresh, exp.Revoke, exp.Rollback, exp.Set, exp.Show, exp.Transaction,
    nodes.SetBoundary, exp.Uncache, exp.Attach, exp.Detach, exp.Semicolon, exp.EndStatement,
    exp.Summarize, exp.ListStage, exp.Undrop,
)  # fmt: skip
_WORDS = """
    CLUSTER COLLECT DEALLOCATE LISTEN NOTIFY REINDEX
    ADD BEGIN CALL CHECKPOINT CLEAR COMMENT COMMIT DECLARE DEFINE DELIMITER DESCRIBE DETACH
    DO ELSE END EXPLAIN FETCH FLUSH GO GRANT HELP IF LIST LOCK MSCK OPEN OPTIMIZE PREPARE PRINT
    PURGE RAISE RECOVER REFRESH REMOVE RENAME REPAIR RESET RETURN REVOKE ROLLBACK SAVEPOINT SET
    SHOW SPOOL START STOP TERMINATE PAUSE RESUME UNCACHE UNDEFINE UNLOCK UNSET USE VACUUM WAITFOR
    ZORDER ASSERT PRAGMA RUN SUBMIT QUIT ANALYZE EXIT
    """
# First words of statements that sqlglot keeps as text.
COMMANDS_WITHOUT_LINEAGE = frozenset(_WORDS.split())
# First two words, where the first alone may move data.
PHRASES_WITHOUT_LINEAGE = frozenset(("LOAD MODULE", "UNLOAD MODULE"))
