"""What tests and the files of them cost: seconds of processors, which other work on the machine does not make more.

A plugin of pytest. Those of the processes that a test starts, and waits for, are its own, too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

_NAME = "CPU seconds"


class Spent(NamedTuple):
    """Seconds of processors up to now, or between two times."""

    here: float
    children: float

    @classmethod
    def now(cls) -> Spent:
        """Those of this process."""
        times = os.times()
        return cls(times.user + times.system, times.children_user + times.children_system)


class CpuSeconds:
    """Adds up what tests spend, and writes the `shown` most expensive files, and ten times as many tests, in the end.

    Workers of xdist tell their seconds in the reports of their tests.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._last = Spent.now()
        self._here: Counter[str] = Counter()
        self._children: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()

    def pytest_collection_finish(self) -> None:
        """Begin with the first test."""
        self._last = Spent.now()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """Tell what was spent since the last report."""
        report = yield
        now = Spent.now()
        spent = (now.here - self._last.here, now.children - self._last.children)
        report.user_properties.append((_NAME, spent))
        self._last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a report tells to the sums of its file."""
        file = report.nodeid.partition("::")[0]
        self._tests[report.nodeid] += 0.0
        for name, spent in report.user_properties:
            if name == _NAME:
                here, children = spent
                self._here[file] += here
                self._children[file] += children
                self._tests[report.nodeid] += here + children

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the sums."""
        total = self._here + self._children
        tests = Counter(test.partition("::")[0] for test in self._tests)
        terminalreporter.section("CPU seconds of tests")
        for test, seconds in self._tests.most_common(10 * self._shown):
            terminalreporter.write_line(f"{seconds:8.1f} {test}")
        terminalreporter.section("CPU seconds: all, of processes that tests started, tests, file")
        rows = [(total[file], self._children[file], tests[file], file) for file in tests]
        everything = (total.total(), self._children.total(), tests.total(), "all files")
        for all_seconds, of_children, count, file in [*sorted(rows, reverse=True)[: self._shown], everything]:
            terminalreporter.write_line(f"{all_seconds:8.1f} {of_children:8.1f} {count:6} {file}")


__all__ = ["CpuSeconds", "Spent"]
