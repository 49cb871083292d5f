"""Code that little time is spent on: for tests of what programs compute, and not of how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from weft.backend.cpu.machine import llvm
from weft.backend.planning.plan import MachineCode
from weft.dialect.mlir import Module
from weft.frontend.compiling import compile_function
from weft.frontend.settings import settings

_codes: dict[tuple[object, ...], MachineCode] = {}
"""The code that `quick_code` made, by all that it was made of: a third of what tests record was recorded before."""


@contextmanager
def quick_code() -> Iterator[None]:
    """Compile without LLVM's passes, at level 0 of its code generation, and equal recordings once.

    Everything before LLVM is as it always is. What only LLVM's optimiser shows, as a wrong `noalias` or `nsw`, stays
    hidden: tests of the backend, of passes, of ops and random programs do not use this.
    """
    machine, compiled = llvm._kept_target_machine, compile_function.code_of

    def left_as_it_is(_module: Any) -> None:
        pass  # what passes make shorter saves code generation less time than they take

    def left_as_they_are(_names: Collection[str], _module: Any) -> None:
        pass

    def level_0(target: Any, _level: int = 0) -> Any:
        return machine(target, 0)

    def kept(module: Module, *options: Any) -> MachineCode:
        text = module.operation.get_asm(enable_debug_info=True)
        key = (text, repr(options), repr(settings), *_steps())
        if key not in _codes:
            _codes[key] = compiled(module, *options)
        return _codes[key]

    with (
        patch.multiple(
            llvm,
            _run_long_pipeline=left_as_it_is,
            _simplify_functions=left_as_they_are,
            _kept_target_machine=level_0,
        ),
        patch.object(compile_function, "code_of", kept),
    ):
        yield


def forget_code() -> None:
    """Compile again what was compiled: for tests that count the work of it."""
    _codes.clear()


def _steps() -> tuple[Callable[..., object], ...]:
    """The functions that make code, for which tests may set others."""
    return compile_function.optimize, compile_function.to_linalg, compile_function.machine_code


__all__ = ["forget_code", "quick_code"]
