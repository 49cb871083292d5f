"""Permutations and samples of many places in the emulator: NumPy's, and the generator goes on behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.rewrites import drawn_steps
from weft.backend.gpu.schedules import radix

ALGORITHMS = ("PCG64", *(pytest.param(name, marks=pytest.mark.soak) for name in ("PCG64DXSM", "Philox")))


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _check(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    algorithm: str = "PCG64",
    host_kernels: int = 0,
) -> None:
    """Compare results of calls, with and without a half that is left, and the states behind them, with Python's."""
    compiled = weft.function(function, device="cuda")
    for number, arguments in enumerate(calls):
        made = [np.random.Generator(getattr(np.random, algorithm)(number)) for _ in range(2)]
        for generator in made:
            generator.random(number % 2 + 1, np.float32)
        here, there = (
            each(generator, *(np.copy(argument)[()] for argument in arguments))
            for each, generator in zip((function, compiled), made, strict=True)
        )
        pairs = zip(here, there, strict=True) if isinstance(here, tuple) else [(here, there)]
        for one, other in pairs:
            np.testing.assert_array_equal(np.asarray(other), one, strict=True)
        assert repr(made[0].bit_generator.state) == repr(made[1].bit_generator.state), arguments
    device = compiled.get_concrete_function(made[1], *arguments).cost_analysis().device
    assert len(device.host_kernels) == host_kernels


def _shuffled(rng: Any, x: Any) -> Any:
    rng.shuffle(x)
    return x[rng.permutation(len(x))], rng.random()


def _permuted(rng: Any, x: Any) -> Any:
    return rng.permuted(x, axis=1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_permutations(algorithm: str) -> None:
    """Of one more than a power of two, of which half of the words are drawn again at first."""
    _check(_shuffled, [(np.arange(129.0),)] * 2, algorithm)


@pytest.mark.parametrize("shape", [(5, 23), pytest.param((70, 2), marks=pytest.mark.soak), (70, 1)])
def test_permutations_of_rows(shape: tuple[int, int]) -> None:
    _check(_permuted, [(np.arange(float(shape[0] * shape[1])).reshape(shape),)])


def _places(rng: Any, count: Any) -> Any:
    return rng.permutation(count)


def test_permutations_of_sizes_that_the_run_tells() -> None:
    _check(_places, [(np.int64(count),) for count in (0, 1, 2, 3, 64, 257, 700)])


def _epochs(rng: Any, x: Any, steps: Any) -> Any:
    total = 0.0
    for _ in range(steps):
        order = rng.permutation(len(x))
        if x[order[0]] > 2.0:
            x = x + rng.random()
        total += x[order[:10]].sum()
    return x, total


def test_a_loop_draws_permutations() -> None:
    _check(_epochs, [(np.arange(70.0), np.int64(3))])


def _samples(rng: Any, x: Any) -> Any:
    return (
        rng.choice(x, 70, replace=False),
        # all places, of which the first has no choice; all but one
        rng.choice(70, 70, replace=False),
        rng.choice(71, 70, replace=False, shuffle=False),
        # the end of a range that is shuffled
        rng.choice(20_000, 450, replace=False),
        rng.choice(10_001, 600, replace=False, shuffle=False),
        rng.choice(2**32 - 1, 70, replace=False),
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_samples(algorithm: str) -> None:
    _check(_samples, [(np.arange(100.0),)], algorithm)


def _sample(rng: Any, population: Any) -> Any:
    return rng.choice(population, 70, replace=False), rng.choice(population, 70, replace=False, shuffle=False)


def test_samples_of_populations_that_the_run_tells() -> None:
    """The host has code for those that are too large."""
    populations = (70, 71, 10_000, 10_001, 2**31 + 1, 2**32 - 1, 2**32, 2**40)
    _check(_sample, [(np.int64(population),) for population in populations], host_kernels=1)


def _sample_of_size(rng: Any, population: Any, count: Any) -> Any:
    return rng.choice(population, count, replace=False)


def test_samples_of_sizes_that_the_run_tells() -> None:
    calls = [(5, 0), (1, 1), (5, 5), (300, 100), (12_000, 300)]
    _check(_sample_of_size, [tuple(map(np.int64, call)) for call in calls], host_kernels=1)


def test_halves_beyond_those_that_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last chunk goes on, beyond the words that steps are prepared for, too."""
    monkeypatch.setattr(drawn_steps, "_MORE", 0)
    monkeypatch.setattr(drawn_steps.MaskedSteps, "share", 8)
    _check(_places, [(np.int64(66),)])


@pytest.mark.soak
def test_many_places() -> None:
    """Blocks beside each other look for where chunks begin, and sort."""

    def many(rng: Any) -> Any:
        return rng.permutation(9000)

    _check(many, [(), ()])


def _by_digits(rng: Any, x: Any) -> Any:
    return (
        rng.permutation(len(x)),
        rng.permuted(x.reshape(2, -1), axis=1),
        rng.choice(400, 300, replace=False),
        rng.choice(257, 256, replace=False, shuffle=False),
        rng.choice(300, 300, replace=False),
        rng.choice(20_000, 450, replace=False),
    )


def test_pairs_are_sorted_by_the_digits_of_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass or two; steps that there are none of come last."""
    monkeypatch.setattr(radix, "_SHORTEST", 16)
    _check(_by_digits, [(np.arange(514.0),)])
