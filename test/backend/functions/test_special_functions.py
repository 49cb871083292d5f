"""Special functions: accuracy next to values of many digits, special values, and in vectors of any length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.elementary import compiled, ulps
from weft.dialect.op import OPS
from weft.dialect.ops import load_families
from weft.dialect.ops.special import Special

pytest.importorskip("scipy.special")
load_families()

NAMES = [op.name for op in OPS.values() if issubclass(op, Special) and len(op.operand_fields()) == 1]
VALUES = Path(__file__).with_name("special_values.txt")
"""A function, an argument and its value there to 22 digits, found with mpmath in arithmetic of 70 digits."""

EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0, 3.0, 6.0, -1.0, -2.0, -171.0, 1e16, -1e16, 0.5, -1e-3]


LIMITS = {
    "i0": lambda values, x: np.where(np.isinf(x), np.inf, values),
    "i1": lambda values, x: np.where(np.isinf(x), x, values),
}
"""What SciPy calls no number."""


def values(name: str) -> Iterator[tuple[float, np.longdouble]]:
    """Arguments of a function and what it is there."""
    for line in VALUES.read_text(encoding="utf-8").splitlines():
        function, argument, value = line.split()
        if function == name:
            yield float.fromhex(argument), np.longdouble(value)


@pytest.mark.parametrize("name", NAMES)
def test_is_right_to_two_ulps(name: str) -> None:
    arguments, exact = (np.array(column) for column in zip(*values(name), strict=True))
    assert len(arguments) > 20
    edges = np.array(EDGES)
    x = np.concatenate([arguments, edges])
    result = np.empty_like(x)
    compiled(f"special.{name}", "float64", len(x))(x, result)
    distance = ulps(result[: len(arguments)], exact)
    worst = int(np.argmax(distance))
    assert distance[worst] <= 2, (arguments[worst], result[worst], exact[worst])
    with np.errstate(all="ignore"):
        expected = OPS[name].compute([edges], {})[0]
    expected = LIMITS.get(name, lambda values, _: values)(expected, edges)
    np.testing.assert_allclose(result[len(arguments) :], expected, rtol=1e-14)
    np.testing.assert_array_equal(np.signbit(result[-len(edges) :])[[0, 1]], np.signbit(expected)[[0, 1]])


def test_single_precision_is_rounded_once() -> None:
    pairs = [(x, value) for x, value in values("gamma") if x == float(np.float32(x))]
    x = np.array([pair[0] for pair in pairs], np.float32)
    result = np.empty_like(x)
    compiled("special.gamma", "float32", len(x))(x, result)
    with np.errstate(over="ignore"):
        assert len(x) > 10
        assert ulps(result, np.array([pair[1] for pair in pairs])).max() <= 0.5001


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logistic_functions_of_many_numbers(dtype: str) -> None:
    one, x = np.longdouble(1), np.random.default_rng(3).uniform(-40, 40, 50_000).astype(dtype)
    result, exact = np.empty_like(x), one / (one + np.exp(-x.astype(np.longdouble)))
    compiled("special.expit", dtype, len(x))(x, result)
    assert ulps(result, exact).max() <= 1.2


def test_factorials_are_exact() -> None:
    n = np.arange(1.0, 24.0)  # those that are float64 numbers
    result = np.empty_like(n)
    compiled("special.gamma", "float64", len(n))(n, result)
    factorial: Any = np.cumprod(np.concatenate([[1], np.arange(1, 23)]).astype(object))
    np.testing.assert_array_equal(result, factorial.astype(float))


def test_numbers_do_not_depend_on_their_neighbours() -> None:
    x = np.linspace(-6.3, 8.1, 64)
    whole, kernel = np.empty_like(x), compiled("special.gammaln", "float64", 3)
    compiled("special.gammaln", "float64", 64)(x, whole)
    for start in range(0, 60, 3):
        part = np.empty(3)
        kernel(x[start : start + 3].copy(), part)
        np.testing.assert_array_equal(part, whole[start : start + 3])
