"""One trace for all sizes: functions with run-time extents, called with sizes that people forget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import outcome
from support.interpreted import interpreted

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, for means of nothing

_VECTORS = [(5,), (0,), (3,), (100,)]
_MATRICES = [(3, 4), (0, 4), (4, 0), (0, 0), (33, 9)]


def array(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def check_sizes(function: Callable[..., Any], *calls: tuple[Any, ...]) -> None:
    """Compile once with all extents open; compare results, written arguments and exception types for every call."""
    specs = [weft.TensorSpec([None] * a.ndim, a.dtype) for a in calls[0]]
    compiled = weft.function(function, input_signature=specs)
    for call in calls:
        given, reference = [a.copy() for a in call], [a.copy() for a in call]
        expected, expected_error = outcome(function, tuple(reference))
        got, error = outcome(compiled, tuple(given))
        if expected_error is not None:
            assert isinstance(error, type(expected_error)), (error, expected_error)
            continue
        if error is not None:
            raise error
        results = got if isinstance(got, (tuple, list)) else [got]
        wanted = expected if isinstance(expected, (tuple, list)) else [expected]
        for g, e in [*zip(results, wanted, strict=True), *zip(given, reference, strict=True)]:
            if e is not None:
                assert (g.dtype, g.shape) == (e.dtype, e.shape)
                np.testing.assert_allclose(g, e, rtol=1e-4, atol=1e-5)
    without_ones = [call for call in calls if all(1 not in a.shape for a in call)]
    if len(without_ones) == len(calls):
        assert compiled.trace_count == 1


def assign(index: Any, value: Any = 7) -> Callable[..., None]:
    def function(x: Any) -> None:
        x[index] = value(x) if callable(value) else value

    return function


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.tanh(x) * 2 + x,
        lambda x: (x.sum(), x.mean(), x.prod(), x.any(), x.all(), x.std()),
        lambda x: (x.max(), x.argmin()),
        lambda x: (np.cumsum(x), np.sort(x), np.argsort(x, kind="stable"), np.flip(x), np.diff(x)),
        lambda x: [x[-3:], x[:-2], x[::-1], x[1:-1:2], x[-2:1:-3], x[2:1000], x[5:2]],
        lambda x: x[-1] + x[0],
        lambda x: x[7],
        lambda x: x[np.argmax(x)],
        assign(np.s_[-3:]),
        assign(np.s_[-2:1:-3]),
        assign(np.s_[1:-1:2], lambda x: x[1:-1:2] * 2),
        assign(np.s_[2:1000], lambda x: x[::-1][2:1000]),
        lambda x: x.reshape(2, -1),
        lambda x: x.reshape(x.shape[0] // 2, 2),
        lambda x: (
            x * weft.arange(x.shape[0]),
            np.broadcast_to(x, (3, x.shape[0])),
            np.diag(x),
            np.outer(x, x),
        ),
        lambda x: (x[:, None] - x, x[None, ..., None].sum()),
        lambda x: [x.astype(dtype) for dtype in ("complex64", "float16", "bool")],
    ],
)
def test_vectors(function: Callable[..., Any]) -> None:
    check_sizes(function, *[(array(shape),) for shape in _VECTORS])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.sum(axis=0), x.mean(axis=1, keepdims=True), x.std(axis=0), x.prod(axis=1)),
        lambda x: (x.max(axis=0), x.argmax(axis=1)),
        lambda x: (
            np.cumsum(x, axis=0),
            np.sort(x, axis=0),
            np.argsort(x, kind="stable"),
            np.sort(x, axis=None),
        ),
        lambda x: (x @ x.T, (x @ x.T) @ x, np.einsum("ij,kj->ik", x, x)),
        lambda x: (x.T, x.swapaxes(0, 1) * 2, x.reshape(-1), x.reshape(x.shape[1], x.shape[0])),
        lambda x: x.reshape(x.shape[1] * x.shape[0], 1),
        lambda x: x[1] + x[:, -2][0],
        lambda x: (np.pad(x, 2), np.roll(x, 2), np.roll(x, -1, 0), np.tile(x, (2, 1)), np.repeat(x, 2, 0)),
        lambda x: (np.tril(x), np.triu(x, 1), np.diagonal(x), np.trace(x), weft.eye(x.shape[0]) @ x),
        lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
        lambda x: (x - x.sum(0) / x.shape[0]) / x.size,
        lambda x: (np.where(x > 0, x, 0), np.clip(x, -1, 1), np.sum(x, where=x > 0), np.zeros_like(x)),
        lambda x: np.take_along_axis(x, np.argsort(x, axis=1, kind="stable"), 1),
        lambda x: (x, x[1:], x.T, x[::-1, 1:]),
        assign(np.s_[1:, ::-1], lambda x: x[:-1]),
        lambda x: x.__setitem__(x > 0, 0),
    ],
)
def test_matrices(function: Callable[..., Any]) -> None:
    check_sizes(function, *[(array(shape),) for shape in _MATRICES])


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (
            lambda x, y: x @ y,
            [((3, 4), (4, 5)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((40, 33), (33, 50))],
        ),
        (lambda x, y: x @ y, [((2, 3, 4), (2, 4, 5)), ((0, 3, 4), (0, 4, 5)), ((2, 3, 4), (3, 4, 5))]),
        (lambda x, y: x @ y, [((3, 4), (4,)), ((0, 4), (4,)), ((3, 0), (0,)), ((3, 4), (3,))]),
        (lambda x, y: (np.dot(x, y), np.inner(x, y)), [((3,), (3,)), ((0,), (0,)), ((3,), (4,))]),
        (lambda x, y: np.concatenate([x, y]), [((3,), (4,)), ((0,), (4,)), ((0,), (0,))]),
        (lambda x, y: np.concatenate([x, y], axis=1), [((3, 2), (3, 4)), ((0, 2), (0, 4)), ((3, 2), (2, 2))]),
        (lambda x, y: np.stack([x, y], 1), [((3,), (3,)), ((0,), (0,)), ((3,), (4,))]),
        (
            lambda x, y: x + y,
            [((3, 4), (4,)), ((3, 4), (1,)), ((3, 1), (4,)), ((3, 4), (3,)), ((3, 0), (1,)), ((3, 1), (0,))],
        ),
        (
            lambda x, y: x.__iadd__(y),
            [((3, 4), (3, 4)), ((3, 4), (1, 4)), ((3, 1), (3, 4)), ((0, 2), (1, 2))],
        ),
        (lambda x, y: np.searchsorted(np.sort(x), y), [((5,), (3,)), ((0,), (3,)), ((4,), (0,))]),
        (lambda x, y: np.meshgrid(x, y), [((5,), (3,)), ((0,), (3,))]),
        (lambda x, y: np.cross(x[:, :3], y[:, :3]), [((4, 3), (4, 3)), ((0, 3), (0, 3))]),
    ],
)
def test_pairs(function: Callable[..., Any], shapes: list[tuple[tuple[int, ...], ...]]) -> None:
    check_sizes(function, *[(array(left), array(right)) for left, right in shapes])


_PLACES = [[0, -1, 4], [0, 5], [], [-6]]


def update(x: Any, places: Any) -> None:
    x[places] = places * 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x, places: x[places],
        lambda x, places: np.take(x, places, axis=0),
        lambda x, places: np.add.at(x, places, 1),
        update,
    ],
)
def test_places(function: Callable[..., Any]) -> None:
    places = [np.array(p, np.int64) for p in _PLACES]
    check_sizes(
        function, *[(array((5,)), p) for p in places], (array((0,)), places[2]), (array((0,)), places[0])
    )


def test_an_extent_that_turns_out_to_be_minus_one_is_what_is_left() -> None:
    def along(x: Any, axis: int) -> Any:
        shape = [1] * x.ndim
        shape[axis] = -1
        return np.arange(x.shape[axis]).reshape(shape)

    x, compiled = np.arange(6.0).reshape(2, 3), interpreted(along)
    for axis in (0, 1, -1, 0):
        assert repr(compiled(x, axis)) == repr(along(x, axis))
    compiled = interpreted(lambda x, n, m: x.reshape(n, m))
    for extents in ((2, 3), (3, 2), (-1, 2), (2, -1)):
        given = [np.int64(extent) for extent in extents]
        np.testing.assert_array_equal(compiled(x, *given), x.reshape(extents))
    for extents in ((-1, -1), (4, -1), (-1, 4), (4, 2)):
        with pytest.raises(ValueError, match=r"one unknown dimension|cannot reshape array of size 6"):
            compiled(x, *[np.int64(extent) for extent in extents])
