"""`make test-fast` ends when its seconds of processors are spent."""

from __future__ import annotations

import pytest

from support.cpu_seconds import Budget


def test_what_is_left_when_the_budget_is_spent_is_skipped() -> None:
    Budget(3600.0).pytest_runtest_setup()
    spent = Budget(-1.0)
    with pytest.raises(pytest.skip.Exception, match="are spent; `make test` runs it"):
        spent.pytest_runtest_setup()
