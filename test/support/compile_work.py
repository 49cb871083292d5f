"""What a compilation takes, as a number that is the same each time: calls of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import weft


def work_of(program: Callable[[int], tuple[Callable[..., Any], tuple[Any, ...]]], count: int) -> int:
    """The calls of functions, Python's and C's, that compiling a program of a size takes."""
    function, arguments = program(count)
    compiled = weft.function(function)
    calls = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        compiled.get_concrete_function(*arguments)
    finally:
        sys.setprofile(None)
    return calls
