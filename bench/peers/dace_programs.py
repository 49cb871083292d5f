"""The workloads in DaCe: the NumPy programs, with the shapes that they are called with, and DaCe's optimisations."""

from __future__ import annotations

import inspect
import pathlib
import types
from collections.abc import Callable
from typing import Any

import dace
import dace.libraries.blas
import numpy as np
from dace.transformation.auto.auto_optimize import auto_optimize

from peers import numpy_programs

dace.Config.set(
    "default_build_folder", value=str(pathlib.Path(__file__).parents[2] / "build" / "bench" / "dace")
)
dace.libraries.blas.default_implementation = "OpenBLAS"
dace.Config.set("compiler", "cpu", "args", value="-std=c++17 -fPIC -O3 -march=native")


def _annotated(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The function for arguments of these shapes and types, which DaCe reads off annotations."""
    result = types.FunctionType(function.__code__, function.__globals__)
    names = inspect.signature(function).parameters
    result.__annotations__ = {
        name: dace.data.create_datadescriptor(value) for name, value in zip(names, arguments, strict=True)
    }
    return result


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        program = dace.program(_annotated(function, arguments))
        graph = program.to_sdfg(simplify=True)
        compiled = auto_optimize(graph, dace.dtypes.DeviceType.CPU).compile()
        given = dict(zip(program.argnames, arguments, strict=True))
        return lambda: compiled(**given)

    return make


_NAMES = (
    *("chain", "column_sum", "row_max", "few_rows", "symmetric", "scaled", "paired"),
    *("diffusion", "jacobi", "triangular_solve", "tridiagonal", "gauss_seidel"),
    *(f"matmul_{n}" for n in (64, 128, 256, 512, 1024)),
)

PROGRAMS = {name: _bind(numpy_programs.FUNCTIONS[name]) for name in _NAMES}


def to_numpy(result: Any) -> Any:
    """What it returned, copied: the next call writes to the same arrays."""
    return tuple(map(np.array, result)) if isinstance(result, tuple) else np.array(result)
