"""Code that LLVM spends little time on: for tests of what programs compute, and not of how."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from weft.backend.cpu.machine import llvm


@contextmanager
def quick_code() -> Iterator[None]:
    """Compile with passes that tidy up, and LLVM's level 0 of code generation, in a third of the time.

    Everything before LLVM is as it always is. What only LLVM's optimiser shows, as a wrong `noalias` or `nsw`, stays
    hidden: tests of the backend, of passes, of ops and random programs do not use this.
    """
    simplify, machine = llvm._simplify_functions, llvm._kept_target_machine

    def tidy(module: Any) -> None:
        simplify((), module)

    def tidy_functions(_names: Collection[str], module: Any) -> None:
        simplify((), module)

    def level_0(target: Any, _level: int = 0) -> Any:
        return machine(target, 0)

    with patch.multiple(
        llvm, _run_long_pipeline=tidy, _simplify_functions=tidy_functions, _kept_target_machine=level_0
    ):
        yield


__all__ = ["quick_code"]
