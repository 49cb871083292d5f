"""What a library of compiled functions looks like to C: plain data, from which code, headers and manifests are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

import numpy as np

from ....dialect.errors import WeftValueError
from ....dialect.ops.state import exception_type
from ....dialect.records import NamedTuple
from ....dialect.types import TensorType
from ...planning.names import is_taken
from ...planning.plan import HostSite, Plan, Site

CANCELLED, OUT_OF_MEMORY, BAD_ARGUMENT = "Cancelled", "MemoryError", "ValueError"
DEVICE_ERROR = "DeviceError"

CODES = {
    "OK": 0,
    "IndexError": 1,
    "ValueError": 2,
    "TypeError": 3,
    "ZeroDivisionError": 4,
    "OverflowError": 5,
    "FloatingPointError": 6,
    "ArithmeticError": 7,
    "AssertionError": 8,
    "AttributeError": 9,
    "KeyError": 10,
    "LookupError": 11,
    "NotImplementedError": 12,
    "RuntimeError": 13,
    "Exception": 14,
    "UnboundLocalError": 15,
    "MemoryError": 16,
    "RecursionError": 17,
    "LinAlgError": 18,
    "StopIteration": 19,
    CANCELLED: 20,
    DEVICE_ERROR: 21,
    "NameError": 22,
}
"""What functions return for what Python would raise. Compiled programs compare with the numbers, so these stay as they
are: another exception gets the next one."""


def code_of(error: str) -> int:
    """What functions return for an exception: of weft's own, that of the one it derives from."""
    if error in CODES:
        return CODES[error]
    return next(CODES[base.__name__] for base in exception_type(error).__mro__ if base.__name__ in CODES)


C_TYPES = {
    "bool": "bool",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    "complex64": "weft_complex64",
    "complex128": "weft_complex128",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""What C calls the elements of arrays."""

LLVM_TYPES = {
    "bool": "i8",
    "float16": "i16",
    "bfloat16": "i16",
    "float32": "float",
    "float64": "double",
    **{f"{sign}int{bits}": f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""How numbers are passed by value; complex ones are not."""

_KEYWORD_LIST = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "bool true false class namespace template typename this new delete operator private public protected virtual "
    "friend using try catch throw explicit mutable and or not xor bitand bitor compl asm wchar_t char16_t "
    "char32_t nullptr constexpr decltype noexcept static_assert thread_local alignas alignof error state sizes main "
    "device stream NULL I "
)
_KEYWORDS = frozenset(_KEYWORD_LIST.split())
"""Names that C, C++ or the header itself uses."""
_OF_HEADERS = _KEYWORDS | {*C_TYPES.values(), "intptr_t", "uintptr_t", "size_t", "std"}
"""These, and what the headers include."""


class Place(Enum):
    """Where the memory of an array is."""

    CALLER = "caller"
    """The caller gives its address."""
    VALUE = "value"
    """It is a number, passed as such."""
    STATE = "state"
    """In the state of the library, at an offset."""
    CONSTANT = "constant"
    """In the library itself, where nobody writes."""
    BLOCK = "block"
    """In a block that the function makes and the caller frees."""


class Input(NamedTuple):
    """An array that a function gets."""

    name: str
    type: TensorType
    place: Place
    is_written: bool
    offset: int = 0
    """In the state; or the number of the constant."""


class Output(NamedTuple):
    """An array that a function makes."""

    name: str
    type: TensorType
    place: Place
    offset: int = 0
    """In the state."""


class StateArray(NamedTuple):
    """An array of the state."""

    key: str
    """Its name in the program."""
    name: str
    """Its name in C."""
    value: np.ndarray[Any, Any]
    """What it is at first."""
    type: TensorType
    offset: int


class CFunction(NamedTuple):
    """A function of the library."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    plan: Plan
    first_site: int
    """Its places that may fail are numbered from here on."""
    same: tuple[tuple[str, str], ...] = ()
    """Results that are arguments, which the caller has already: their names, and those of the arguments."""

    @property
    def uses_state(self) -> bool:
        """Whether it takes the state."""
        places = [*(i.place for i in self.inputs), *(o.place for o in self.outputs)]
        return Place.STATE in places

    @property
    def sized(self) -> list[Output]:
        """The results whose sizes the caller has to ask for."""
        return [o for o in self.outputs if o.place is Place.CALLER and None in o.type.shape]


class Library(NamedTuple):
    """What is exported together."""

    name: str
    functions: tuple[CFunction, ...]
    state: tuple[StateArray, ...]
    is_checked: bool
    """Whether functions look at what they are given."""
    has_threads: bool
    common: tuple[Site, ...]
    """What any of its functions may find."""
    has_levels: bool = False
    """Whether it has code for several levels of processors."""
    is_for_device: bool = False
    """Whether arrays lie on a GPU."""

    @property
    def failures(self) -> list[Site]:
        """All that may go wrong: the numbers of the places in C are those here, from 1 on."""
        own = (_plain(site) for function in self.functions for site in function.plan.sites)
        return [*self.common, *own]

    @property
    def state_bytes(self) -> int:
        """The size of the state."""
        return max((s.offset + s.value.nbytes for s in self.state), default=0)

    def names(self) -> Iterator[str]:
        """The names in the headers: of what others see, of the type of the state and of the namespace of C++."""
        yield from self.symbols()
        yield f"{self.name}_cpp"
        if self.state:
            yield f"{self.name}_state"
        if self.is_for_device:
            yield f"{self.name}_device"

    def symbols(self) -> Iterator[str]:
        """The names that others see."""
        yield f"{self.name}_describe"
        for function in self.functions:
            yield function.name
            if function.sized:
                yield f"{function.name}_sizes"
        if any(o.place is Place.BLOCK for function in self.functions for o in function.outputs):
            yield f"{self.name}_free"
        if self.state:
            yield from (f"{self.name}_{what}" for what in ("new", "delete", "size", "save", "load"))
            yield from (f"{self.name}_{array.name}" for array in self.state)
        if self.has_threads:
            yield f"{self.name}_set_threads"
        if self.has_levels:
            yield f"{self.name}_level"
        if self.is_for_device:
            yield from (f"{self.name}_{what}" for what in ("open", "close"))


NO_MEMORY = Site(OUT_OF_MEMORY, "there is no memory", 0, "")
STOPPED = Site(CANCELLED, "the call was cancelled", 0, "")
NO_STATE = Site(BAD_ARGUMENT, "the state of the call is NULL", 0, "")
NULL = Site(BAD_ARGUMENT, "the address of array {0} of the call is NULL", 1, "")
MISALIGNED = Site(
    BAD_ARGUMENT, "the address of array {0} of the call is no multiple of the size of its elements", 1, ""
)
NEGATIVE = Site(BAD_ARGUMENT, "an extent of array {0} of the call is negative", 1, "")
OVERLAP = Site(BAD_ARGUMENT, "arrays {0} and {1} of the call overlap, and one of them is written", 2, "")
FAILURES = (NO_MEMORY, STOPPED, NO_STATE, NULL, MISALIGNED, NEGATIVE, OVERLAP)
"""What any function may find."""


def failures_of_all(is_checked: bool) -> tuple[Site, ...]:
    """What any function may find, of a library that looks at its arguments or does not."""
    return FAILURES if is_checked else FAILURES[:2]


def number_of(failure: Site) -> int:
    """The number of a failure that any function may have."""
    return FAILURES.index(failure) + 1


def _plain(site: Site | HostSite) -> Site:
    assert isinstance(site, Site)
    return site


def c_name(words: str, taken: Sequence[str] = (), endings: Sequence[str] = ("",)) -> str:
    """A name in C for what a program calls so: with each of some endings, other than those that are taken.

    >>> c_name("params['w'][0]"), c_name("int"), c_name("x", ["x"]), c_name("1é")
    ('params_w_0', 'int_', 'x_', 'x1_')
    """
    parts = "".join(c if c.isascii() and c.isalnum() else "_" for c in words).strip("_").split("_")
    name = "_".join(part for part in parts if part) or "x"
    if not words.isascii():
        name += "_"
    if name[0].isdigit():
        name = f"x{name}"
    while name in _KEYWORDS or any(f"{name}{ending}" in taken for ending in endings):
        name += "_"
    return name


def require_c_name(name: str, *, of_library: bool = False) -> str:
    """A name for a function or a library in C, as it is given; raises `WeftValueError` for one that cannot be."""
    what, where = (
        ("a library", "library=, --library") if of_library else ("a function", "a keyword, name=, --name")
    )
    is_of_header = name in _OF_HEADERS or name.startswith(("weft_", "WEFT_", "_"))
    if not (name.isidentifier() and name.isascii()) or is_of_header:
        raise WeftValueError(f"{name!r} is no name for {what} in C: give it another one ({where})")
    if is_taken(name):
        raise WeftValueError(f"{name!r} is a function of the C library: give {what} another name ({where})")
    return name
