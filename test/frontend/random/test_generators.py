"""Generators that a compiled function reaches are state: same numbers as NumPy's, and the same state afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

RNG = np.random.default_rng(1)


def same_state(one: np.random.Generator, other: np.random.Generator) -> bool:
    return str(one.bit_generator.state) == str(other.bit_generator.state)


@weft.function
def of_argument(rng: Any, x: Any) -> Any:
    return x + rng.random(3), rng.random(dtype=np.float32), rng.random()


@pytest.mark.parametrize("algorithm", [np.random.PCG64, np.random.PCG64DXSM, np.random.Philox])
def test_an_argument(algorithm: Any) -> None:
    one, other = (np.random.Generator(algorithm(5)) for _ in range(2))
    for _ in range(5):  # also as the dispatcher calls it
        for computed, expected in zip(
            of_argument(one, 1.0), of_argument.python_function(other, 1.0), strict=True
        ):
            assert type(computed) is type(expected)
            assert np.array_equal(computed, expected)
        assert same_state(one, other)


def test_another_generator_does_not_compile_again() -> None:
    of_argument(np.random.default_rng(1), 1.0)
    traces = of_argument.trace_count
    of_argument(np.random.default_rng(2), 1.0)
    assert of_argument.trace_count == traces


@weft.function
def of_global(n: int) -> Any:
    return RNG.random(n)


def test_a_global_that_is_replaced() -> None:
    global RNG
    for seed in (1, 2, 1):
        RNG, expected = np.random.default_rng(seed), np.random.default_rng(seed)
        for _ in range(3):
            assert np.array_equal(of_global(4), expected.random(4))
        assert same_state(RNG, expected)
    assert of_global.trace_count == 1


class Layer:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        self.others = [np.random.default_rng(4), {"one": np.random.default_rng(5)}]

    def walk(self, x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            if x[i] > 0:
                total += self.rng.random()
            elif x[i] < -1:
                total -= self.others[0].random()
            else:
                total *= self.others[1]["one"].random()
        return total

    compiled = weft.function(walk)


def test_attributes_and_items_in_branches_of_loops() -> None:
    one, other = Layer(), Layer()
    x = np.random.default_rng(0).standard_normal(30)
    for _ in range(4):
        assert one.compiled(x) == other.walk(x)
    one.rng, other.rng = np.random.default_rng(9), np.random.default_rng(9)
    assert one.compiled(x) == other.walk(x)
    one.others[0] = one.rng  # one generator in two places
    other.others[0] = other.rng
    for _ in range(2):
        assert one.compiled(x) == other.walk(x)


def test_results_are_the_generators_themselves() -> None:
    inner = np.random.default_rng(0)

    @weft.function
    def both(rng: Any) -> Any:
        return rng, RNG, {"inner": inner}, inner.random(), isinstance(rng, np.random.Generator)

    given = np.random.default_rng(8)
    for _ in range(3):
        first, second, third, _, is_generator = both(given)
        assert [first, second, third["inner"], is_generator] == [given, RNG, inner, True]


def test_the_state_is_written_when_the_call_raises() -> None:
    @weft.function
    def failing(rng: Any, x: Any) -> Any:
        numbers = rng.random(2)
        if x > 0:
            raise ValueError("too large")
        return numbers + rng.random(2)

    one, other = np.random.default_rng(0), np.random.default_rng(0)
    with pytest.raises(ValueError, match="too large"):
        failing(one, np.float64(1.0))
    other.random(2)
    assert same_state(one, other)
    assert np.array_equal(failing(one, np.float64(-1.0)), other.random(2) + other.random(2))
