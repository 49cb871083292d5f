"""The reductions in Numba with `fastmath=True`, which lets it assume that there is no NaN and reorder all arithmetic.

Shown beside the others and not counted among the peers, which all run with their default guarantees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from peers import numba_programs


def _bind(name: str) -> Callable[..., Callable[[], Any]]:
    compiled = njit(fastmath=True)(getattr(numba_programs, f"_{name}").py_func)
    return lambda *arguments: lambda: compiled(*arguments)


PROGRAMS = {
    **{name: _bind(name) for name in ("chain", "softmax", "layernorm", "column_sum", "row_max", "conv")},
    **{name: _bind("mean_squared_error") for name in ("mse_1e3", "mse_1e6")},
}

to_numpy = numba_programs.to_numpy
