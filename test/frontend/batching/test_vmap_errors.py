"""What `weft.vmap` does not take: the user's words, and what to write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = np.arange(6.0).reshape(2, 3)

BAD: list[tuple[Any, tuple[Any, ...], type[Exception], str]] = [
    (weft.vmap(lambda x, y: x), (X, X[:1]), ValueError, r"args\[1\] has 1 rows, but args\[0\] has 2"),
    (weft.vmap(lambda x: x), (np.float64(3),), ValueError, r"args\[0\] is a number, which has no axis 0"),
    (weft.vmap(lambda x: x), (3,), ValueError, "no argument of <lambda> has rows"),
    (weft.vmap(lambda x, y: x, (None, None)), (X, X), ValueError, "pass axis_size"),
    (weft.vmap(lambda x: x, 2), (X,), IndexError, "axis 2 of in_axes is out of bounds for args"),
    (weft.vmap(lambda x: x, (0, 0)), (X,), ValueError, "in_axes has 2 entries, but <lambda> is called with 1"),
    (weft.vmap(lambda x, y: x, (0,)), (X, X), ValueError, "in_axes has 1 entries"),
    (weft.vmap(lambda x: x, ({"a": 0},)), ({"b": X},), ValueError, r"in_axes has {'a': 0} for args\[0\]"),
    (weft.vmap(lambda x: x, out_axes=5), (X,), IndexError, "axis 5 of out_axes is out of bounds for the result"),
    (weft.vmap(lambda x: x, out_axes=(0, 0)), (X,), ValueError, "for the result, which is an array"),
    (weft.vmap(lambda x: x, axis_size=3), (X,), ValueError, r"args\[0\] has 2 rows, but axis_size is 3"),
    (weft.vmap(lambda x: "a"), (X,), TypeError, "returns arrays, numbers and None, but the result is a str"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BAD)))
def test_axes_and_results_that_do_not_fit(number: int) -> None:
    call, args, error, says = BAD[number]
    with pytest.raises(error, match=says):
        call(*args)
    with weft.eager(), pytest.raises(error, match=says):
        call(*args)


def test_rows_of_unknown_numbers_are_compared_when_the_program_runs() -> None:
    signature = [weft.TensorSpec((None,), "float64")] * 2
    added = weft.function(lambda x, y: weft.vmap(np.add)(x, y), input_signature=signature)
    assert added(np.ones(2), np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match=r"args\[1\] has 3 rows, but args\[0\] has 2"):
        added(np.ones(2), np.ones(3))


V = weft.Variable(np.zeros(3))
COUNTS = {"n": 0}
SEEN: list[Any] = []
GENERATOR = np.random.default_rng(1)


class Layer:
    """Keeps what it has seen."""

    last = 0.0

    def __call__(self, x: Any) -> Any:
        self.last = x.sum()
        return x


def to_variable(x: Any) -> Any:
    V.assign_add(x)
    return x


def to_shared(x: Any, y: Any) -> Any:
    y[0] = x[0]
    return x


def to_dict(x: Any) -> Any:
    COUNTS["n"] += 1
    return x


def to_list(x: Any) -> Any:
    SEEN.append(x[0])
    return x


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (to_variable, "to_variable, which is under weft.vmap, changes"),
        (to_dict, r"changes COUNTS\['n'\] outside of it"),
        (to_list, "changes SEEN outside of it"),
        (Layer(), "changes"),
        (
            lambda x: x + GENERATOR.standard_normal(3),
            "draws random numbers, of which all rows would get the same",
        ),
    ],
)
def test_what_all_rows_would_do_at_once_is_refused(f: Any, says: str) -> None:
    with pytest.raises(NotImplementedError, match=says):
        weft.vmap(f)(X)
    assert not V.value.any()
    assert not SEEN
    assert COUNTS["n"] == 0


def test_arrays_that_rows_share_are_not_written() -> None:
    y = np.zeros(3)
    with pytest.raises(NotImplementedError, match=r"to_shared, which is under weft\.vmap, changes"):
        weft.vmap(to_shared, (0, None))(X, y)
    assert not y.any()


def test_errors_of_the_pass_show_the_line_of_the_program() -> None:
    with pytest.raises(weft.BatchingError, match="differs from row to row, but out_axes is None") as caught:
        weft.vmap(lambda x: x * 2, out_axes=None)(X)
    assert isinstance(caught.value, NotImplementedError)

    @weft.function
    def inner(w: Any, x: Any) -> Any:
        with weft.GradientTape() as tape:
            tape.watch(w)
            return weft.vmap(lambda row: tape.gradient(np.sum(w * row), w))(x)

    with pytest.raises(weft.BatchingError, match="asks for the gradient by a value from outside") as caught:
        inner(np.ones(3), X)
    assert "tape.gradient(np.sum(w * row), w)" in str(caught.value)
