"""NumPy's functions that are not compiled: NumPy is called when the program runs, which is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

VALUES = np.random.default_rng(0).random(12)

PROGRAMS: list[Callable[..., Any]] = [
    lambda x: np.polyfit(x, x * 2, 2) + 1,
    lambda x: np.i0(x) * x.sum(),
    lambda x: np.histogram2d(x, x, bins=3),
    lambda x: np.nanmedian(x, axis=0),
    lambda x: np.packbits(x > 0.5),
    lambda x: np.nanargmax(x),
    lambda x: np.piecewise(x, [x < 0.5], [1, 2]),
    lambda x: np.resize(x, (2, 3)) if x[0] > 0 else np.zeros((2, 3)),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_numpys(program: Callable[..., Any]) -> None:
    expected = program(VALUES)
    compiled = weft.function(program)
    with pytest.warns(weft.FallbackWarning, match="is not compiled: NumPy is called in Python") as caught:
        results = [compiled(VALUES), compiled(VALUES)]
    assert caught[0].filename == __file__
    for got in results:
        parts = (got, expected) if isinstance(expected, tuple) else ((got,), (expected,))
        assert type(got) is type(expected)
        for one, other in zip(*parts, strict=True):
            assert (type(one), one.dtype, one.shape) == (type(other), other.dtype, other.shape)
            np.testing.assert_allclose(one, other)


def test_calls_happen_in_order_with_the_values_of_their_place() -> None:
    def program(x: Any, n: Any) -> Any:
        total = np.zeros(3)
        for _ in range(n):
            x[0] += 1
            total += np.i0(x)
        return total

    x, y = np.arange(3.0), np.arange(3.0)
    with pytest.warns(weft.FallbackWarning, match="np.i0"):
        got = weft.function(program)(x, np.int64(3))
    np.testing.assert_allclose(got, program(y, 3))
    np.testing.assert_array_equal(x, y)


def test_what_depends_on_values_ends_the_call() -> None:
    compiled = weft.function(lambda x: np.roots(x))
    with pytest.warns(weft.FallbackWarning, match="np.roots"):
        np.testing.assert_allclose(compiled(np.array([1.0, 0.0, 1.0])), [1j, -1j])
    with pytest.raises(TypeError, match="what roots returned is"):
        compiled(np.array([0.0, 1.0, 1.0]))


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda x: np.apply_along_axis(np.sum, 0, x), "it gets a function, which would run in Python"),
    (lambda x: np.einsum_path("i,i", x, x), "depend on values"),
    (lambda x: np.polyfit(x, x[:2], 1), "what it gives could not be found while tracing"),
]


@pytest.mark.parametrize(("program", "message"), REFUSED)
def test_what_cannot_be_called_is_refused(program: Callable[..., Any], message: str) -> None:
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(program)(VALUES)


MEDIANS = np.zeros(())


def test_arrays_that_would_be_written_are_not() -> None:
    with pytest.raises(weft.UnsupportedError, match="read-only"):
        weft.function(lambda x: np.nanmedian(x, out=MEDIANS))(VALUES)
    assert MEDIANS == 0


def test_extents_must_be_known() -> None:
    compiled = weft.function(lambda x: np.i0(x), input_signature=[weft.TensorSpec((None,), "float64")])
    with pytest.raises(weft.UnsupportedError, match="if the extents of its operands were known"):
        compiled(VALUES)


def test_a_setting_refuses_such_functions() -> None:
    with (
        weft.settings.scope(fallback=False),
        pytest.raises(weft.UnsupportedError, match=r"numpy\.i0 is not supported"),
    ):
        weft.function(lambda x: np.i0(x))(VALUES)


def test_functions_that_write_to_values_are_refused() -> None:
    """They get read-only arrays already in the examples: nothing that they write is lost in silence."""
    from weft.frontend.numpy_api.run_time_calls import call_at_run_time

    def write(x: Any) -> Any:
        x[0] = 1
        return x + 1

    compiled = weft.function(
        weft.do_not_convert(lambda x: call_at_run_time("write", write, (x,), {}, "unknown"))
    )
    with pytest.raises(weft.UnsupportedError, match="read-only"):
        compiled(np.zeros(3))
