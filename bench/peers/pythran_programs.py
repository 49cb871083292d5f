"""The workloads in Pythran, compiled ahead of time for this machine, with the promises that C++ makes by default."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_SOURCE = pathlib.Path(__file__).with_name("pythran_kernels.py")
_LIBRARY = _SOURCE.parents[2] / "build" / "bench" / "pythran_kernels.so"
_OPTIONS = ("-O3", "-march=native", "-DUSE_XSIMD")


def _kernels() -> Any:
    """The compiled module, compiled again where its source is newer."""
    if not _LIBRARY.exists() or _LIBRARY.stat().st_mtime < _SOURCE.stat().st_mtime:
        _LIBRARY.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pythran.run", *_OPTIONS, str(_SOURCE), "-o", str(_LIBRARY)]
        subprocess.run(command, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("pythran_kernels", _LIBRARY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        given = [int(value) if isinstance(value, np.integer) else value for value in arguments]
        return lambda: function(*given)

    return make


_KERNELS = _kernels()
_SAME_NAMES = (
    *("chain", "column_sum", "row_max", "symmetric", "scaled", "paired", "diffusion"),
    *("triangular_solve", "tridiagonal", "collatz", "mandelbrot"),
)
_PRODUCTS = ("few_rows", *(f"matmul_{n}" for n in (10, 64, 128, 256, 512, 1024)))

PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    **{name: _bind(getattr(_KERNELS, name)) for name in _SAME_NAMES},
    "jacobi": lambda field: lambda: _KERNELS.jacobi(field, 20),
    "gauss_seidel": lambda field: lambda: _KERNELS.gauss_seidel(field, 7),
    **{name: _bind(_KERNELS.mean_squared_error) for name in ("mse_1e3", "mse_1e6")},
    **{name: _bind(_KERNELS.matmul) for name in _PRODUCTS},
}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
