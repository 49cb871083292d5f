"""The test of a `while` loop in front of its first iteration, recorded to see whether run-time values decide it.

Where they do, it is recorded again as part of the loop. Loops in it have the same keys both times, so that what they
carry is known the second time; and when the loop itself is recorded again, for one around it, nothing is tried.
Otherwise the work would double with each loop in the test of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder
from ..branches.conditions import is_staged, truth_of
from ..branches.memory import codes_of_blocks
from ..values.control_flow_state import ConstructKey, control_flow
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import tested


class FirstTest:
    """The first test of the loop of some functions, its test and its body, that comes next."""

    def __init__(self, trace: Recorder, watched: Sequence[Callable[..., Any] | None]) -> None:
        self._flow = control_flow(trace)
        self._codes = codes_of_blocks(watched)
        self._loop = self._flow.next_construct(self._codes, str(trace.location()))

    def was_staged(self) -> bool:
        """Whether run-time values decided it when the loop was recorded before."""
        return self._loop in self._flow.staged_at_once

    def truth(self, test: Callable[[], Any]) -> Any:
        """What the test gives."""
        with self._flow.inside(self._loop):
            truth = tested(resolve_grown_list(test()))
        if is_staged(truth):
            self._flow.staged_at_once[self._loop] = self._codes
        else:  # what is recorded of the loop begins later, with other values
            kinds = self._flow.loop_kinds
            for key in [key for key in kinds if _is_inside(key, self._loop)]:
                del kinds[key]
        return truth


def as_truth(value: Any) -> Any:
    """NumPy's bool for a test, whatever Python has: so that two ways to one leave one type."""
    value = tested(resolve_grown_list(value))
    if not is_staged(value):
        return np.bool_(bool(value))
    truth = truth_of(value)
    return truth if truth._python_type is None else TracedArray(truth._storage)


def _is_inside(key: ConstructKey | None, loop: ConstructKey) -> bool:
    """Whether a loop is in another, or in one that is."""
    return key is not None and (key[0] == loop or _is_inside(key[0], loop))
