"""Python's arithmetic on Python's numbers that are known when the program runs: `math`, `cmath`, operators, methods."""

import cmath
import linecache
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

import weft

INFINITY, NAN = math.inf, math.nan
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    2.675,
    3.0,
    7.0,
    1e10,
    720.0,
    -750.0,
    171.5,
    1e308,
    INFINITY,
    -INFINITY,
    NAN,
]
PAIRS = [
    (a, b)
    for a in (0.0, -0.0, -1.0, 0.5, -3.0, 1e200, INFINITY, -INFINITY, NAN)
    for b in (0.0, -1.0, 2.0, 1e9)
]
INTS = [0, 1, -1, 5, -7, 15, 25, -15, 2**40]
COMPLEX = [complex(a, b) for a in (0.0, -0.0, 1.0, -3.0) for b in (0.0, -0.0, 2.0)]


def function_of(names: str, kind: str, expressions: Sequence[str]) -> Callable[..., Any]:
    """A function of an array of numbers that computes one of the expressions, chosen by its last argument."""
    bound = "".join(f"    {name} = {kind}(a[{place}])\n" for place, name in enumerate(names))
    source = f"def f(a):\n{bound}    return {', '.join(expressions)}\n"
    filename = f"<python numbers {len(linecache.cache)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"math": math, "cmath": cmath, "np": np}
    exec(compile(source, filename, "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


def outcome(function: Callable[..., Any], given: Any) -> Any:
    try:
        return function(given)
    except Exception as error:
        return error


def same(expected: Any, got: Any, least: float = 0.0) -> bool:
    """Whether two outcomes are one: types, values within 4 ulp or `least`, signs of zeros, texts of exceptions."""
    if isinstance(expected, Exception):
        return isinstance(got, type(expected)) and str(got).splitlines()[0] == str(expected)
    if type(expected) is not type(got):
        return False
    if isinstance(expected, tuple):
        return len(expected) == len(got) and all(map(same, expected, got))
    if isinstance(expected, complex):
        return same(expected.real, got.real) and same(expected.imag, got.imag)
    if isinstance(expected, float) and math.isfinite(expected):
        return abs(expected - got) <= max(4 * math.ulp(expected), least) and math.copysign(
            1, expected
        ) == math.copysign(1, got)
    return expected == got or (expected != expected and got != got)


def check(names: str, kind: str, expression: str, inputs: Iterable[Any], least: float = 0.0) -> None:
    """Compare an expression of numbers with Python's own."""
    function = function_of(names, kind, [expression])
    compiled = weft.function(function)
    for given in inputs:
        array = np.array(given).reshape(-1)
        expected, got = outcome(function, array), outcome(compiled, array)
        assert same(expected, got, least), f"{expression} of {given}: {got!r} instead of {expected!r}"


MATH = (
    "acosh asin atan cbrt ceil cos erf exp exp2 expm1 fabs floor frexp gamma isfinite lgamma log log1p log2 modf sinh "
    "sqrt tan tanh trunc ulp"
)


class TestMath:
    @pytest.mark.parametrize("name", [name for name in MATH.split() if hasattr(math, name)])
    def test_functions_of_a_float(self, name):
        fits = [x for x in FLOATS if name not in ("ceil", "floor", "trunc") or not 1e19 < abs(x) < INFINITY]
        least = (
            1e-15 if name == "lgamma" else 0.0
        )  # next to its zeros at negative numbers, where terms cancel
        check("x", "float", f"math.{name}(x)", fits, least)

    @pytest.mark.parametrize(
        "name", ["pow", "fmod", "remainder", "hypot", "copysign", "atan2", "isclose", "log"]
    )
    def test_functions_of_two_floats(self, name):
        check("xy", "float", f"math.{name}(x, y)", PAIRS)

    def test_functions_of_several_numbers(self):
        check("x", "float", "math.fsum([x, 1.0, 1e-9]), math.dist([x, 1.0], [2.0, 3.0])", FLOATS)
        check("x", "float", "math.prod([x, 2.0]), math.ldexp(x, 3), math.hypot(x, 1.0, 2.0)", FLOATS[:10])

    def test_functions_of_ints(self):
        pairs = [(x, y) for x in INTS[:6] for y in INTS[:5]]
        check("xy", "int", "math.gcd(x, y), math.lcm(x, y)", pairs)
        check("xy", "int", "math.comb(x, y)", pairs)
        check("x", "int", "math.isqrt(x), math.floor(x), math.factorial(x % 20)", INTS)

    def test_ints_beyond_64_bits_are_refused(self):
        for convert in (int, math.floor, round):
            with pytest.raises(OverflowError, match="a float is too large for an int, which has 64 bits"):
                weft.function(lambda x, convert=convert: convert(float(x)))(np.float64(1e19))

    def test_a_complex_number_is_not_real(self):
        with pytest.raises(TypeError, match="must be real number, not complex"):
            weft.function(lambda x: math.floor(complex(x)))(np.float64(1))


class TestComplexMath:
    @pytest.mark.parametrize("name", ["sqrt", "exp", "log", "phase", "polar", "acos", "isfinite"])
    def test_functions(self, name):
        check("z", "complex", f"cmath.{name}(z)", [*COMPLEX, complex(INFINITY, INFINITY), complex(NAN, 0)])

    def test_complex_numbers_are_made_of_parts(self):
        check("xy", "float", "complex(x, y), complex(x), cmath.rect(x, y)", PAIRS[:12])
        check("z", "complex", "complex(z), complex(z, 2.0), complex(1.0, z)", COMPLEX)


class TestOperators:
    @pytest.mark.parametrize("operator", ["//", "%", "/", "*", "<"])
    def test_on_floats(self, operator):
        check("xy", "float", f"x {operator} y", PAIRS)

    def test_powers_of_floats(self):
        check("xy", "float", "x ** y", [*PAIRS, (0.0, -INFINITY), (-2.0, INFINITY), (2.0, 0.5)])
        for exponent in ("2", "3", "-1", "0.5", "2.5"):
            check("x", "float", f"x ** {exponent}", [x for x in FLOATS if not x < 0 or "." not in exponent])
        check("x", "float", "2.0 ** x", FLOATS)
        check("x", "float", "x ** 0.5", [-0.0, -INFINITY])

    def test_powers_of_ints(self):
        check("x", "int", "x ** 2, x ** 3", INTS[:-1])
        check("x", "int", "x ** -2", INTS)
        check("x", "int", "pow(x, 3, 7), pow(x, 2)", INTS[:-1])
        check("z", "complex", "z ** 2, z ** -1", [1 + 2j, -3.5 - 1j])
        check("z", "complex", "z ** -1", [0j])

    def test_powers_whose_type_depends_on_values_are_refused(self):
        with pytest.raises(
            ValueError, match="a negative float to a fractional power is complex, which compiled code"
        ):
            weft.function(lambda x: float(x) ** 0.5)(np.float64(-4))
        with pytest.raises(
            ValueError, match="an int to the power of a negative int is a float, which compiled code"
        ):
            weft.function(lambda x: 5 ** int(x))(np.int64(-2))

    def test_shifts_by_negative_counts(self):
        check("xy", "int", "x << y", [(1, 3), (-5, 2), (1, -1)])
        check("xy", "int", "x >> y", [(1, 3), (-5, 70), (1, -1)])

    def test_complex_numbers_have_no_order(self):
        for expression in ("z < 1", "z >= z", "z // 2", "z % 2"):
            check("z", "complex", expression, [1j])

    def test_ufuncs_called_by_name_give_numpy_scalars(self):
        check("x", "int", "np.add(x, 1), np.true_divide(x, 2), np.negative(x)", INTS[1:])


class TestRounding:
    @pytest.mark.parametrize("digits", [0, 1, 2, 5, 17])
    def test_floats_are_rounded_as_decimals(self, digits):
        ties = [2.5, 0.125, 1.005, 2.675, 5e15 + 0.5, 4503599627370497.5, 123456.785, 1e22, 1e-20, 0.285]
        random = np.random.default_rng(digits).uniform(-1000, 1000, 200).round(digits + 1)
        check("x", "float", f"round(x, {digits})", [*FLOATS, *ties, *random])

    def test_other_roundings(self):
        check("x", "float", "round(x, -2), round(x, 30)", [1250.0, 1350.0, -0.0, 7.5])
        check("x", "int", "round(x), round(x, 1), round(x, -1)", INTS)
        check("xy", "int", "round(x / 8, y)", [(21, 2), (21, 1), (1000, -2)])

    def test_what_cannot_be_rounded(self):
        with pytest.raises(TypeError, match="type complex doesn't define __round__ method"):
            weft.function(lambda x: round(complex(x)))(np.float64(1))
        with pytest.raises(TypeError, match=r"type numpy.ndarray doesn't define __round__ method"):
            weft.function(lambda x: round(x))(np.ones(2))


class TestAttributes:
    def test_of_floats(self):
        check("x", "float", "x.real, x.imag, x.conjugate(), x.is_integer(), x.hex()", FLOATS)
        check("x", "float", "x.as_integer_ratio()", [0.5, -2.0, INFINITY])

    def test_of_ints(self):
        names = "x.real, x.imag, x.conjugate(), x.numerator, x.denominator, x.bit_length()"
        check("x", "int", names + ", hex(x), bin(x), oct(x)", INTS)

    def test_of_complex_numbers(self):
        check("z", "complex", "z.real, z.imag, z.conjugate()", COMPLEX)

    def test_what_numbers_do_not_have(self):
        check("x", "float", "hasattr(x, 'shape'), hasattr(x, 'hex')", [1.0])
        with pytest.raises(AttributeError, match="'int' object has no attribute 'hex'"):
            weft.function(lambda x: int(x).hex())(np.int64(1))
        with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
            weft.function(lambda x: hex(float(x)))(np.float64(1))


def test_scalar_types_make_scalars_of_numbers_that_are_data():
    @weft.function
    def f(z):
        r = min(z)
        return np.float32(r), np.bool_(r), np.complex64(r), np.int8([r, 1]), f"{np.float32(r)!r}"

    for z in [4, 0], [5, 3]:
        assert repr(f(z)) == repr(f.python_function(z))


def test_numbers_of_uint64_become_ints_where_64_bits_hold_them():
    @weft.function
    def ints(x):
        return int(x[1]) - 3, x[1].item(), x.tolist(), range(x[1])[-1]

    @weft.function
    def kept(x, y):
        y[: x[0]] = 0
        return y, y[:: x[1]], x[0] % np.uint64(10)

    @weft.function
    def indexed(x, y, rows=(1, 2, 3)):
        return rows[x[0]] if y[0] else y[x[0]]

    large = np.array([2**64 - 1, 2], np.uint64)
    assert repr(ints(large[1:].repeat(2))) == repr(ints.python_function(large[1:].repeat(2)))
    with pytest.raises(
        OverflowError, match="dtype uint64 is too large for an int, which has 64 bits and a sign"
    ):
        ints(large)
    assert repr(kept(large, np.ones(3))) == repr(kept.python_function(large, np.ones(3)))
    with pytest.raises(OverflowError, match="Python int too large to convert to C long"):
        indexed(large, np.zeros(3))
    with pytest.raises(IndexError, match="out of range"):
        indexed(large, np.ones(3))


def _of_a_branch(x: Any) -> Any:
    number = 300
    if x[0] > 5:
        number = x[1]
    return number


def _of_a_loop(x: Any) -> Any:
    number = 300
    for _ in range(x[0]):
        number = x[1]
    return number


def _of_a_list(x: Any) -> Any:
    items = [300]
    for _ in range(x[0]):
        items.append(x[1])
    return items


def _of_an_expression(x: Any) -> Any:
    return max(300, x[1]) if x[0] > 1 else x[0]


@pytest.mark.parametrize("program", [_of_a_branch, _of_a_loop, _of_a_list, _of_an_expression])
def test_numbers_that_the_dtype_of_another_path_does_not_hold_are_refused(program: Any) -> None:
    with pytest.raises(weft.UnsupportedError, match="is 300 on one path, and on another of int8"):
        weft.function(program)(np.array([2, 1], np.int8))
    np.testing.assert_array_equal(
        weft.function(program)(np.array([2, 1], np.int16)), program(np.array([2, 1], np.int16))
    )


def test_computed_ints_that_another_dtype_does_not_hold() -> None:
    """They are looked at when the program runs: it joins a Python int with a number of int8."""

    def counted(x: Any, turns: Any) -> Any:
        y = x[0]
        for i in range(turns):
            y = i
        return y

    def measured(x: Any, turns: Any) -> Any:
        y = x[0]
        if turns > 0:
            y = 25 * len(np.flatnonzero(x < turns))
        return y

    x = np.arange(1, 7, dtype=np.int8)
    for program, good, bad in ((counted, 100, 400), (measured, 4, 10)):
        compiled = weft.function(program)
        for turns in (0, good):
            assert compiled(x, np.int64(turns)) == program(x, turns)
        with pytest.raises(OverflowError, match=r"Python integer \d+ out of bounds for int8"):
            compiled(x, np.int64(bad))
