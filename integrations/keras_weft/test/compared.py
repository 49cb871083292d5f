"""Functions of Keras inside one compiled function, beside what they give in plain Python, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
from keras.src import tree

import weft

Row = tuple[Any, ...]
"""A function, and the arrays that it is called with."""


def rows(seed: int = 0) -> Callable[..., Any]:
    """What makes arrays of normally distributed numbers by their shapes."""
    rng = np.random.default_rng(seed)

    def array(*shape: int, dtype: Any = np.float32) -> Any:
        return rng.normal(size=shape).astype(dtype)

    return array


def compare(table: Mapping[str, Row], tolerance: float = 2e-6) -> None:
    """Call all functions of a table in plain Python and in one compiled function; values, dtypes and shapes agree."""
    given = {name: row[1:] for name, row in table.items()}
    expected = {name: row[0](*row[1:]) for name, row in table.items()}
    together = weft.function(
        weft.do_not_convert(lambda given: {name: table[name][0](*args) for name, args in given.items()})
    )
    found = together(given)
    for name in table:
        for a, b in zip(tree.flatten(found[name]), tree.flatten(expected[name]), strict=True):
            assert_equal(name, a, b, tolerance)


def assert_equal(name: str, found: Any, expected: Any, tolerance: float) -> None:
    assert isinstance(found, (np.ndarray, np.generic)), name
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype, (name, found.dtype, expected.dtype)
    assert found.shape == expected.shape, (name, found.shape, expected.shape)
    if expected.dtype.kind not in "fV":
        np.testing.assert_array_equal(found, expected, err_msg=name)
        return
    tolerance = max(tolerance, float(ml_dtypes.finfo(expected.dtype).eps) * 2)
    np.testing.assert_allclose(
        np.asarray(found, np.float64),
        np.asarray(expected, np.float64),
        rtol=tolerance,
        atol=tolerance,
        err_msg=name,
    )


def compare_gradients(table: Mapping[str, Row], step: float = 1e-6, tolerance: float = 1e-6) -> None:
    """The gradient of each function of arrays of float64, by all of them, is that of finite differences.

    Every result is summed up with weights, and both are compared along one direction.
    """
    rng = np.random.default_rng(1)
    wanted, ways = {}, {}
    for name, (function, *args) in table.items():
        weights = [rng.normal(size=np.shape(part)) for part in tree.flatten(function(*args))]
        ways[name] = [rng.normal(size=arg.shape) for arg in args]

        def loss(*args: Any, function: Any = function, weights: Any = weights) -> Any:
            parts = tree.flatten(function(*args))
            return sum((part * weight).sum() for part, weight in zip(parts, weights, strict=True))

        wanted[name] = (loss, args)

    def all_gradients(given: Any) -> Any:
        return {
            name: weft.grad(wanted[name][0], tuple(range(len(args))))(*args) for name, args in given.items()
        }

    gradients = weft.function(weft.do_not_convert(all_gradients))(
        {name: args for name, (_, args) in wanted.items()}
    )
    for name, (loss, args) in wanted.items():
        along = sum(float(np.sum(g * way)) for g, way in zip(gradients[name], ways[name], strict=True))
        ahead = loss(*(arg + step * way for arg, way in zip(args, ways[name], strict=True)))
        behind = loss(*(arg - step * way for arg, way in zip(args, ways[name], strict=True)))
        difference = float(ahead - behind) / (2 * step)
        np.testing.assert_allclose(along, difference, rtol=tolerance, atol=tolerance, err_msg=name)
