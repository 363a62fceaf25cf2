"""A fixture that many tests share, and that fails, is told once: with its cause, at the end.

Pytest raises its failure again for each test that asks for it. Here the first of them is reported
as ever; the others count as not run, in a line each at most, and the run still fails.
"""

from collections.abc import Generator
from dataclasses import dataclass

import pytest

# Words that go with a report, also from a worker of pytest-xdist to the process that shows it.
_FIXTURE = "failed fixture"
_CAUSE = "cause"
_NOT_RUN = "not run"

_FIRST_LINES, _LAST_LINES = 5, 40


@dataclass
class _Failure:
    cause: str
    tests: int = 0


class FailedFixtures:
    """The plug-in: notes failures where tests run, counts and shows them where reports end up."""

    def __init__(self) -> None:
        # With the exception, as its id is another's once it is gone.
        self._raised: dict[int, tuple[BaseException, str]] = {}
        self._failures: dict[str, _Failure] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        __tracebackhide__ = True
        try:
            return (yield)
        except (Exception, pytest.fail.Exception) as error:
            if fixturedef.scope != "function":
                # One that merely asked for it comes later, with the same exception.
                self._raised.setdefault(id(error), (error, _name(fixturedef, request)))
            raise

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.excinfo is not None and id(call.excinfo.value) in self._raised:
            error, name = self._raised[id(call.excinfo.value)]
            report.user_properties += [(_FIXTURE, name), (_CAUSE, _describe(error))]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In a worker and in what shows its reports; each worker has a first one of its own."""
        words = dict(report.user_properties)
        if (name := words.get(_FIXTURE)) is None:
            return
        failure = self._failures.setdefault(str(name), _Failure(str(words[_CAUSE])))
        failure.tests += 1
        if failure.tests > 1:
            report.longrepr = f"not run: {name} had failed"
            report.user_properties.append((_NOT_RUN, True))

    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str] | None:
        is_test = isinstance(report, pytest.TestReport)
        if is_test and any(word == _NOT_RUN for word, _ in report.user_properties):
            return "not run", "n", "NOT RUN"
        return None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        try:
            # All that others have to say comes before: the end is what people see.
            return (yield)
        finally:
            for name, failure in self._failures.items():
                count = f"{failure.tests} test{'s' if failure.tests > 1 else ''}"
                terminalreporter.write_sep("=", f"{name} failed", red=True, bold=True)
                terminalreporter.write_line(failure.cause)
                terminalreporter.write_line(f"{count} could not run for want of {name}.", red=True)


def _name(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> str:
    parameter = f"[{request.param}]" if hasattr(request, "param") else ""
    return f"{fixturedef.baseid}::{fixturedef.argname}{parameter}"


def _describe(error: BaseException) -> str:
    """What was raised, without the middle of a long story: services put the end of their log."""
    lines = f"{type(error).__name__}: {error}".splitlines()
    if len(lines) > _FIRST_LINES + _LAST_LINES:
        lines[_FIRST_LINES:-_LAST_LINES] = ["..."]
    return "\n".join(lines)
