"""Exceptions that compiled code raises without Python: of builtin classes, with texts that may show numbers."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Program = Callable[[Any], Any]


def singular(x: Any) -> Any:
    if x.sum() == 0:
        raise ZeroDivisionError("singular {0} é")
    return x / x.sum()


def first_negative(x: Any) -> Any:
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError(f"{i} of {x.shape[0]}: {x[i]} {{}}")
    return x


def claimed(x: Any) -> Any:
    if not x[0] > 0:  # pytest adds to the messages of assert statements
        raise AssertionError(f"first {x[0]}")
    return x


def of_a_key(x: Any) -> Any:
    if x[0] == 0:
        raise KeyError("zero")
    return x


def after_a_write(x: Any) -> Any:
    x[0] = 5
    if x[1] == 0:
        raise RuntimeError("after a write")
    return x


def not_implemented(x: Any) -> Any:
    if x[0] < 1:
        raise NotImplementedError(f"count {np.count_nonzero(x)}")
    return x


PLAIN = [singular, first_negative, claimed, of_a_key, after_a_write, not_implemented]
INPUTS = [
    np.array(values) for values in ([1.0, 2.0], [0.0, 0.0], [1.0, 0.0], [0.5, -1 / 3], [np.inf, -np.inf])
]


def outcome(function: Program, given: np.ndarray[Any, Any]) -> Any:
    """What a caller sees: the result, or the exception and its line, and what the argument holds."""
    x = given.copy()
    try:
        result: Any = function(x).tolist()
    except Exception as error:
        result = type(error), error.args, traceback.extract_tb(error.__traceback__)[-1].lineno
    return result, x.tolist()


def calls_python(compiled: Any, extent: int | None) -> bool:
    """Whether the program asks Python to do something when it runs."""
    concrete = compiled.get_concrete_function(weft.TensorSpec([extent], "float64"))
    return "weft.python" in concrete.as_text("weft")


@pytest.mark.compiled("lines of errors are machine code's")
@pytest.mark.parametrize("program", PLAIN)
@pytest.mark.parametrize("extent", [2, None])
def test_programs_raise_what_they_raise_eagerly(program: Program, extent: int | None) -> None:
    compiled = weft.function(program, input_signature=[weft.TensorSpec([extent], "float64")])
    for given in INPUTS:
        with np.errstate(all="ignore"):
            expected = outcome(program, given)
        assert str(outcome(compiled, given)) == str(expected)
    assert not calls_python(compiled, extent)


def test_arguments_without_axes_are_shown() -> None:
    def refused(x: Any, n: Any) -> Any:
        if x[0] < n:
            raise ValueError(f"{n} and {x[0]}")
        return x

    specs = [weft.TensorSpec([None]), weft.TensorSpec([], "int64")]
    concrete = weft.function(refused).get_concrete_function(*specs)
    assert "weft.python" not in concrete.as_text("weft")
    with pytest.raises(ValueError, match=r"^3 and 1\.5"):
        concrete(np.full(2, 1.5), np.array(3))


def f32_text(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError(f"{np.float32(x[0])}")
    return x


def with_format(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError(f"{x[0]:.2f}")
    return x


def with_repr(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError(f"{x[0]!r}")
    return x


def of_an_array(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError(f"{x}")
    return x


def of_two_arguments(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError("two", 2)
    return x


def of_a_number(x: Any) -> Any:
    if x[0] < 0:
        raise IndexError(np.argmax(x))
    return x


def with_cause(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError("text") from KeyError("cause")
    return x


def without_text(x: Any) -> Any:
    if x[0] < 0:
        raise StopIteration
    return x


class OwnError(ValueError):
    """A class of the program."""


def of_own_class(x: Any) -> Any:
    if x[0] < 0:
        raise OwnError("text")
    return x


def with_zero_byte(x: Any) -> Any:
    if x[0] < 0:
        raise ValueError("a\0b\ud800")
    return x


OTHERS = [f32_text, with_format, with_repr, of_an_array, of_two_arguments, of_a_number, with_cause, without_text,
          of_own_class, with_zero_byte]  # fmt: skip


@pytest.mark.compiled("lines of errors are machine code's")
@pytest.mark.parametrize("program", OTHERS)
def test_python_makes_other_exceptions(program: Program) -> None:
    compiled = weft.function(program)
    for given in (np.array([1.0, 2.0]), np.array([-1 / 3, 2.0])):
        assert outcome(compiled, given) == outcome(program, given)
    assert calls_python(compiled, 2)
