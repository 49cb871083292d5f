"""How native code finds the numbers of long lists among the arguments, which are arrays for machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import Program
from ..signature.packed_numbers import DTYPES, PackedNumbers

MOST_IN_FRAME = 2048
"""So many numbers of a list lie in the frame of a call; more in an array."""


def packed_in(program: Program, place: int, form: PackedNumbers, column: int, is_alone: bool) -> int:
    """Where what stands for an array of the numbers of a column is; an array itself where not machine code alone gets
    it.
    """
    kind = form.columns[column]
    is_in_frame = is_alone and form.size <= MOST_IN_FRAME
    array = 0 if is_in_frame else program.made(place, _Memory(form.size, kind))
    return program.packed(place, form.levels_of(column), kind, array)


class _Memory:
    """Makes arrays for so many numbers of a type, whatever it is called with."""

    def __init__(self, count: int, kind: type) -> None:
        self._count, self._dtype = count, DTYPES[kind]

    def __call__(self, _: Any) -> np.ndarray[Any, Any]:
        return np.empty(self._count, self._dtype)
