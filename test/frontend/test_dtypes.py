"""Promotion and exact values: every pair of dtypes through every ufunc, and random programs over all of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from support.differential import outcome
from support.native import STRESS
from support.op_values import distance, edge_values
from weft.dialect.dtypes import ALL_DTYPES
from weft.dialect.types import TensorType
from weft.frontend.compiling.array_behaviour import install_behaviour
from weft.frontend.numpy_api.ufuncs import ops_of_ufuncs
from weft.frontend.tracing.trace import Trace

install_behaviour()

_PYTHON = (True, 3, -1, 2.5, 1 - 2j)
_NUMPY_DTYPES = [dtype for dtype in ALL_DTYPES if dtype.kind in "biufc"]
_SCALARS = (np.True_, np.int8(1), np.uint64(1), np.float32(1), np.complex128(1))


def _promoted(ufunc: np.ufunc, operands: list[Any], eager: list[Any]) -> None:
    expected, expected_error = outcome(lambda: ufunc(*eager), ())
    got, error = outcome(lambda: ufunc(*operands), ())
    if expected_error is not None:
        assert isinstance(error, type(expected_error)), (ufunc, eager, expected_error, error)
        return
    assert error is None, (ufunc, eager, error)
    for g, e in zip(
        got if ufunc.nout > 1 else (got,), expected if ufunc.nout > 1 else (expected,), strict=True
    ):
        assert (g.dtype, g.ndim) == (e.dtype, e.ndim), (ufunc, eager)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ufunc", sorted(ops_of_ufuncs(), key=lambda u: u.__name__), ids=lambda u: u.__name__)
def test_every_pair_of_dtypes_promotes_as_in_numpy(ufunc: np.ufunc) -> None:
    trace = Trace(
        "promotion", [TensorType((1,), dtype) for dtype in _NUMPY_DTYPES], [d.name for d in _NUMPY_DTYPES]
    )
    traced = dict(zip(_NUMPY_DTYPES, trace.arguments, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in _NUMPY_DTYPES:
            one = np.ones(1, dtype)
            if ufunc.nin == 1:
                _promoted(ufunc, [traced[dtype]], [one])
                continue
            for other in _NUMPY_DTYPES:
                _promoted(ufunc, [traced[dtype], traced[other]], [one, np.ones(1, other)])
            for scalar in _SCALARS:
                _promoted(ufunc, [traced[dtype], scalar], [one, scalar])
            for number in _PYTHON:
                _promoted(ufunc, [traced[dtype], number], [one, number])
                if ufunc is not np.ldexp:  # NumPy looks at the value of a first number
                    _promoted(ufunc, [number, traced[dtype]], [number, one])


# Random programs of operations that NumPy computes exactly


_UNARY = [np.negative, np.absolute, np.sign, np.square, np.invert, np.logical_not, np.rint, np.floor, np.ceil]
_UNARY += [
    np.trunc,
    np.sqrt,
    np.isnan,
    np.isfinite,
    np.signbit,
    np.conjugate,
    np.positive,
    np.spacing,
    np.isinf,
]
_BINARY = [
    np.add,
    np.subtract,
    np.multiply,
    np.divide,
    np.floor_divide,
    np.remainder,
    np.fmod,
    np.maximum,
    np.minimum,
]
_BINARY += [np.fmax, np.fmin, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
_BINARY += [np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor]
_BINARY += [np.left_shift, np.right_shift, np.copysign, np.heaviside, np.gcd, np.power, np.nextafter]

_SHAPES = [(), (1,), (6,), (3, 6), (3, 1), (2, 1, 6), (1, 2, 3, 6), (0,), (0, 6), (4, 0, 1, 1)]
_COMPATIBLE = {
    6: [(), (1,), (6,), (3, 6), (3, 1), (2, 1, 6), (1, 2, 3, 6)],
    0: [(), (1,), (0,), (4, 0), (4, 1), (2, 1, 0)],
}


@st.composite
def _inputs(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    dtype = draw(st.sampled_from(_NUMPY_DTYPES))
    values = edge_values(dtype)
    seed = draw(st.integers(0, 2**16))
    array = np.random.default_rng(seed).choice(values, shape)
    layout = draw(st.sampled_from(["C", "C", "F", "reversed", "strided", "swapped", "scalar"]))
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "reversed":
        return array[..., ::-1] if array.ndim else array
    if layout == "strided" and array.ndim:
        wide = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "swapped":
        return array.astype(dtype.newbyteorder())
    return array[()] if layout == "scalar" else array


@st.composite
def _programs(draw: st.DrawFn) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """Inputs, and instructions that name their operands by position; Python numbers are operands of their own."""
    shapes = st.sampled_from(_COMPATIBLE[draw(st.sampled_from([6, 6, 6, 0]))])
    inputs = [draw(_inputs(draw(shapes))) for _ in range(draw(st.integers(1, 3)))]
    count = len(inputs)
    instructions: list[tuple[Any, ...]] = []
    numbers = st.sampled_from([True, False, 0, 1, -1, 7, 255, -128, 2**40, 0.0, -0.0, 1.5, float("nan"), 2j])
    for _ in range(draw(st.integers(2, 8))):
        place = st.integers(0, count - 1)
        kind = draw(st.sampled_from(["unary", "binary", "binary", "binary", "number", "where", "cast"]))
        if kind == "unary":
            instructions.append((kind, draw(st.sampled_from(_UNARY)), draw(place)))
        elif kind == "binary":
            instructions.append((kind, draw(st.sampled_from(_BINARY)), draw(place), draw(place)))
        elif kind == "number":
            instructions.append(
                (kind, draw(st.sampled_from(_BINARY)), draw(place), draw(numbers), draw(st.booleans()))
            )
        elif kind == "where":
            instructions.append((kind, draw(place), draw(place), draw(place)))
        else:
            instructions.append((kind, draw(st.sampled_from(_NUMPY_DTYPES)), draw(place)))
        count += 1
    return inputs, instructions


def _defined(ufunc: np.ufunc, *operands: Any) -> Any:
    """A ufunc's result, with a positive zero where NumPy does not say which of two zeros is the larger."""
    if ufunc is np.power:  # of floats it is close, not equal
        operands = tuple(o if np.result_type(o).kind in "biu" else 2 for o in operands)
    result = ufunc(*operands)
    if ufunc in (np.maximum, np.minimum, np.fmax, np.fmin) and result.dtype.kind in "fc":
        return result + result.dtype.type(0)
    return result


def _cast(value: Any, dtype: Any) -> Any:
    """A cast; of floats only those that every integer can hold, for others C gives no result."""
    if value.dtype.kind == "f" and dtype.kind in "iu":
        value = np.where((value >= 0) & (value < 100), value, value.dtype.type(0))
    return value.astype(dtype)


def _run(instructions: list[tuple[Any, ...]]) -> Any:
    def program(*inputs: Any) -> list[Any]:
        values = list(inputs)
        results = []
        for kind, *rest in instructions:
            try:
                if kind == "unary":
                    value = _defined(rest[0], values[rest[1]])
                elif kind == "binary":
                    value = _defined(rest[0], values[rest[1]], values[rest[2]])
                elif kind == "number":
                    pair = (values[rest[1]], rest[2])
                    value = _defined(rest[0], *(pair[::-1] if rest[3] else pair))
                elif kind == "where":
                    value = np.where(values[rest[0]], values[rest[1]], values[rest[2]])
                else:
                    value = _cast(values[rest[1]], rest[0])
            except (TypeError, OverflowError) as error:
                values.append(values[0])
                results.append("TypeError" if isinstance(error, TypeError) else "OverflowError")
            else:
                values.append(value)
                results.append(value)
        return results

    return program


def _assert_equal(got: Any, expected: Any, instruction: object, places: float) -> None:
    if isinstance(expected, str):
        assert got == expected
        return
    if np.ndim(expected):  # a 0-d array may come back as a scalar
        assert isinstance(got, np.ndarray), type(got)
    g, e = np.asarray(got), np.asarray(expected)
    assert (g.dtype, g.shape) == (e.dtype.newbyteorder("="), e.shape), instruction
    wrong = distance(g, e) > places
    assert not wrong.any(), (instruction, g[wrong][:4], e[wrong][:4])
    if g.dtype.kind == "f":
        zeros = (g == 0) & (np.signbit(g) != np.signbit(e))
        assert not zeros.any(), (instruction, "signs of zeros")


@settings(
    max_examples=20 * STRESS, deadline=None, derandomize=STRESS == 1, suppress_health_check=list(HealthCheck)
)
@given(_programs())
def test_random_programs(drawn: tuple[list[Any], list[tuple[Any, ...]]]) -> None:
    inputs, instructions = drawn
    program = _run(instructions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, expected_error = outcome(program, tuple(inputs))
        got, error = outcome(weft.function(program), tuple(inputs))
    if expected_error is not None:
        assert isinstance(error, type(expected_error)), (error, expected_error)
        return
    if error is not None:
        raise error
    results = [value for value in (*inputs, *expected) if not isinstance(value, str)]
    if any(value.dtype.kind == "c" for value in results):
        return  # lengths, products and quotients of complex numbers are close, not equal: what follows may be anything
    for g, e, instruction in zip(got, expected, instructions, strict=True):
        _assert_equal(g, e, instruction, 0.0)
