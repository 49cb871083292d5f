"""NumPy's functions that are not compiled: NumPy is called when the program runs, which is said."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy_names import CALLED, tables

import weft
from support.call_comparison import difference
from support.interpreted import interpreted

VALUES = np.random.default_rng(0).random(12)
GRID = VALUES.reshape(3, 4)
PLACES = np.array([0, 3, 1, 3])


def same(program: Callable[..., Any], *arguments: Any, run: Any = interpreted, **options: Any) -> None:
    """Compare results, arguments afterwards and exceptions with NumPy's, and ask for the warning."""
    theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with np.errstate(all="ignore"):
        expected = program(*theirs)
    with pytest.warns(weft.FallbackWarning, match="is not compiled: it is called in Python") as caught:
        got = run(program, **options)(*ours)
    assert caught[0].filename == __file__
    assert not difference(got, expected), f"{got!r} and not {expected!r}"
    for one, other in zip(ours, theirs, strict=True):
        assert not difference(one, other), f"{one!r} and not {other!r}"


PROGRAMS: list[Callable[..., Any]] = [
    lambda x: np.polyfit(x, x * 2, 2) + 1,
    lambda x: np.histogram2d(x, x, bins=3),
    lambda x: np.nanargmin(x, axis=0),
    lambda x: np.packbits(x > 0.5),
    lambda x: np.nanargmax(x),
    lambda x: np.resize(x, (2, 3)) if x[0] > 0 else np.zeros((2, 3)),
    lambda x: np.histogram(x, "auto"),
    lambda x: np.polydiv(x[:4], x[:2]),
    lambda x: np.quantile(x, [0.1, 0.3], method="hazen"),
    lambda x: np.quantile(x, 0.3, weights=np.arange(12), method="inverted_cdf"),
    lambda x: np.gradient(x, edge_order=2),
    lambda x: np.interp(x, [0, 0.5, 1], [1, 2, 3], period=0.8),
    lambda x: np.pad(x, 2, "linear_ramp", end_values=3),
    lambda x: np.insert(x, np.argmax(x), 5.0),
    lambda x: np.unique(x.reshape(3, 4).round(), axis=0),
    lambda x: np.hanning(np.argmax(x)),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_numpys(program: Callable[..., Any]) -> None:
    same(program, VALUES)


def test_compiled() -> None:
    """Through the whole compiler, with extents that are known when the program runs."""

    def program(x: Any, i: Any) -> Any:
        np.maximum.at(x, i, 0.7)
        return np.sort_complex(x), np.delete(x, i) + 1, np.hypot.reduce(x), np.subtract.accumulate(x)

    same(program, VALUES, PLACES, run=weft.function)
    unknown = [weft.TensorSpec((None,)), weft.TensorSpec((None,), "int64")]
    same(program, VALUES, PLACES, run=weft.function, input_signature=unknown)
    same(program, VALUES[:5], PLACES[:1], run=weft.function, input_signature=unknown)


def test_lengths_of_lists_are_those_of_other_arrays() -> None:
    def program(x: Any) -> Any:
        numbers, sizes = [], np.arange(30)
        for size in sizes:
            numbers.append(x[size % 12] * size)
        return np.polyfit(sizes, numbers, 1)

    same(program, VALUES, run=weft.function)


METHODS: list[Callable[..., Any]] = [
    lambda x, i: np.subtract.reduce(x, axis=1),
    lambda x, i: np.hypot.accumulate(x, axis=1),
    lambda x, i: np.subtract.reduceat(x, i, axis=1),
    lambda x, i: np.bitwise_xor.reduce(i),
    lambda x, i: np.multiply.at(x, (0, i), 2.0),
    lambda x, i: np.negative.at(x[1], i),
    lambda x, i: np.subtract.reduce(x, out=x[0]),
    lambda x, i: np.fmod.at(x, (0, 1), 2.0),
]


@pytest.mark.parametrize("program", METHODS)
def test_methods_of_ufuncs_and_arrays(program: Callable[..., Any]) -> None:
    same(program, GRID, PLACES)


WRITING: list[Callable[..., Any]] = [
    lambda x: np.fill_diagonal(x, [1, 2, 3]),
    lambda x: np.fill_diagonal(x, 3, wrap=True),
    lambda x: np.quantile(x, 0.3, axis=0, method="hazen", out=x[1]),
    lambda x: np.quantile(x, 0.3, 0, x[1], method="hazen"),
]


@pytest.mark.parametrize("program", WRITING)
def test_what_is_written_is_written(program: Callable[..., Any]) -> None:
    def writing(x: Any) -> Any:
        program(x)
        return x.sum()

    same(writing, GRID)


def test_inputs_that_may_be_overwritten_are_left_as_they_are() -> None:
    def program(x: Any) -> Any:
        first = np.quantile(x, 0.5, 0, None, True, method="hazen")
        return first, np.percentile(x, 30, overwrite_input=True, method="lower"), x + 0

    with pytest.warns(weft.FallbackWarning):
        got = interpreted(program)(GRID.copy())
    expected = np.quantile(GRID, 0.5, 0, method="hazen"), np.percentile(GRID, 30, method="lower")
    assert not difference(got, (*expected, GRID))


def test_calls_happen_in_order_with_the_values_of_their_place() -> None:
    def program(x: Any, n: Any) -> Any:
        total = np.zeros(3)
        for _ in range(n):
            x[0] += 1
            total += np.sort_complex(x).real
        return total

    same(program, np.arange(3.0), np.int64(3), run=weft.function)


def test_complex_where_numbers_may_be_complex() -> None:
    """As eigenvalues are; and how many roots there are is known when the program runs."""
    compiled = weft.function(lambda x: np.roots(x))
    with pytest.warns(weft.FallbackWarning, match="np.roots"):
        np.testing.assert_allclose(compiled(np.array([1.0, 0.0, 1.0])), [1j, -1j])
    np.testing.assert_allclose(compiled(np.array([0.0, 1.0, 1.0])), [-1 + 0j])
    with pytest.warns(weft.FallbackWarning, match=r"np\.lib\.scimath\.sqrt|sqrt"):
        got = interpreted(lambda x: np.emath.sqrt(-x))(np.array([4.0]))
    np.testing.assert_array_equal(got, [2j])


@pytest.mark.compiled("counts what machine code calls")
def test_ufuncs_of_others() -> None:
    from numpy._core import _umath_tests  # ufuncs that stand for those that users and numba make

    def program(x: Any, i: Any) -> Any:
        return _umath_tests.inner1d(x, x) + 1, _umath_tests.conv1d_full(x[0], x[1])

    expected = program(GRID, PLACES)
    with pytest.warns(weft.FallbackWarning) as caught:
        got = weft.function(program)(GRID, PLACES)
    assert {str(warning.message).partition(" ")[0] for warning in caught} == {"inner1d", "conv1d_full"}
    assert not difference(got, expected)
    compiled = weft.function(lambda x: np.sort_complex(x))
    with pytest.warns(weft.FallbackWarning):
        compiled(VALUES)
    concrete = compiled.get_concrete_function(VALUES)
    assert 'weft.python = "np.sort_complex"' in concrete.as_text("weft")
    ((name, place),) = concrete.cost_analysis().python_calls
    assert name == "np.sort_complex"
    assert place.startswith(__file__)
    assert f"Python is called: np.sort_complex, {place}" in str(concrete.cost_analysis())


def test_ufuncs_that_give_objects_are_refused() -> None:
    add = np.frompyfunc(lambda a, b: a + b, 2, 1)
    with pytest.raises(weft.UnsupportedError, match=r"the ufunc <lambda> .* is not supported"):
        weft.function(lambda x: add(x, x))(VALUES)


@pytest.mark.compiled("lines of errors are machine code's")
def test_what_fails_raises_at_the_users_line() -> None:
    def program(x: Any) -> Any:
        return np.quantile(x, x[0], method="hazen")

    compiled = weft.function(program)
    with pytest.warns(weft.FallbackWarning):
        compiled(VALUES)
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]") as caught:
        compiled(VALUES * 5)
    assert any(entry.name == "program" for entry in caught.traceback)


REFUSED: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: np.polyfit(x, x[:2], 1), TypeError, "expected x and y to have same length"),
    (
        weft.do_not_convert(lambda x: np.array_split(x, np.argmax(x))),
        weft.UnsupportedError,
        "must be known while tracing",
    ),
    (lambda x: np.save("x.npy", x), weft.UnsupportedError, "reads or writes files"),
    (weft.do_not_convert(lambda x: np.save("x.npy", x)), weft.UnsupportedError, "save is not supported"),
]


@pytest.mark.parametrize(("program", "error", "message"), REFUSED)
def test_what_cannot_be_called_is_refused(program: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.function(program)(VALUES)


def _view_written(x: Any) -> Any:
    y = np.real_if_close(x)
    y[0] = 3
    return x


def _source_written(x: Any) -> Any:
    y = np.real_if_close(x)
    x[0] = 3
    return y + 1


@pytest.mark.parametrize("program", [_view_written, _source_written])
def test_a_copy_is_no_view(program: Callable[..., Any]) -> None:
    """What shares memory in NumPy, and cannot here, is not written."""
    with pytest.warns(weft.FallbackWarning), pytest.raises(weft.UnsupportedError, match="shares its memory"):
        interpreted(program)(VALUES.copy())


def test_a_setting_refuses_such_functions() -> None:
    with (
        weft.settings.scope(fallback=False),
        pytest.raises(weft.UnsupportedError, match=r"numpy\.sort_complex is not supported"),
    ):
        weft.function(lambda x: np.sort_complex(x))(VALUES)


def test_what_the_page_of_names_says_is_called_is_called() -> None:
    """Each of these functions gives what NumPy gives of a vector, or raises what NumPy raises."""
    statuses = dict(tables())["np"]
    called = [name for name, status in statuses.items() if status == CALLED]
    assert len(called) > 30
    values = np.arange(4, dtype=np.uint8)
    for name in called:
        theirs, expected = _outcome(lambda x, name=name: getattr(np, name)(x), values)
        ours, got = _outcome(interpreted(lambda x, name=name: getattr(np, name)(x)), values)
        assert bool(theirs) == bool(ours), f"{name}: {ours!r} and not {theirs!r}"
        assert theirs or not difference(got, expected), f"{name}: {got!r} and not {expected!r}"


def _outcome(function: Callable[..., Any], values: Any) -> tuple[Exception | None, Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return None, function(values.copy())
        except Exception as error:
            return error, None
