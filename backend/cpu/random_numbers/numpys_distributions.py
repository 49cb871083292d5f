"""The functions of NumPy's C code that draw, which its documentation lets others call, and how native code does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np


class Distribution(NamedTuple):
    """One that NumPy's older functions and its generators draw by the same C code."""

    kind: str
    """Which function of `twister_numpys.py` draws it."""
    result: str
    """What NumPy's functions return."""
    functions: tuple[str, ...]
    tried: tuple[tuple[Any, ...], ...]
    """Parameters with which it is tried whether the code is the same, one tuple for each function."""


DISTRIBUTIONS = {
    "binomial": Distribution(
        "binomial",
        "i64",
        ("random_binomial_inversion", "random_binomial_btpe"),
        ((10**15, 1e-14), (1000, 0.3)),
    ),
    "poisson": Distribution("of_one", "i64", ("random_poisson",), ((20.0,),)),
    "laplace": Distribution("of_two", "double", ("random_laplace",), ((1.0, 2.0),)),
    "gumbel": Distribution("of_two", "double", ("random_gumbel",), ((1.0, 2.0),)),
    "logistic": Distribution("of_two", "double", ("random_logistic",), ((1.0, 2.0),)),
}


@cache
def numpys_addresses(name: str) -> dict[str, int] | None:
    """The addresses of NumPy's functions for a distribution; None where they are not there, or draw something else."""
    functions, tried = DISTRIBUTIONS[name].functions, DISTRIBUTIONS[name].tried
    try:
        library = ctypes.PyDLL(np.random._generator.__file__)
        found = [getattr(library, function) for function in functions]
    except (OSError, AttributeError):
        return None
    if not all(_draws_alike(name, call, given) for call, given in zip(found, tried, strict=True)):
        return None
    places = [ctypes.cast(call, ctypes.c_void_p).value or 0 for call in found]
    return dict(zip(functions, places, strict=True))


def _draws_alike(name: str, call: Any, given: tuple[Any, ...]) -> bool:
    """Whether a function draws what NumPy's older one draws."""
    state = np.random.RandomState(3)
    types: list[Any] = [ctypes.c_int64 if isinstance(value, int) else ctypes.c_double for value in given]
    kept = [(ctypes.c_int64 * 32)()] if DISTRIBUTIONS[name].kind == "binomial" else []
    call.restype = ctypes.c_int64 if DISTRIBUTIONS[name].result == "i64" else ctypes.c_double
    call.argtypes = [ctypes.c_void_p, *types, *[ctypes.c_void_p for _ in kept]]
    bit_generator = state._bit_generator.ctypes.bit_generator
    drawn = [call(bit_generator, *given, *kept) for _ in range(20)]
    older: Callable[..., Any] = getattr(np.random.RandomState(3), name)
    return bool(drawn == older(*given, size=20).tolist())


def call_assembly(name: str) -> str:
    """The function in LLVM assembly that calls NumPy's functions for a distribution, and stubs of the others."""
    distribution = DISTRIBUTIONS[name]
    kind, result = distribution.kind, distribution.result
    if kind == "binomial":
        return _BINOMIAL + _stub("of_one", "ab") + _stub("of_two", "abc")
    given = "abc" if kind == "of_two" else "ab"
    floats = "".join(f"  %{p}f = bitcast i64 %{p} to double\n" for p in given[1:])
    passed = ", ".join(["i64 %a", *(f"double %{p}f" for p in given[1:])])
    types = ", ".join(["i64", *("double" for _ in given[1:])])
    end = "  ret i64 %r\n" if result == "i64" else "  %bits = bitcast double %r to i64\n  ret i64 %bits\n"
    function = distribution.functions[0]
    return (
        f"declare {result} @{function}({types})\n"
        + _defined(kind, given, f"{floats}  %r = call {result} @{function}({passed})\n{end}")
        + _stub("binomial", "abcd")
        + (_stub("of_one", "ab") if kind == "of_two" else _stub("of_two", "abc"))
    )


def _stub(kind: str, parameters: str) -> str:
    return _defined(kind, parameters, "  ret i64 0\n")


def _defined(kind: str, parameters: str, body: str) -> str:
    declared = ", ".join(f"i64 %{parameter}" for parameter in parameters)
    return f"define internal i64 @numpys_{kind}({declared}) alwaysinline {{\n{body}}}\n"


_BINOMIAL = """
declare i64 @random_binomial_inversion(i64, i64, double, i64)
declare i64 @random_binomial_btpe(i64, i64, double, i64)
""" + _defined(
    "binomial",
    "abcd",
    """  %p = bitcast i64 %b to double
  %is_less = fcmp ole double %p, 5.0e-01
  %other = fsub double 1.0, %p
  %q = select i1 %is_less, double %p, double %other
  %count = sitofp i64 %c to double
  %mean = fmul double %q, %count
  %is_small = fcmp ole double %mean, 3.0e+01
  br i1 %is_small, label %small, label %large
small:
  %one = call i64 @random_binomial_inversion(i64 %a, i64 %c, double %q, i64 %d)
  br label %end
large:
  %two = call i64 @random_binomial_btpe(i64 %a, i64 %c, double %q, i64 %d)
  br label %end
end:
  %r = phi i64 [ %one, %small ], [ %two, %large ]
  %rest = sub i64 %c, %r
  %drawn = select i1 %is_less, i64 %r, i64 %rest
  ret i64 %drawn
""",
)
