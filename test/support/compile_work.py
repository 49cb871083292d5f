"""What compilations take, as numbers that are the same each time: calls of functions."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import weft
from support.quick_code import forget_code

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def work_of(program: Callable[[int], Program], *sizes: int) -> tuple[int, ...]:
    """The calls of functions, Python's and C's, that compiling a program takes in each of some sizes.

    A program as small as the smallest is compiled before, uncounted: so what happens once in a process, as imports and
    the filling of caches, is not counted, whatever ran before. Nor is what the garbage collector calls for others.
    """
    _calls_of(program, min(sizes))
    gc.collect()
    gc.disable()
    try:
        return tuple(_calls_of(program, size) for size in sizes)
    finally:
        gc.enable()


def _calls_of(program: Callable[[int], Program], count: int) -> int:
    function, arguments = program(count)
    compiled = weft.function(function)
    forget_code()
    calls = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        if any(isinstance(argument, list) for argument in arguments):
            compiled(*arguments)  # whose numbers are data
        else:
            compiled.get_concrete_function(*arguments)
    finally:
        sys.setprofile(None)
    return calls
