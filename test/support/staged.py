"""Runs a function on arrays by tracing it and interpreting the trace: what staging means, without the compiler.

With `--device` it is compiled after all, for that device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from support.interpreter import interpret
from support.linalg_programs import compile_module
from support.programs import transform
from weft.backend.cpu.execution.executable import RuntimeFailure
from weft.backend.gpu.devices.names import CPU
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context
from weft.dialect.types import TensorType, type_of
from weft.frontend.compiling.array_behaviour import install_behaviour
from weft.frontend.compiling.diagnostics import python_exception
from weft.frontend.settings import settings
from weft.frontend.tracing.array import TracedArray
from weft.frontend.tracing.current import set_current_trace
from weft.frontend.tracing.trace import Trace

install_behaviour()


def run_staged(function: Callable[..., Any], *arrays: np.ndarray[Any, Any], dynamic: bool = False) -> Any:
    """Call the function on traced arrays, run what it recorded on the arrays; tuples of results stay tuples.

    With `dynamic`, every extent but those of 1 is known only at run time. Arguments that the function writes
    are written in place.
    """
    return staged(function, *arrays, dynamic=dynamic)(*arrays)


def staged(
    function: Callable[..., Any], *arrays: np.ndarray[Any, Any], dynamic: bool = False
) -> Callable[..., Any]:
    """The function as it is traced on such arrays: it may be called many times."""
    trace, names, returned = record(function, [spec_of(array, dynamic) for array in arrays])
    leaves = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    with_values = [leaf if isinstance(leaf, TracedArray) else None for leaf in leaves]
    dtypes = [leaf.dtype for leaf in with_values if leaf is not None]
    trace.finish([leaf._value() for leaf in with_values if leaf is not None])
    hidden = [extra.fetch() for extra in trace.extra]
    run = functools.partial(interpret, trace.module, names)
    if settings.device != CPU:
        run = _compiled(trace.module, names, dtypes)

    def call(*arrays: np.ndarray[Any, Any]) -> Any:
        computed = iter(run([*arrays, *hidden]))
        results = [
            leaf if traced is None else next(computed)
            for leaf, traced in zip(leaves, with_values, strict=True)
        ]
        return tuple(results) if isinstance(returned, (tuple, list)) else results[0]

    return call


def _compiled(module: Module, name: str, dtypes: list[np.dtype[Any]]) -> Callable[..., list[Any]]:
    """What takes the arrays that the interpreter takes, and gives what it gives."""
    transform(module, "weft-optimize,weft-to-linalg")
    with context(), ir.Location.unknown():
        executable = compile_module(module, name, result_dtypes=dtypes)

    def run(arrays: list[Any]) -> list[Any]:
        ready = [np.ascontiguousarray(array).reshape(np.shape(array)) for array in arrays]
        try:
            results = executable(*ready)
        except RuntimeFailure as failure:
            raise python_exception(failure) from None
        for array, written in zip(arrays, ready, strict=True):
            if written is not array and isinstance(array, np.ndarray) and array.flags.writeable:
                array[...] = written
        return results

    return run


def record(function: Callable[..., Any], types: list[TensorType]) -> tuple[Trace, str, Any]:
    """Trace the function; returns the trace, still open, its name, and what the function returned."""
    trace = Trace("staged", types, [f"x{place}" for place in range(len(types))])
    previous = set_current_trace(trace)
    try:
        returned = function(*trace.arguments)
    finally:
        set_current_trace(previous)
    return trace, "staged", returned


def spec_of(array: np.ndarray[Any, Any], dynamic: bool) -> TensorType:
    """The type of an array, with run-time extents if asked for."""
    known = type_of(array)
    return known.with_shape([n if n == 1 or not dynamic else None for n in known.shape])


__all__ = ["record", "run_staged", "spec_of", "staged"]
