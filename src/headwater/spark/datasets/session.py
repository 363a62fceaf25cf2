"""The session that a thread works for: its settings are read even if it may have been stopped."""

import threading

from headwater.spark.relations import Java

_of_thread = threading.local()


def work_for(state: Java) -> None:
    """From now on this thread works for a session, of which this is the state in the JVM."""
    _of_thread.state = state


def session_state() -> Java | None:
    return getattr(_of_thread, "state", None)


def find_setting(plan: Java, name: str, default: str = "") -> str:
    """A setting of the session; without one, of whatever session the plan's thread has."""
    state = session_state()
    conf = plan.conf() if state is None else state.conf()
    return str(conf.getConfString(name, default))


def find_hadoop_setting(name: str) -> str:
    """A setting for Hadoop and Hive, whichever file or option it is from."""
    state = session_state()
    return "" if state is None else str(state.newHadoopConf().get(name) or "")
