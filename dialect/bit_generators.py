"""The state of NumPy's bit generators as words of 64 bits: where it lies in memory, and generators that have one.

The words are those of NumPy's own C structures, so that compiled code reads and writes the state where it is. PCG64
and PCG64DXSM have the spare half of a word (whether there is one, below, and the half, above), perhaps a word that
aligns the next ones, then state and increment of 128 bits, lower halves first. Philox has the place in its buffer, the
four words of the buffer, the spare half, the key and the counter.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from functools import cache
from typing import Any

import numpy as np

from .errors import InternalError
from .records import NamedTuple

ALGORITHMS = {"pcg64": "PCG64", "pcg64dxsm": "PCG64DXSM", "philox": "Philox"}
"""The bit generators that are compiled, and the names of their classes."""

_PHILOX_WORDS = 12
_FEWEST_WORDS = 5
"""Spare half, state and increment of a PCG64."""


class Layout(NamedTuple):
    """Where the words of a bit generator lie."""

    offset: int
    """In bytes, from the address of the state."""
    words: int


def is_generator(value: Any) -> bool:
    """Whether a value is a `numpy.random.Generator`; NumPy loads its module when somebody makes one."""
    module: Any = sys.modules.get("numpy.random")
    return module is not None and type(value) is module.Generator


def algorithm_of(generator: Any) -> str | None:
    """The algorithm of a generator that can be compiled; None for others."""
    return _algorithms().get(type(generator.bit_generator))


@cache
def _algorithms() -> dict[type, str]:
    """The algorithms that can be compiled on this machine, by the classes of their bit generators."""
    return {
        getattr(np.random, name): algorithm
        for algorithm, name in ALGORITHMS.items()
        if layout_of(algorithm) is not None
    }


_words: weakref.WeakValueDictionary[int, np.ndarray[Any, Any]] = weakref.WeakValueDictionary()
"""The arrays that somebody holds, by the identities of their bit generators, which they keep alive."""


def words_of(generator: Any) -> np.ndarray[Any, Any]:
    """The state of a generator: the memory itself, one array for one bit generator as long as anybody has it."""
    bit_generator = generator.bit_generator
    known = _words.get(id(bit_generator))
    if known is not None:
        return known
    algorithm = algorithm_of(generator)
    layout = None if algorithm is None else layout_of(algorithm)
    if layout is None:
        raise InternalError(f"a {type(bit_generator).__name__} has no words that are known")
    made = _view(bit_generator, layout, generator)
    return _words.setdefault(id(bit_generator), made)


def owner_of(words: np.ndarray[Any, Any]) -> Any:
    """The generator whose state an array is, as `words_of` made it; None for another array."""
    memory = words.base
    buffer = getattr(memory, "obj", memory)
    return getattr(buffer, "generator", None)


def generator_with(algorithm: str, words: np.ndarray[Any, Any]) -> Any:
    """A new generator that has a state."""
    generator = np.random.Generator(getattr(np.random, ALGORITHMS[algorithm])(0))
    own = words_of(generator)
    if own.size == words.size:
        own[...] = words
    else:  # of a machine that aligns in another way
        own[0], own[-4:] = words[0], words[-4:]
    return generator


def count_of_words(algorithm: str) -> int:
    """How many words the state has on this machine."""
    layout = layout_of(algorithm)
    if layout is None:
        raise InternalError(f"the words of {ALGORITHMS[algorithm]} are not known on this machine")
    return layout.words


def is_count_of_words(algorithm: str, count: int | None) -> bool:
    """Whether the state has so many words on some machine."""
    return count in ((_PHILOX_WORDS,) if algorithm == "philox" else (_FEWEST_WORDS, _FEWEST_WORDS + 1))


@cache
def layout_of(algorithm: str) -> Layout | None:
    """Where the words lie; None where they are not as described above, so that compiled code cannot use them."""
    bit_generator = getattr(np.random, ALGORITHMS[algorithm])(1)
    address = bit_generator.ctypes.state_address
    first = ctypes.c_uint64.from_address(address).value
    if algorithm == "philox":
        key = ctypes.c_uint64.from_address(address + 8).value
        layout = Layout(16, _PHILOX_WORDS)
        is_known = key == address + 64 and first == key + 16
    else:
        words = (first - address) // 8 + 3
        layout = Layout(8, words)
        is_known = is_count_of_words(algorithm, words)
    if not is_known or sys.byteorder != "little":
        return None
    bit_generator.random_raw(3)
    return layout if _has_state(bit_generator, _view(bit_generator, layout, None)) else None


def _has_state(bit_generator: Any, words: np.ndarray[Any, Any]) -> bool:
    """Whether words say what NumPy says of the state."""
    told = bit_generator.state
    spare = told["has_uint32"] | told["uinteger"] << 32
    if told["bit_generator"] == "Philox":
        state = told["state"]
        parts = [[told["buffer_pos"]], told["buffer"], [spare], state["key"], state["counter"]]
        return bool(words.tolist() == [int(word) for part in parts for word in part])
    state, increment = told["state"]["state"], told["state"]["inc"]
    halves = [value >> shift & (1 << 64) - 1 for value in (state, increment) for shift in (0, 64)]
    return bool([words[0], *words[-4:]] == [spare, *halves])


def _view(bit_generator: Any, layout: Layout, generator: Any) -> np.ndarray[Any, Any]:
    address = bit_generator.ctypes.state_address + layout.offset
    buffer: Any = (ctypes.c_uint64 * layout.words).from_address(address)
    buffer.bit_generator, buffer.generator = bit_generator, generator
    return np.frombuffer(buffer, np.uint64)
