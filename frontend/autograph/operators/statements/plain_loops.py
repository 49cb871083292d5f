"""Loops that Python runs by itself while tracing, as the user wrote them: all values in them are Python's own.

Converted code takes tens of microseconds for an iteration, as each statement of it asks what it is given. A loop that
fills a table, or looks for primes, before the arrays come in takes what it takes in Python.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from ....source.code_parts import content_of, functions_in
from ....tracing.recorder import Recorder
from ...convert.plain_loops import BUILTINS, GLOBALS
from ..branches.checkpoints import Checkpoint
from ..values.plain_contents import MOST_VALUES, containers_of, is_alone

Plain = Callable[[float], bool]
"""The user's loop: it runs, and says whether it ended within a number of iterations."""

MOST_ITERATIONS = 1_000_000
"""A loop over items runs so far, with those in it: a longer one may be compiled."""

MOST_WITHIN_WHILE = 10_000_000
"""So many iterations the loops over items within a `while` make, which is not compiled while its values are known."""


def ran_alone(trace: Recorder | None, plain: Plain | None, most: int) -> bool:
    """Whether a loop could be run by Python, and was."""
    if trace is None or plain is None or not is_alone(trace) or not _holds_plain(trace, plain, MOST_VALUES):
        return False
    start = Checkpoint.take(trace, (plain,))
    # Iterators that are left have to be made by what follows them.
    is_done = plain(most) and _holds_plain(trace, plain, math.inf)
    if not is_done:
        start.roll_back()
    return is_done


def _holds_plain(trace: Recorder, plain: Any, most: float) -> bool:
    """Whether all that a loop can reach is Python's own, and was made by the program."""
    function: FunctionType = plain
    if not _are_plain_names(function.__code__, function.__globals__):
        return False
    values = list(map(content_of, function.__closure__ or ()))  # None for names that the loop binds
    return containers_of(trace, values, most) is not None


def _are_plain_names(code: CodeType, namespace: dict[str, Any]) -> bool:
    """Whether the global names in code are builtins, numbers, texts and the module `math`."""
    for name in code.co_names:  # attributes are among them
        if name in namespace:
            value = namespace[name]
            if value is not math and type(value) not in GLOBALS:
                return False
        elif hasattr(builtins, name) and name not in BUILTINS:
            return False
    return all(_are_plain_names(inner, namespace) for inner in functions_in(code))
