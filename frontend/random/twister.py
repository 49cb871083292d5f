"""The Mersenne Twisters of Python's `random` and of NumPy's older functions: drawn of by native code, where they are.

The state stays in the object of Python or NumPy that has it, so that draws are in order with those of all code that is
not compiled. Each draw is a call of Python that processors make as a call of native code, at the addresses of the
state; these are found by looking for what the object says of its state.
"""

from __future__ import annotations

import ctypes
import random
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...dialect.callbacks import with_native
from ...dialect.op import Op
from ...dialect.ops.random import RandomFloats, RandomIntegers, RandomPermutation
from ...dialect.types import TensorType
from ..runtime_values.outside_traces import outside_traces
from ..tracing.array import TracedArray, wrap
from ..tracing.recorder import Recorder
from ..tracing.staging import cast, constant, type_of_operand, value_of
from .stream import note_draw

INT64, FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)

_LENGTH = 624
"""The words of 32 bits of the state."""


class NotCompiled(Exception):
    """A draw that Python makes."""


class Twister:
    """What numbers are drawn of: a `Source` of what NumPy's older functions draw."""

    def __init__(self, trace: Recorder, owner: Any, home: np.ndarray[Any, Any]) -> None:
        self.trace = trace
        self.owner = owner
        self._home = home

    def draw(self, op_class: type[Op], operands: Sequence[Any], shape: Any, **attributes: Any) -> Any:
        """Record a draw of NumPy's older functions, as an op says it for generators."""
        *_, count = shape
        if op_class is RandomFloats:
            return self.drawn(attributes["distribution"], (), count, FLOAT64)
        if op_class is RandomIntegers:
            return self.drawn("integers", operands, count, type_of_operand(operands[0]).dtype)
        assert op_class is RandomPermutation
        return self.drawn("permutation", (), count, INT64).reshape(shape)

    def drawn(self, function: str, given: Sequence[Any], count: Any, dtype: np.dtype[Any]) -> Any:
        """Record a draw of so many numbers by a function of the backend."""
        trace, owner = self.trace, self.owner
        make = _BY_PYTHON[function]

        def call(home: Any, *rest: Any) -> list[Any]:
            return [np.asarray(make(owner, *rest[:-1], int(rest[-1])), dtype)]

        number = cast(count, INT64) if isinstance(count, TracedArray) else np.int64(count)
        operands = [constant(trace, self._home), *given, number]
        callback = with_native(outside_traces(call, function), f"weft_twister_{function}_{dtype}")
        note_draw(trace)
        trace.dependencies.refuse("a random generator whose state has an address in this process")
        type = TensorType((None if isinstance(count, TracedArray) else int(count),), dtype)
        (value,) = trace.host_call(callback, [value_of(trace, operand) for operand in operands], [type])
        return wrap(trace, value, type)


_BY_PYTHON: dict[str, Callable[..., Any]] = {
    "uniform": lambda owner, count: [owner.random() for _ in range(count)],
    "normal": lambda owner, count: owner.standard_normal(count),
    "exponential": lambda owner, count: [_exponential(owner) for _ in range(count)],
    "ratio_normal": lambda owner, count: [owner.normalvariate(0.0, 1.0) for _ in range(count)],
    "integers": lambda owner, low, high, count: owner.randint(low.item(), int(high) + 1, count, low.dtype),
    "permutation": lambda owner, count: owner.permutation(count),
    "order": lambda owner, count: _order(owner, count),
    "below": lambda owner, end, count: [owner._randbelow(int(end)) for _ in range(count)],
    "bits": lambda owner, length, count: [owner.getrandbits(int(length)) for _ in range(count)],
}
"""What the functions of the backend do, by methods of what has the state."""


def _exponential(owner: Any) -> float:
    if isinstance(owner, random.Random):
        return owner.expovariate(1.0)
    return float(owner.standard_exponential())


def _order(owner: random.Random, count: int) -> list[int]:
    places = list(range(count))
    owner.shuffle(places)
    return places


def twister_of(trace: Recorder, owner: Any) -> Twister | None:
    """What stands for an object of Python's or NumPy's that is a Mersenne Twister; None for another one."""
    home = home_of(owner)
    if home is None:
        return None
    if isinstance(owner, np.random.RandomState) and trace.python_state is not None:
        trace.python_state.lookups.held(owner, "_bit_generator")  # which `set_bit_generator` replaces
    return Twister(trace, owner, home)


def home_of(owner: Any) -> np.ndarray[Any, Any] | None:
    """The addresses of the state of an object: of its words, of how many are used up, and of the spare number."""
    if type(owner) is random.Random and not {"random", "getrandbits", "_randbelow"} & vars(owner).keys():
        layout = _layout_in_python()
        return None if layout is None else np.array([id(owner) + place for place in (*layout, 0)], np.int64)
    if type(owner) is not np.random.RandomState:
        return None
    bit_generator = getattr(owner, "_bit_generator", None)
    if type(bit_generator) is not np.random.MT19937:
        return None
    spare = _spare_in_numpy()
    if spare is None:
        return None
    keys = bit_generator.ctypes.state_address
    return np.array([keys, keys + 4 * _LENGTH, id(owner) + spare], np.int64)


@cache
def _layout_in_python() -> tuple[int, int] | None:
    """Where a `random.Random` has its words, and the number of those that are used up; None where that is not known."""
    tried = random.Random(1)
    size = random.Random.__base__.__basicsize__  # type: ignore[union-attr]
    found = set()
    for count in (1, 7, 300):
        for _ in range(count):
            tried.random()
        *words, used = tried.getstate()[1]
        memory = ctypes.string_at(id(tried), size)
        place = memory.find(struct.pack(f"={_LENGTH}I", *words))
        found.add((place, place - 4 if memory[place - 4 : place] == struct.pack("=i", used) else -1))
    layout = found.pop()
    return None if found or min(layout) < 0 else layout


@cache
def _spare_in_numpy() -> int | None:
    """Where a `RandomState` has whether there is a spare number, 8 bytes before it; None where that is not known."""
    tried = np.random.RandomState(1)
    found = set()
    for has, spare in ((1, 1.2345678), (0, -3.25e-7), (1, 6.022e23)):
        state: dict[str, Any] = tried.get_state(legacy=False)
        words, used = state["state"]["key"], state["state"]["pos"]
        tried.set_state({**state, "has_gauss": has, "gauss": spare})
        memory = ctypes.string_at(id(tried), type(tried).__basicsize__)
        place = memory.find(struct.pack("=d", spare)) - 8
        found.add(place if place >= 0 and memory[place : place + 4] == struct.pack("=i", has) else -1)
        keys = tried._bit_generator.ctypes.state_address
        expected = struct.pack(f"={_LENGTH}Ii", *map(int, words), used)
        if ctypes.string_at(keys, len(expected)) != expected:
            return None
    (place,) = found if len(found) == 1 else (-1,)
    return place if place >= 0 else None


__all__ = ["NotCompiled", "Twister", "twister_of"]
