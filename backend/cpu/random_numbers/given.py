"""What random numbers are made with besides integer arithmetic: wide products, floats as bits, tables, elements.

They cannot be called from Python; they are here so that what calls them is checked as Python.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..native_python.intrinsics import only_native
from .ziggurat_tables import BORDERS, INVERSE_BORDER, table


def algorithm() -> int:
    """The number of the algorithm, as `words.py` counts them."""


def multiply_high(left: int, right: int) -> int:
    """The upper half of the product of two unsigned words."""


def rotate_right(value: int, places: int) -> int:
    """The bits of a word, moved in a circle."""


def unsigned_less(left: int, right: int) -> int:
    """1 if an unsigned word is less than another one, else 0."""


def unsigned_remainder(left: int, right: int) -> int:
    """The remainder of a division of unsigned words."""


def is_double() -> int:
    """1 if floats have 64 bits, 0 if they have 32."""


def real(value: int) -> int:
    """The float of an integer."""


def unit() -> int:
    """What a uniform number has as a last place."""


def plus(left: int, right: int) -> int:
    """The sum of floats."""


def minus(left: int, right: int) -> int:
    """The difference of floats."""


def times(left: int, right: int) -> int:
    """The product of floats."""


def over(left: int, right: int) -> int:
    """The quotient of floats."""


def root_of(value: int) -> int:
    """The square root of a float."""


def log_of(value: int) -> int:
    """The logarithm of a float: that of the C library, as Python's and NumPy's are."""


def cosine_of(value: int) -> int:
    """The cosine of a float of double precision: that of the C library."""


def sine_of(value: int) -> int:
    """The sine of a float of double precision: that of the C library."""


def python_float(value: int) -> int:
    """A new `float` of Python's of a float of double precision."""


def float_of_python(value: int) -> int:
    """The float of double precision that a number of Python's is."""


def numpys_binomial(state: int, chance: int, count: int, kept: int) -> int:
    """A number of NumPy's binomial distribution; `kept` is what it computes of the parameters."""


def numpys_of_one(state: int, parameter: int) -> int:
    """A number of a distribution of NumPy's that has one parameter, a float."""


def numpys_of_two(state: int, first: int, second: int) -> int:
    """A number of a distribution of NumPy's that has two parameters, floats."""


def negative(value: int) -> int:
    """A float with the other sign."""


def is_less(left: int, right: int) -> int:
    """1 if a float is less than another one, else 0."""


def log1p_of(value: int) -> int:
    """The logarithm of one plus a float: that of the C library, as NumPy's is."""


def is_below_normal(height: int, place: int) -> int:
    """1 if a height is below the normal density (of maximum 1) at a place, in double precision; else 0."""


def is_below_exponential(height: int, place: int) -> int:
    """1 if a height is below the exponential density at a place, else 0."""


def limit(layer: int) -> int:
    """The integer below which a number is inside of its layer."""


def width(layer: int) -> int:
    """The float that scales integers to a layer."""


def height(layer: int) -> int:
    """The density at the border of a layer."""


def border() -> int:
    """Where the tail begins."""


def inverse_border() -> int:
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


def bits_of(value: float) -> int:
    """The bits of a float of double precision, for constants of native code."""
    return int(np.float64(value).view(np.int64))


LINKED = (
    "log1p", "log1pf", "log", "logf", "exp", "expf", "cos", "sin", "PyFloat_FromDouble", "PyFloat_AsDouble",
)  # fmt: skip
"""The functions of C that it calls."""

_WORDS = """
define internal i64 @algorithm() alwaysinline {{ ret i64 {algorithm} }}
define internal i64 @multiply_high(i64 %a, i64 %b) alwaysinline {{
  %x = zext i64 %a to i128
  %y = zext i64 %b to i128
  %p = mul i128 %x, %y
  %s = lshr i128 %p, 64
  %r = trunc i128 %s to i64
  ret i64 %r
}}
declare i64 @llvm.fshr.i64(i64, i64, i64)
define internal i64 @rotate_right(i64 %a, i64 %n) alwaysinline {{
  %r = call i64 @llvm.fshr.i64(i64 %a, i64 %a, i64 %n)
  ret i64 %r
}}
define internal i64 @unsigned_less(i64 %a, i64 %b) alwaysinline {{
  %c = icmp ult i64 %a, %b
  %r = zext i1 %c to i64
  ret i64 %r
}}
define internal i64 @unsigned_remainder(i64 %a, i64 %b) alwaysinline {{
  %r = urem i64 %a, %b
  ret i64 %r
}}
"""

_TO_FLOAT = {
    "float64": "  %{0}f = bitcast i64 %{0} to double\n",
    "float32": "  %{0}i = trunc i64 %{0} to i32\n  %{0}f = bitcast i32 %{0}i to float\n",
}
_TO_BITS = {
    "float64": "  %r = bitcast double %rf to i64\n  ret i64 %r\n",
    "float32": "  %ri = bitcast float %rf to i32\n  %r = zext i32 %ri to i64\n  ret i64 %r\n",
}
_TO_TRUTH = "  %r = zext i1 %c to i64\n  ret i64 %r\n"

_DENSITIES = {
    "float64": {
        "is_below_normal": (
            "  %h = fmul double %bf, -0.5\n  %e = fmul double %h, %bf\n  %d = call double @exp(double %e)\n"
            "  %c = fcmp olt double %af, %d\n"
        ),
        "is_below_exponential": (
            "  %e = fneg double %bf\n  %d = call double @exp(double %e)\n  %c = fcmp olt double %af, %d\n"
        ),
    },
    "float32": {
        "is_below_normal": (
            "  %aw = fpext float %af to double\n  %bw = fpext float %bf to double\n"
            "  %h = fmul double %bw, -0.5\n  %e = fmul double %h, %bw\n  %d = call double @exp(double %e)\n"
            "  %c = fcmp olt double %aw, %d\n"
        ),
        "is_below_exponential": (
            "  %e = fneg float %bf\n  %d = call float @expf(float %e)\n  %c = fcmp olt float %af, %d\n"
        ),
    },
}
"""As NumPy's C code has them: its -0.5 makes doubles of floats."""


def words_assembly(number: int) -> str:
    """What words are made with, in LLVM assembly."""
    return _WORDS.format(algorithm=number)


_OF_PYTHON = """
declare double @cos(double)
declare double @sin(double)
declare i64 @PyFloat_FromDouble(double)
declare double @PyFloat_AsDouble(i64)
""" + "".join(
    f"define internal i64 @{name}(i64 %a) {{\n  %af = bitcast i64 %a to double\n{body}  ret i64 %r\n}}\n"
    for name, body in (
        ("cosine_of", "  %rf = call double @cos(double %af)\n  %r = bitcast double %rf to i64\n"),
        ("sine_of", "  %rf = call double @sin(double %af)\n  %r = bitcast double %rf to i64\n"),
        ("python_float", "  %r = call i64 @PyFloat_FromDouble(double %af)\n"),
        (
            "float_of_python",
            "  %rf = call double @PyFloat_AsDouble(i64 %a)\n  %r = bitcast double %rf to i64\n",
        ),
    )
)
"""Functions of double precision only."""


def floats_assembly(distribution: str, precision: str) -> str:
    """What floats are made with, in LLVM assembly; the tables are those of a distribution."""
    kind = {"float64": "double", "float32": "float"}[precision]
    one, two = _TO_FLOAT[precision].format("a"), "".join(map(_TO_FLOAT[precision].format, "ab"))
    bits, suffix = _TO_BITS[precision], "" if precision == "float64" else "f"
    binary = {"plus": "fadd", "minus": "fsub", "times": "fmul", "over": "fdiv"}
    dtype = np.dtype(precision)
    constants = {
        "is_double": int(precision == "float64"),
        "unit": _bits(2.0**-53 if precision == "float64" else 2.0**-24, dtype),
        "border": _bits(BORDERS.get(distribution, 0.0), dtype),
        "inverse_border": _bits(INVERSE_BORDER, dtype),
    }
    parts = [
        f"declare double @exp(double)\ndeclare float @expf(float)\ndeclare {kind} @log1p{suffix}({kind})\n"
        f"declare {kind} @log{suffix}({kind})\ndeclare {kind} @llvm.sqrt.f{8 * dtype.itemsize}({kind})\n",
        *(_constant(name, value) for name, value in constants.items()),
        *(
            _function(name, "ab", f"{two}  %rf = {operation} {kind} %af, %bf\n{bits}")
            for name, operation in binary.items()
        ),
        _function("negative", "a", f"{one}  %rf = fneg {kind} %af\n{bits}"),
        _function("real", "a", f"  %rf = sitofp i64 %a to {kind}\n{bits}"),
        _function("is_less", "ab", f"{two}  %c = fcmp olt {kind} %af, %bf\n{_TO_TRUTH}"),
        *(
            f"define internal i64 @{name}(i64 %a) {{\n{one}  %rf = call {kind} @{called}({kind} %af)\n{bits}}}\n"
            for name, called in (
                ("log1p_of", f"log1p{suffix}"),
                ("log_of", f"log{suffix}"),
                ("root_of", f"llvm.sqrt.f{8 * dtype.itemsize}"),
            )
        ),
        _OF_PYTHON,
        *(_function(name, "ab", two + body + _TO_TRUTH) for name, body in _DENSITIES[precision].items()),
        *(
            _table(name, part, distribution, precision)
            for name, part in (("limit", "limits"), ("width", "widths"), ("height", "heights"))
        ),
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


def _constant(name: str, value: int) -> str:
    return f"define internal i64 @{name}() alwaysinline {{ ret i64 {value} }}\n"


def _function(name: str, parameters: str, body: str) -> str:
    declared = ", ".join(f"i64 %{parameter}" for parameter in parameters)
    return f"define internal i64 @{name}({declared}) alwaysinline {{\n{body}}}\n"


def _table(name: str, part: str, distribution: str, precision: str) -> str:
    """A function that looks a table up."""
    kind = "i64" if precision == "float64" else "i32"
    entries = table(distribution, precision, part) if distribution in BORDERS else [0]
    values = ", ".join(f"{kind} {entry}" for entry in entries)
    loaded = "" if kind == "i64" else "  %r = zext i32 %v to i64\n"
    body = (
        f"  %p = getelementptr {kind}, ptr @{part}, i64 %a\n  %{'r' if kind == 'i64' else 'v'} = load {kind}, ptr %p\n"
        f"{loaded}  ret i64 %r\n"
    )
    return f"@{part} = internal constant [{len(entries)} x {kind}] [{values}], align 64\n" + _function(
        name, "a", body
    )


@cache
def _bits(value: float, dtype: np.dtype[np.generic]) -> int:
    return int(np.asarray(value, dtype).view(f"u{dtype.itemsize}"))
