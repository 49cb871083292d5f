"""Code that little time is spent on: for tests of what programs compute, and not of how."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from weft.backend.cpu.machine import llvm
from weft.backend.planning.plan import MachineCode
from weft.dialect.mlir import Module
from weft.frontend.compiling import compile_function
from weft.frontend.settings import settings
from weft.passes import pipeline
from weft.passes.pipeline import Step
from weft.passes.rewriting import operations_of

_codes: dict[tuple[object, ...], MachineCode] = {}
"""The code that `quick_code` made, by all that it was made of: a third of what tests record was recorded before."""

VERIFIED = 8
"""The verifier takes a twelfth of the time, and finds what passes do wrong in their own tests first."""


class _Thread(threading.local):
    is_verified = True
    """Whether the verifier looks at what this thread compiles."""


_this = _Thread()


@contextmanager
def some_verified() -> Iterator[None]:
    """Let MLIR's verifier look behind the passes for one recording of `VERIFIED` alone, by its number of ops."""
    compiled, verify = compile_function.code_of, pipeline._verify

    def code_of(module: Module, *options: Any) -> MachineCode:
        _this.is_verified = len(operations_of(module.operation)) % VERIFIED == 0
        try:
            return compiled(module, *options)
        finally:
            _this.is_verified = True

    def verify_some(module: Module, steps: Sequence[Step]) -> None:
        if _this.is_verified:
            verify(module, steps)

    with (
        patch.object(compile_function, "code_of", code_of),
        patch.object(pipeline, "_verify", verify_some),
    ):
        yield


@contextmanager
def quick_code() -> Iterator[None]:
    """Compile without LLVM's passes, at level 0 of its code generation, and equal recordings once.

    Everything before LLVM is as it always is, but for what `some_verified` says. What only LLVM's optimiser shows, as
    a wrong `noalias` or `nsw`, stays hidden: tests of the backend, of passes, of ops and random programs do not use
    this.
    """
    with some_verified(), _quick_code():
        yield


@contextmanager
def _quick_code() -> Iterator[None]:
    machine, compiled = llvm._kept_target_machine, compile_function.code_of

    def left_as_it_is(_module: Any) -> None:
        pass  # what passes make shorter saves code generation less time than they take

    def left_as_they_are(_names: Collection[str], _module: Any) -> None:
        pass

    def level_0(target: Any, _level: int = 0) -> Any:
        return machine(target, 0)

    def never(_module: Any) -> bool:
        return False

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
            _has_long_block=never,  # which the level is chosen by
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


__all__ = ["forget_code", "quick_code", "some_verified"]
