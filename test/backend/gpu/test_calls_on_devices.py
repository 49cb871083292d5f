"""Calls of NumPy's functions on a device, with unknown extents and without: those that were wrong there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _constants(x: Any, i: Any, j: Any) -> Any:
    x[i:j, 1] = [5, 6]
    return x * 2


GRID = np.arange(20.0).reshape(4, 5)
MANY_ROWS = np.random.default_rng(0).standard_normal((4500, 40)).astype(np.float32)
"""More than there are blocks."""

PROGRAMS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "constants in a part of unknown extent": (_constants, [GRID, np.int64(1), np.int64(3)]),
    "one reduction of many rows": (lambda x: x.max(1), [MANY_ROWS]),
    "three reductions of many rows": (lambda x: (x.max(1), x.min(1), x.argmax(1)), [MANY_ROWS]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str) -> None:
    program, arguments = PROGRAMS[name]
    for is_open in (False, True):
        ours, theirs = ([np.copy(a) if np.ndim(a) else a for a in arguments] for _ in range(2))
        specs = [weft.TensorSpec([None] * a.ndim if is_open else a.shape, a.dtype) for a in arguments]
        compiled = weft.function(program, device="cuda", input_signature=specs)
        expected = program(*theirs)
        np.testing.assert_equal(compiled(*ours), expected)
        np.testing.assert_equal(ours, theirs)
