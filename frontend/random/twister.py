"""The Mersenne Twisters of Python's `random` and of NumPy's older functions: drawn of by native code, where they are.

The state stays in the object of Python or NumPy that has it, so that draws are in order with those of all code that is
not compiled. Each draw is a call of Python that processors make as a call of native code, at the addresses of the
state; these are found by looking for what the object says of its state.
"""

from __future__ import annotations

import _thread
import ctypes
import random
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...dialect.callbacks import with_native
from ...dialect.op import Op
from ...dialect.ops.random import RandomFloats, RandomIntegers, RandomPermutation
from ...dialect.records import dataclass
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


@dataclass(frozen=True, eq=False)
class Home:
    """Where a state is."""

    addresses: np.ndarray[Any, Any]
    """As `backend/cpu/random_numbers/twister_words.py` says."""
    kept: Any
    """Has to be there as long as the addresses are used."""


class Twister:
    """What numbers are drawn of: a `Source` of what NumPy's older functions draw."""

    def __init__(self, trace: Recorder, owner: Any, home: Home) -> None:
        self.trace = trace
        self.owner = owner
        self._home = home

    def draw(self, op_class: type[Op], operands: Sequence[Any], shape: Any, **attributes: Any) -> Any:
        """Record a draw of NumPy's older functions, as an op says it for generators."""
        *_, count = shape
        if op_class is RandomFloats:
            return self.drawn(attributes["distribution"], (), count, FLOAT64)
        if op_class is RandomIntegers:
            bounds = type_of_operand(operands[0])
            step = np.int64(bounds.rank > 0)  # whether each number has bounds of its own
            return self.drawn("integers", [*operands, step], count, bounds.dtype)
        assert op_class is RandomPermutation
        return self.drawn("permutation", (), count, INT64).reshape(shape)

    def drawn(self, function: str, given: Sequence[Any], count: Any, dtype: np.dtype[Any]) -> Any:
        """Record a draw of so many numbers by a function of the backend."""
        trace, owner = self.trace, self.owner
        make = BY_PYTHON[function]

        def call(home: Any, *rest: Any, kept: Any = self._home.kept) -> list[Any]:
            return [np.asarray(make(owner, *rest[:-1], int(rest[-1])), dtype)]

        number = cast(count, INT64) if isinstance(count, TracedArray) else np.int64(count)
        operands = [constant(trace, self._home.addresses), *given, number]
        callback = with_native(outside_traces(call, function), f"weft_twister_{function}_{dtype}")
        note_draw(trace)
        trace.dependencies.refuse("a random generator whose state has an address in this process")
        type = TensorType((None if isinstance(count, TracedArray) else int(count),), dtype)
        (value,) = trace.host_call(callback, [value_of(trace, operand) for operand in operands], [type])
        return wrap(trace, value, type)


BY_PYTHON: dict[str, Callable[..., Any]] = {
    "uniform": lambda owner, count: [owner.random() for _ in range(count)],
    "normal": lambda owner, count: owner.standard_normal(count),
    "exponential": lambda owner, count: [_exponential(owner) for _ in range(count)],
    "binomial": lambda owner, n, p, step, count: owner.binomial(n, p, count),
    "poisson": lambda owner, lam, step, count: owner.poisson(lam, count),
    "laplace": lambda owner, loc, scale, step, count: owner.laplace(loc, scale, count),
    "gumbel": lambda owner, loc, scale, step, count: owner.gumbel(loc, scale, count),
    "logistic": lambda owner, loc, scale, step, count: owner.logistic(loc, scale, count),
    "ratio_normal": lambda owner, count: [owner.normalvariate(0.0, 1.0) for _ in range(count)],
    "circle_normal": lambda owner, count: [owner.gauss(0.0, 1.0) for _ in range(count)],
    "integers": lambda owner, low, high, step, count: owner.randint(low, _behind(high), count, low.dtype),
    "permutation": lambda owner, count: owner.permutation(count),
    "order": lambda owner, count: _order(owner, count),
    "pool": lambda owner, last, count: _pool(owner, int(last), count),
    "distinct": lambda owner, end, count: owner.sample(range(int(end)), count),
    "below": lambda owner, end, count: [owner._randbelow(int(end)) for _ in range(count)],
    "bits": lambda owner, length, count: [owner.getrandbits(int(length)) for _ in range(count)],
}
"""What the functions of the backend do, by methods of what has the state."""


def _exponential(owner: Any) -> float:
    if isinstance(owner, random.Random):
        return owner.expovariate(1.0)
    return float(owner.standard_exponential())


def _behind(last: Any) -> Any:
    """The ends of ranges, which may be no numbers of their dtype."""
    return int(last) + 1 if last.ndim == 0 else [int(value) + 1 for value in last]


def _order(owner: random.Random, count: int) -> list[int]:
    places = list(range(count))
    owner.shuffle(places)
    return places


def _pool(owner: random.Random, last: int, count: int) -> list[int]:
    places = list(range(count))
    for number in range(last):
        one, other = count - 1 - number, owner._randbelow(count - number)  # type: ignore[attr-defined]
        places[one], places[other] = places[other], places[one]
    return places


def twister_of(trace: Recorder, owner: Any) -> Twister | None:
    """What stands for an object of Python's or NumPy's that is a Mersenne Twister; None for another one."""
    home = home_of(owner)
    if home is None:
        return None
    if isinstance(owner, np.random.RandomState) and trace.python_state is not None:
        trace.python_state.lookups.held(owner, "_bit_generator")  # which `set_bit_generator` replaces
    return Twister(trace, owner, home)


def home_of(owner: Any) -> Home | None:
    """Where the state of an object is; None for one that is no Mersenne Twister, or whose state cannot be found."""
    if type(owner) is random.Random and not {"random", "getrandbits", "_randbelow"} & vars(owner).keys():
        layout = _layout_in_python()
        if layout is None:
            return None
        keys, used = (id(owner) + place for place in layout)
        return Home(np.array([keys, used, id(owner), 0, id(_SPARE_NAME), id(None)], np.int64), owner)
    if type(owner) is not np.random.RandomState:
        return None
    bit_generator = getattr(owner, "_bit_generator", None)
    if type(bit_generator) is not np.random.MT19937:
        return None
    kind: Any = type(bit_generator.lock)
    spare, lock = _spare_in_numpy(), lock_word(kind)
    if spare is None or lock is None:
        return None
    keys, (place, mask) = bit_generator.ctypes.state_address, lock
    wait = _waiter(bit_generator.lock)
    of_lock = [id(bit_generator.lock) + place, mask, id(wait)]
    struct_of_numpy = bit_generator.ctypes.bit_generator.value
    words = [keys, keys + 4 * _LENGTH, id(owner) + spare, *of_lock, struct_of_numpy]
    return Home(np.array(words, np.int64), wait)


_SPARE_NAME = sys.intern("gauss_next")
"""The attribute of a `random.Random` that keeps a normal number."""


def _waiter(lock: Any) -> Callable[[], None]:
    """What waits until no other thread has a lock."""

    def wait() -> None:
        try:
            with lock:
                pass
        except KeyboardInterrupt:
            _thread.interrupt_main()  # which code looks for that can be interrupted

    return wait


@cache
def lock_word(kind: Any) -> tuple[int, int] | None:
    """The place of the word that tells who holds a lock of a class, and the bits of it that do; None if not known.

    Locks that a thread may take again have its number there, others a byte that is not zero.
    """
    lock: Any = next((made for made in (threading.Lock(), threading.RLock()) if type(made) is kind), None)
    if lock is None:
        return None
    size = kind.__basicsize__ // 8 * 8

    def words() -> tuple[int, ...]:
        return struct.unpack(f"={size // 8}Q", ctypes.string_at(id(lock), size))

    free, held = [], []
    for _ in range(3):
        free.append(words())
        with lock:
            held.append(words())
    me, every = threading.get_ident(), range(2, size // 8)
    for place in every:
        if all(w[place] == 0 for w in free) and all(w[place] == me for w in held):
            return 8 * place, -1
    for place, byte in ((place, byte) for place in every for byte in range(8)):
        mask = 0xFF << 8 * byte
        if all(w[place] & mask == 0 for w in free) and all(w[place] & mask == 1 << 8 * byte for w in held):
            return 8 * place, mask if byte < 7 else mask - (1 << 64)
    return None


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
