"""Numbers that are stored into arrays of integers: those that do not fit raise or wrap around as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.call_comparison import difference, outcome
from support.interpreted import interpreted

Store = Callable[[np.ndarray[Any, Any], Any], Any]


def _set(index: Any) -> Store:
    return lambda array, value: array.__setitem__(index, value)


STORES: dict[str, Store] = {
    "item": _set(1),
    "slice": _set(slice(0, 2)),
    "index array": _set([0, 1]),
    "mask": lambda array, value: array.__setitem__(array == 0, value),
    "list": lambda array, value: array.__setitem__(slice(0, 2), [value, 1]),
    "flat item": lambda array, value: array.flat.__setitem__(0, value),
    "flat slice": lambda array, value: array.flat.__setitem__(slice(0, 2), value),
    "fill": lambda array, value: array.fill(value),
    "put": lambda array, value: np.put(array, [0], value),
    "putmask": lambda array, value: np.putmask(array, array == 0, value),
    "place": lambda array, value: np.place(array, array == 0, value),
    "copyto": lambda array, value: np.copyto(array, value, casting="unsafe"),
    "insert": lambda array, value: np.insert(array, 0, value),
    "full": lambda array, value: np.full(2, value, array.dtype),
    "array": lambda array, value: np.array(value, array.dtype),
    "array of list": lambda array, value: np.array([value, 1], array.dtype),
    "scalar type": lambda array, value: array.dtype.type(value),
    "pad": lambda array, value: np.pad(array, 1, constant_values=value),
    "initial": lambda array, value: np.sum(array, initial=value, dtype=array.dtype),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "Python": lambda value: int(value) if value.dtype.kind == "i" else float(value),
    "scalar": lambda value: value[()],
    "rank 0": lambda value: value,
}
VALUES = [("int8", np.int64(300)), ("int8", np.float64(np.nan)), ("uint8", np.int64(-1))]


@pytest.mark.sampled
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_fit_or_wrap_as_in_numpy(store: str, number: str) -> None:
    def program(array: np.ndarray[Any, Any], value: Any) -> Any:
        made = STORES[store](array, NUMBERS[number](value))
        return array if made is None else made

    compiled = interpreted(program)
    for dtype, value in VALUES:
        given = np.array(value) if number == "rank 0" else value
        expected, wanted = outcome(program, [np.zeros(3, dtype), given])
        got, error = outcome(compiled, [np.zeros(3, dtype), given])
        if wanted is None:
            assert error is None, (dtype, value, error)
            assert not difference(got, expected), (got, expected)
        else:
            assert isinstance(error, type(wanted)), (dtype, value, error, wanted)
            assert isinstance(wanted, TypeError) or str(wanted) in str(error)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int64", 2.0**63),
        ("int64", -(2.0**63)),
        ("int64", 1e30),
        ("uint64", 1e19),
        ("uint64", -0.5),
        ("uint64", -1.0),
        ("uint32", 2.0**64),
        ("int32", -np.inf),
        ("bool", np.nan),
        ("float32", 1e300),
    ],
)
def test_floats_at_the_edge_of_integers(dtype: str, value: float) -> None:
    def program(array: np.ndarray[Any, Any], number: Any) -> Any:
        array[0] = float(number)
        return array

    expected, wanted = outcome(program, [np.zeros(1, dtype), np.float64(value)])
    got, error = outcome(interpreted(program), [np.zeros(1, dtype), np.float64(value)])
    assert type(error).__name__.removeprefix("Weft") == type(wanted).__name__
    assert wanted is not None or not difference(got, expected)


def test_complex_numbers_are_no_integers() -> None:
    def python(array: np.ndarray[Any, Any], number: Any) -> None:
        array[0] = complex(number)

    def scalar(array: np.ndarray[Any, Any], number: Any) -> Any:
        array[0] = number
        return array

    for dtype in ("int8", "float32"):
        with pytest.raises(TypeError, match="not 'complex'"):
            interpreted(python)(np.zeros(1, dtype), np.complex128(1j))
        assert interpreted(scalar)(np.ones(1, dtype), np.complex128(2 + 1j))[0] == 2


def test_bounds_of_clip_that_do_not_limit_need_not_fit() -> None:
    def program(array: np.ndarray[Any, Any], low: Any, high: Any) -> Any:
        return np.clip(array, int(low), int(high))

    compiled, array = interpreted(program), np.array([0, 100], np.uint8)
    np.testing.assert_array_equal(compiled(array, np.int64(-1), np.int64(300)), array)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        compiled(array, np.int64(300), np.int64(300))


def test_shifts_of_roll_are_rounded() -> None:
    def program(array: np.ndarray[Any, Any], shift: Any) -> Any:
        return np.roll(array, 1.5), np.roll(array, (1, 2.5)), np.roll(array, 2 + 1j), np.roll(array, shift)

    array = np.arange(5)
    expected, _ = outcome(program, [array, np.float64(-2.5)])
    assert not difference(interpreted(program)(array, np.float64(-2.5)), expected)
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        interpreted(program)(array, np.float64(np.nan))


def _fill(x: Any, values: Any) -> Any:
    x[x < 5] = values
    return x


@pytest.mark.parametrize("values", [np.ones(1), np.ones(5), np.ones((1, 1)), np.ones((2, 3)), np.ones(3)])
@pytest.mark.parametrize("shape", [(6,), (2, 3)])
def test_values_for_a_mask_are_one_or_one_for_each_place(values: Any, shape: tuple[int, ...]) -> None:
    x = np.arange(6.0).reshape(shape)
    expected, wanted = outcome(_fill, [x.copy(), values])
    got, error = outcome(interpreted(_fill), [x.copy(), values])
    assert type(error).__name__.removeprefix("Weft") == type(wanted).__name__
    assert wanted is not None or not difference(got, expected)


def test_one_value_of_unknown_number_fills_a_mask() -> None:
    def program(x: Any, chosen: Any) -> Any:
        return _fill(x, np.compress(chosen, x))

    for chosen in ([0, 1], [1, 1, 1, 1, 1], [0, 0]):
        expected, wanted = outcome(program, [np.arange(6), np.array(chosen)])
        got, error = outcome(interpreted(program), [np.arange(6), np.array(chosen)])
        assert type(error) is type(wanted)
        assert wanted is not None or not difference(got, expected)


def test_numbers_beside_small_unsigned_ones_wrap_in_where_and_bound_arange() -> None:
    def program(x: Any, n: Any) -> Any:
        return np.where(x > 3, x, -3), np.where(x > 3, 300, x), np.arange(n), np.arange(n, 9)

    for dtype in ("uint8", "uint64"):
        arguments = [np.arange(6, dtype=dtype), np.dtype(dtype).type(4)]
        assert not difference(interpreted(program)(*arguments), program(*arguments))


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
@pytest.mark.parametrize("store", ["item", "fill", "flat item"])
def test_arrays_and_lists_are_no_elements(dtype: str, store: str) -> None:
    def array(target: Any, value: Any) -> Any:
        STORES[store](target, value)
        return target

    def items(target: Any, value: Any) -> Any:
        STORES[store](target, [value[0]])
        return target

    for program in (array, items):
        expected, wanted = outcome(program, [np.zeros(3, dtype), np.array([2])])
        got, error = outcome(interpreted(program), [np.zeros(3, dtype), np.array([2])])
        assert type(error).__name__.removeprefix("Weft") == type(wanted).__name__
        assert wanted is not None or not difference(got, expected)


def test_scalars_of_all_integers_are_stored_where_they_fit() -> None:
    def program(target: Any, value: Any) -> Any:
        target[:] = value
        return target

    for value in (np.uint8(9), np.uint8(200), np.int16(-200), np.uint64(2**63)):
        expected, wanted = outcome(program, [np.zeros(3, np.int8), value])
        got, error = outcome(interpreted(program), [np.zeros(3, np.int8), value])
        assert type(error) is type(wanted)
        assert str(error) == str(wanted)
        assert wanted is not None or not difference(got, expected)
