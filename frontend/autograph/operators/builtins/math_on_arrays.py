"""The modules `math` and `cmath` on traced numbers: Python numbers out, and the modules' errors at run time.

Functions that NumPy has are compiled; the others are called in Python when the program runs.
"""

from __future__ import annotations

import builtins
import cmath
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .....dialect.ops.special import Gamma, Gammaln
from ....numpy_api import lookup
from ....runtime_values.python_calls import call_python
from ....runtime_values.values import holds_traced
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.staging import apply, raise_where, trace_of
from ..interface import operators
from .builtins_on_arrays import float_, fold, int_
from .math_on_integers import integer_names, integer_row

Check = Callable[..., Any]
Function = Callable[..., Any]


def _number(value: Any) -> Any:
    """An argument as the modules take it: a float."""
    if not isinstance(value, TracedArray):
        return float(value)
    if value.dtype.kind == "c":
        raise TypeError("must be real number, not complex")
    return float_(value)


def _compiled(
    name: str,
    outside: Check | None = None,
    overflows: bool = False,
    result: type = float,
    compute: Function | None = None,
) -> Function:
    """A function of `math` by its name, which is NumPy's, too, unless it is computed by another one."""
    theirs = getattr(math, name)
    compute = compute or getattr(np, name, None)

    def function(*args: Any) -> Any:
        numbers = [_number(value) for value in args]
        if outside is not None:
            raise_where(outside(*numbers), ValueError, _domain_message(theirs))
        value = (compute or lookup(name))(*numbers)
        if overflows:
            finite = functools.reduce(np.logical_and, map(np.isfinite, numbers))
            raise_where(np.logical_and(np.isinf(value), finite), OverflowError, "math range error")
        return value._like_python(result)

    return function


def _domain_message(function: Function) -> str:
    """What this Python says about an argument out of the domain."""
    for argument in (-1.0, 2.0):
        try:
            function(argument)
        except (ValueError, TypeError) as error:
            return str(error).replace("{", "{{") if isinstance(error, ValueError) else "math domain error"
    return "math domain error"


def _to_int(round_: np.ufunc) -> Function:
    """`floor`, `ceil` and `trunc`: to an int."""

    def function(value: Any) -> Any:
        if value.dtype.kind in "bui":
            return int_(value)
        _number(value)  # refuses what is no real number
        return int_(round_(value))

    return function


def _pow_is_outside(base: Any, exponent: Any) -> Any:
    finite = np.logical_and(np.isfinite(base), np.isfinite(exponent))
    root = np.logical_and(np.less(base, 0), np.not_equal(np.floor(exponent), exponent))
    pole = np.logical_and(np.equal(base, 0), np.less(exponent, 0))
    return np.logical_and(np.logical_or(root, pole), finite)


def _fmod_is_outside(x: Any, y: Any) -> Any:
    known = np.logical_not(np.logical_or(np.isnan(x), np.isnan(y)))
    return np.logical_and(np.logical_or(np.isinf(x), np.equal(y, 0)), known)


def _logarithm(x: Any, base: Any = None) -> Any:
    """`math.log` of traced numbers."""
    if base is None:
        return _natural_logarithm(x)
    return _natural_logarithm(x) / _natural_logarithm(base)


def _natural_logarithm(x: Any) -> Any:
    return _traced_logarithm(x) if isinstance(x, TracedArray) else math.log(x)


_traced_logarithm = _compiled("log", lambda x: np.less_equal(x, 0))


def _hypot(*sides: Any) -> Any:
    numbers = [_number(side) for side in sides]
    if len(numbers) < 2:
        return builtins.abs(numbers[0])
    return functools.reduce(_traced_hypot, numbers)


_traced_hypot = _compiled("hypot", overflows=True)


def _in_python(theirs: Function, *results: type) -> Function:
    """A function that is called in Python when the program runs; what it returns."""

    def function(*args: Any, **named: Any) -> Any:
        trace = trace_of((*args, *named.values())) or current_trace()
        assert trace is not None  # as this is called for traced values
        return call_python(trace, theirs, args, *results, **named)

    return function


def _is_pole(x: Any) -> Any:
    """Whether a number is a pole of the gamma function: a whole one that is not above 0."""
    return np.logical_and(np.less_equal(x, 0), np.equal(np.floor(x), x))


def _lgamma(x: Any) -> Any:
    """The logarithm of the gamma function, infinite at both infinities; SciPy has -inf at -inf."""
    return np.where(np.isinf(x), np.inf, apply(Gammaln, x))


_COMPILED: dict[str, Function] = {
    "sqrt": _compiled("sqrt", lambda x: np.less(x, 0)),
    "exp": _compiled("exp", overflows=True),
    "exp2": _compiled("exp2", overflows=True) if hasattr(math, "exp2") else None,  # type: ignore[dict-item]
    "expm1": _compiled("expm1", overflows=True),
    "log": _logarithm,
    "log2": _compiled("log2", lambda x: np.less_equal(x, 0)),
    "log10": _compiled("log10", lambda x: np.less_equal(x, 0)),
    "log1p": _compiled("log1p", lambda x: np.less_equal(x, -1)),
    "sin": _compiled("sin", np.isinf),
    "cos": _compiled("cos", np.isinf),
    "tan": _compiled("tan", np.isinf),
    "asin": _compiled("asin", lambda x: np.greater(np.abs(x), 1)),
    "acos": _compiled("acos", lambda x: np.greater(np.abs(x), 1)),
    "sinh": _compiled("sinh", overflows=True),
    "cosh": _compiled("cosh", overflows=True),
    "acosh": _compiled("acosh", lambda x: np.less(x, 1)),
    "atanh": _compiled("atanh", lambda x: np.greater_equal(np.abs(x), 1)),
    "hypot": _hypot,
    "fmod": _compiled("fmod", _fmod_is_outside),
    "pow": _compiled("pow", _pow_is_outside, overflows=True),
    "gamma": _compiled(
        "gamma",
        lambda x: np.logical_or(_is_pole(x), np.equal(x, -np.inf)),
        overflows=True,
        compute=functools.partial(apply, Gamma),
    ),
    "lgamma": _compiled(
        "lgamma", lambda x: np.logical_and(_is_pole(x), np.isfinite(x)), overflows=True, compute=_lgamma
    ),
    "prod": lambda iterable, /, *, start=1: fold(functools.partial(operators().binary, "*"), iterable, start),
    **{
        name: _compiled(name, result=result)
        for result, names in (
            (float, "atan atan2 tanh asinh fabs copysign degrees radians cbrt erf erfc"),
            (bool, "isnan isinf isfinite"),
        )
        for name in names.split()
        if hasattr(math, name)
    },
    **{name: _to_int(getattr(np, name)) for name in ("floor", "ceil", "trunc")},
}

_RESULTS: dict[Any, dict[tuple[type, ...], str]] = {
    math: {
        (float,): "ldexp remainder nextafter ulp dist fsum sumprod fma",
        (int,): "gcd lcm comb perm factorial isqrt",
        (bool,): "isclose",
        (float, int): "frexp",
        (float, float): "modf",
    },
    cmath: {
        (complex,): "acos acosh asin asinh atan atanh cos cosh exp log log10 rect sin sinh sqrt tan tanh",
        (float,): "phase",
        (float, float): "polar",
        (bool,): "isclose isfinite isinf isnan",
    },
}
"""What the functions return that are called in Python, or, of ints, may be."""


def _some_traced(*args: Any) -> bool:
    return holds_traced(args, depth=3)


def math_rows() -> Iterator[tuple[Function, tuple[Callable[..., bool], Function]]]:
    """For each function of the modules when another is called in its place, and which."""
    for module, groups in _RESULTS.items():
        for results, names in groups.items():
            for name in filter(functools.partial(hasattr, module), names.split()):
                theirs = getattr(module, name)
                by_python = _in_python(theirs, *results)
                ours = integer_row(name, by_python) if name in integer_names() else by_python
                yield theirs, (_some_traced, ours)
    for name, ours in _COMPILED.items():
        if ours is not None:
            yield getattr(math, name), (_some_traced, ours)
