"""Run-time extents: checks are recorded where extents may differ, once, and left out where they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.staged import record, run_staged
from weft.dialect.types import parse_type


def checks(program: Callable[..., Any], *types: str) -> int:
    """How many run-time checks the program records."""
    trace, _, _ = record(program, [parse_type(text) for text in types])
    return sum(op.operation.name == "weft.raise_if" for op in trace.block.operations)


SAME = [
    (lambda x: x + x, ["f64[?,3]"]),
    (lambda x: np.exp(x) * x - x.astype("f4"), ["f64[?]"]),
    (lambda x: x - x.mean(axis=1, keepdims=True), ["f64[?,?]"]),
    (lambda x: x - x.mean(axis=0), ["f64[?,?]"]),
    (lambda x: x.T + x.T[:, :], ["f64[?,?]"]),
    (lambda x: x + np.arange(3.0), ["f64[?,3]"]),
    (lambda x: x + x.T.T, ["f64[?,?]"]),
    (lambda x: x @ x.T, ["f64[?,?]"]),
    (lambda x: np.concatenate([x, x * 2]), ["f64[?,?]"]),
    (lambda x: x + weft.zeros(x.shape), ["f64[?,?]"]),
    (lambda x: x[:, 0] + weft.arange(x.shape[0]), ["f64[?,4]"]),
    (lambda x: x.reshape(x.shape[1], x.shape[0]), ["f64[?,?]"]),
    (lambda x: x.reshape(-1), ["f64[?,?]"]),
    (lambda x: x.reshape(x.shape[0], 2, 2) + x.reshape(-1, 2, 2), ["f64[?,4]"]),
    (lambda x: np.where(x > 0, x, -x), ["f64[?]"]),
    (lambda x: np.sort(x) - np.cumsum(x), ["f64[?]"]),
    (lambda x: x[:, None] + x[:, None], ["f64[?]"]),
]


@pytest.mark.parametrize(("program", "types"), SAME)
def test_no_check_where_extents_are_the_same(program: Callable[..., Any], types: list[str]) -> None:
    assert checks(program, *types) == 0


DIFFERENT = [
    (lambda x, y: x + y, ["f64[?]", "f64[?]"], 1),
    (lambda x, y: (x + y) * (x - y), ["f64[?]", "f64[?]"], 1),
    (lambda x, y: x + y, ["f64[?]", "f64[3]"], 1),
    (lambda x, y: x + y, ["f64[?]", "f64[1]"], 0),
    (lambda x, y: x @ y, ["f64[2,?]", "f64[?,3]"], 1),
    (lambda x, y: np.concatenate([x, y]), ["f64[?,?]", "f64[?,?]"], 1),
    (lambda x, y: np.einsum("ij,ij->", x, y), ["f64[?,?]", "f64[?,?]"], 1),
    (lambda x: np.max(x), ["f64[?]"], 1),
    (lambda x: np.argmax(x, axis=1), ["f64[?,3]"], 0),
    (lambda x: x.reshape(2, -1), ["f64[?]"], 1),
    (lambda x: np.broadcast_to(x, (3, 4)), ["f64[?,4]"], 1),
]


@pytest.mark.parametrize(("program", "types", "count"), DIFFERENT)
def test_one_check_where_extents_may_differ(
    program: Callable[..., Any], types: list[str], count: int
) -> None:
    assert checks(program, *types) == count


def test_a_failing_check_has_numpys_message() -> None:
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(4,\) "):
        run_staged(lambda x, y: x * y, np.ones(3), np.ones(4), dynamic=True)
    compiled = weft.function(
        lambda x, y: x * y, input_signature=[weft.TensorSpec([None]), weft.TensorSpec([None])]
    )
    assert compiled(np.ones(3), np.full(3, 2.0)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(4,\) "):
        compiled(np.ones(3), np.ones(4))


def test_shapes_may_be_computed_from_extents() -> None:
    def program(x: Any) -> Any:
        rows, columns = x.shape
        return (
            weft.full((columns, 2 * rows), 7),
            weft.arange(rows * columns).reshape(rows, columns) + x,
            weft.eye(rows, columns + 1),
            x.reshape(1, x.size),
            weft.linspace(0, 1, 5) + weft.zeros((rows, 1)),
        )

    full, numbers, eye, flat, spaced = run_staged(program, np.ones((2, 3)), dynamic=True)
    assert full.tolist() == np.full((3, 4), 7).tolist()
    assert numbers.tolist() == (np.arange(6).reshape(2, 3) + 1.0).tolist()
    assert eye.tolist() == np.eye(2, 4).tolist()
    assert flat.shape == (1, 6)
    assert spaced.shape == (2, 5)


class TestParts:
    """What lies before a place and what lies behind it are together as long as the whole."""

    @pytest.mark.parametrize("place", [3, -3, 0, 12, 40, -40])
    def test_values(self, place):
        @weft.function
        def f(a, b, i):
            i = i[0]
            rows = a.reshape(3, 4)
            return (
                np.concatenate([a[:i], b[i:]]),
                np.concatenate([a[i:], a[:i]]) + np.arange(12),
                np.concatenate([rows[i:], rows[:i]]),
                np.hstack([rows[:, :i], rows[:, i:]]),
                np.concatenate([a[:i], a[: i + 1]]),
            )

        a, b, i = np.arange(12), np.arange(12) * 2, np.array([place])
        for got, expected in zip(f(a, b, i), f.python_function(a, b, i), strict=True):
            np.testing.assert_array_equal(got, expected)

    def test_extents(self):
        def extents(x, y, i):
            parts = [x[:i], y[i:], y[:i], x[1:i]]
            joined = [np.concatenate(parts[:2]), np.concatenate(parts[1:3]), np.concatenate(parts[2:])]
            return [one.shape[0] if isinstance(one.shape[0], int) else None for one in joined]

        found: list[Any] = []
        record(
            lambda x, y, i: found.extend(extents(x, y, i)),
            [parse_type(t) for t in ("f64[12]", "f64[12]", "i64[]")],
        )
        assert found == [12, 12, None]

    def test_parts_of_unlike_arrays(self):
        found: list[Any] = []

        def f(x, y, i):
            found.append(np.concatenate([x[:i], y[i:]]).type.shape)

        record(f, [parse_type(t) for t in ("f64[12]", "f64[10]", "i64[]")])
        assert found == [(None,)]
