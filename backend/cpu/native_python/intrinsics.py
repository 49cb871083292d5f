"""What native code can do besides arithmetic: reach memory, alone or among threads, and call C.

`translator.py` knows these functions by name. They cannot be called from Python; they are here so that native code
is checked as Python.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, NoReturn

from ....dialect.errors import InternalError

_CALLED = "native code was called as Python"


def only_native(names: dict[str, Any]) -> tuple[str, ...]:
    """Let the functions of a module raise where Python calls them: it says what they do, and has no code for them.

    Returns what they are called.
    """

    def refusing(function: FunctionType) -> Callable[..., NoReturn]:
        @wraps(function)
        def refused(*_: object) -> NoReturn:
            raise InternalError(_CALLED)

        return refused

    own = [value for value in names.values() if isinstance(value, FunctionType) and value is not only_native]
    given = {value.__name__: refusing(value) for value in own if value.__module__ == names["__name__"]}
    names.update(given)
    return tuple(given)


class Static(int):
    """The address of so many words that are there as long as the code: zero at first, at the start of a cache line.

    A constant of a module with native code, `COUNTERS = Static(3)`.
    """


class Linked:
    """A function that is there when code is linked."""

    def of(self, name: str, real: str) -> tuple[str, list[str], str]:
        """The symbol of a constant, the types of what it takes, and that of the result, where floats have a type."""
        raise NotImplementedError


class CFunction(Linked):
    """A function of the system that takes so many 64-bit integers or addresses: a constant with the function's name.

    `result` is its type in LLVM; an `int` (i32) is extended by its sign.
    """

    def __init__(self, parameters: int, result: str = "i64") -> None:
        self._types, self._result = ["i64"] * parameters, result

    def __call__(self, *arguments: int) -> int:
        raise InternalError(_CALLED)

    def of(self, name: str, real: str) -> tuple[str, list[str], str]:
        return name, self._types, self._result


class FloatFunction(Linked):
    """A function of C that takes and returns floats: `log` of double precision is `logf` of single precision."""

    def __init__(self, symbol: str, parameters: int = 1, real: str = "") -> None:
        self._symbol, self._parameters = symbol, parameters
        self._real = real
        """The type, where it is of one alone."""

    def __call__(self, *values: float) -> float:
        raise InternalError(_CALLED)

    def of(self, name: str, real: str) -> tuple[str, list[str], str]:
        kind = self._real or real
        return self._symbol + ("f" if kind == "float" else ""), [kind] * self._parameters, kind


class Order(enum.Enum):
    """The memory orders of C11, with LLVM's names."""

    RELAXED = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQUIRE_RELEASE = "acq_rel"
    SEQUENTIAL = "seq_cst"


def word(address: int) -> int:
    """The 64-bit integer at an address."""


def half(address: int) -> int:
    """The signed 32-bit integer at an address."""


def byte(address: int) -> int:
    """The unsigned 8-bit integer at an address."""


def set_word(address: int, value: int) -> None:
    """Store a 64-bit integer."""


def set_half(address: int, value: int) -> None:
    """Store the lower 32 bits."""


def set_byte(address: int, value: int) -> None:
    """Store the lower 8 bits."""


def stack(words: int) -> int:
    """The address of memory that is there until the function returns, aligned to 16 bytes."""


def atomic_load(address: int, order: Order) -> int:
    """The word at an address, which other threads may be writing."""


def atomic_store(address: int, value: int, order: Order) -> None:
    """Store a word that other threads may be reading."""


def atomic_exchange(address: int, value: int, order: Order) -> int:
    """Store a word; the one that was there."""


def atomic_add(address: int, value: int, order: Order) -> int:
    """Add to a word; what it was before."""


def atomic_and(address: int, value: int, order: Order) -> int:
    """Clear the bits of a word that are not set in a value; what it was before."""


def compare_exchange(address: int, expected: int, value: int, success: Order, failure: Order) -> int:
    """Store a word if the expected one is there; whether it was."""


def compare_exchange_weak(address: int, expected: int, value: int, success: Order, failure: Order) -> int:
    """The same, but it may fail for no reason: for loops that try again."""


def pause() -> None:
    """Do as little as the processor can, for a moment: between two looks at what another thread writes."""


def bit_length(value: int) -> int:
    """How many bits a word has up to its highest one that is set."""


def multiply_high(left: int, right: int) -> int:
    """The upper half of the product of two unsigned words."""


def rotate_right(value: int, places: int) -> int:
    """The bits of a word, moved in a circle."""


def unsigned_less(left: int, right: int) -> int:
    """1 if an unsigned word is less than another one, else 0."""


def unsigned_remainder(left: int, right: int) -> int:
    """The remainder of a division of unsigned words."""


def bits(value: float) -> int:
    """The bits of a float; those of single precision are the lower ones."""


def from_bits(value: int) -> float:
    """The float of some bits."""


def wide(value: float) -> float:
    """A float in double precision."""


def root(value: float) -> float:
    """The square root of a float."""


def api(index: int) -> int:
    """A word of the table that whoever linked the code filled."""


def address_of(function: Callable[..., object]) -> int:
    """The address of another function of native code, for C to call."""


def call(function: int, *arguments: int) -> int:
    """Call a C function that takes and returns 64-bit integers or addresses."""


def call_int(function: int, *arguments: int) -> int:
    """Call a C function that returns an `int`."""


def call_double(function: int, bits: int) -> int:
    """Call a C function that takes the `double` with these bits, and returns an address."""


def call_void(function: int, *arguments: int) -> None:
    """Call a C function that returns nothing."""


only_native(globals())
