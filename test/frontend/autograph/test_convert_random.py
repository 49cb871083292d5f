"""Random functions do the same converted."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from support.conversion import check, define
from support.random_control_flow import ProgramWriter


@contextlib.contextmanager
def swallow(value: Any) -> Iterator[Any]:
    with contextlib.suppress(Exception):
        yield value


@contextlib.contextmanager
def plain(value: Any) -> Iterator[Any]:
    yield value


@pytest.mark.parametrize("block", range(5))
def test_random_programs(block: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # comparisons of literals, returns in finally
        for seed in range(20 * block, 20 * block + 20):
            source = ProgramWriter(seed).program()
            function = define(source, swallow=swallow, plain=plain)
            check(function, (1, 2, 10), (0, 0, 5), (3, -1, 3))
