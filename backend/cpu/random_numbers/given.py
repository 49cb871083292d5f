"""What random numbers are made with besides integer arithmetic: wide products, floats as bits, tables, elements.

They cannot be called from Python; they are here so that what calls them is checked as Python.
"""

from __future__ import annotations

import struct

import numpy as np

from ..native_python.intrinsics import only_native
from .ziggurat_tables import BORDERS, INVERSE_BORDER, table


def algorithm() -> int:
    """The number of the algorithm, as `words.py` counts them."""


def is_data() -> int:
    """1 if the state of a Mersenne Twister is data of the program, 0 if it is in an object of Python's."""


def drawn(home: int) -> float:
    """The next number of the distribution that is asked for."""


def is_double() -> int:
    """1 if floats have 64 bits, 0 if they have 32."""


def unit() -> float:
    """What a uniform number has as a last place."""


def python_float(value: float) -> int:
    """A new `float` of Python's of a float of double precision."""


def float_of_python(value: int) -> float:
    """The float of double precision that a number of Python's is."""


def numpys_binomial(state: int, chance: int, count: int, kept: int) -> int:
    """A number of NumPy's binomial distribution; `kept` is what it computes of the parameters."""


def numpys_of_one(state: int, parameter: int) -> int:
    """A number of a distribution of NumPy's that has one parameter, a float."""


def numpys_of_two(state: int, first: int, second: int) -> int:
    """A number of a distribution of NumPy's that has two parameters, floats."""


def limit(layer: int) -> int:
    """The integer below which a number is inside of its layer."""


def width(layer: int) -> float:
    """The float that scales integers to a layer."""


def height(layer: int) -> float:
    """The density at the border of a layer."""


def border() -> float:
    """Where the tail begins."""


def inverse_border() -> float:
    """One by where the tail begins."""


def integer_bits() -> int:
    """How many bits the integers have; 1 for booleans."""


def integer_bytes() -> int:
    """How many bytes the integers have."""


def integer(address: int) -> int:
    """The integer at an address."""


def set_integer(address: int, value: int) -> int:
    """Store an integer."""


GIVEN = only_native(globals())
"""All functions."""


LINKED = (
    "log1p", "log1pf", "log", "logf", "exp", "expf", "cos", "sin", "PyFloat_FromDouble", "PyFloat_AsDouble",
)  # fmt: skip
"""The functions of C that it calls."""


def words_assembly(number: int) -> str:
    """What words are made with, in LLVM assembly."""
    return _constant("algorithm", number)


def state_assembly(is_data: bool) -> str:
    """Where the state of a Mersenne Twister is, in LLVM assembly."""
    return _constant("is_data", int(is_data))


def drawn_assembly(distribution: str) -> str:
    """The function of `twister_floats.py` that draws, in LLVM assembly."""
    return _function("drawn", "a", f"  %r = call double @{distribution}(i64 %a)\n  ret double %r\n", "double")


_OF_PYTHON = """
declare i64 @PyFloat_FromDouble(double)
declare double @PyFloat_AsDouble(i64)
define internal i64 @python_float(double %a) alwaysinline {
  %r = call i64 @PyFloat_FromDouble(double %a)
  ret i64 %r
}
define internal double @float_of_python(i64 %a) alwaysinline {
  %r = call double @PyFloat_AsDouble(i64 %a)
  ret double %r
}
"""
"""Functions of double precision only."""

REALS = {"float64": "double", "float32": "float"}


def floats_assembly(distribution: str, precision: str) -> str:
    """What floats are made with, in LLVM assembly; the tables are those of a distribution."""
    is_double, kind = precision == "float64", REALS[precision]
    numbers = {
        "unit": 2.0**-53 if is_double else 2.0**-24,
        "border": BORDERS.get(distribution, 0.0),
        "inverse_border": INVERSE_BORDER,
    }
    parts = [
        _constant("is_double", int(is_double)),
        *(_constant(name, _digits(number, precision), kind) for name, number in numbers.items()),
        _OF_PYTHON if is_double else "",
        _table("limit", "limits", distribution, precision, "i64" if is_double else "i32"),
        _table("width", "widths", distribution, precision, kind),
        _table("height", "heights", distribution, precision, kind),
    ]
    return "".join(parts)


def integers_assembly(dtype: np.dtype[np.generic]) -> str:
    """What integers are made with, in LLVM assembly."""
    size = dtype.itemsize
    kind = f"i{8 * size}"
    widened = "  %r = add i64 %v, 0\n" if size == 8 else ""
    if size < 8:
        widened = f"  %r = {'sext' if dtype.kind == 'i' else 'zext'} {kind} %v to i64\n"
    narrowed = "%b" if size == 8 else "%v"
    return (
        _constant("integer_bits", 1 if dtype.kind == "b" else 8 * size)
        + _constant("integer_bytes", size)
        + _function(
            "integer",
            "a",
            f"  %p = inttoptr i64 %a to ptr\n  %v = load {kind}, ptr %p\n{widened}  ret i64 %r\n",
        )
        + _function(
            "set_integer",
            "ab",
            "  %p = inttoptr i64 %a to ptr\n"
            + ("" if size == 8 else f"  %v = trunc i64 %b to {kind}\n")
            + f"  store {kind} {narrowed}, ptr %p\n  ret i64 0\n",
        )
    )


def _constant(name: str, value: int | str, kind: str = "i64") -> str:
    return f"define internal {kind} @{name}() alwaysinline {{ ret {kind} {value} }}\n"


def _function(name: str, parameters: str, body: str, result: str = "i64") -> str:
    declared = ", ".join(f"i64 %{parameter}" for parameter in parameters)
    return f"define internal {result} @{name}({declared}) alwaysinline {{\n{body}}}\n"


def _table(name: str, part: str, distribution: str, precision: str, kind: str) -> str:
    """A function that looks a table up."""
    bits = table(distribution, precision, part) if distribution in BORDERS else [0]
    entries: list[str] = list(map(str, bits))
    if kind in REALS.values():
        floats = np.array(bits, "u8" if kind == "double" else "u4").view("f8" if kind == "double" else "f4")
        entries = [_digits(number, precision) for number in floats.tolist()]
    values = ", ".join(f"{kind} {entry}" for entry in entries)
    result = "i64" if kind == "i32" else kind
    loaded = "  %r = zext i32 %v to i64\n" if kind == "i32" else ""
    body = (
        f"  %p = getelementptr {kind}, ptr @{part}, i64 %a\n  %{'v' if kind == 'i32' else 'r'} = load {kind}, ptr %p\n"
        f"{loaded}  ret {result} %r\n"
    )
    constant = f"@{part} = internal constant [{len(entries)} x {kind}] [{values}], align 64\n"
    return constant + _function(name, "a", body, result)


def _digits(number: float, precision: str) -> str:
    """A float as LLVM writes it: the bits of the double that it is."""
    return f"0x{struct.pack('>d', float(np.dtype(precision).type(number))).hex()}"
