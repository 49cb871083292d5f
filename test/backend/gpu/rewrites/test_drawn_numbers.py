"""Numbers drawn on a device, in the emulator: NumPy's, to the bit, and the generator goes on behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.rewrites import drawn_numbers, redrawn_places
from weft.backend.gpu.rewrites.c_functions import has_known_functions

ALGORITHMS = ("PCG64", "PCG64DXSM", "Philox")


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _generator(algorithm: str, seed: int = 5, halves: int = 0) -> Any:
    """A generator that has given some numbers of 32 bits."""
    made = np.random.Generator(getattr(np.random, algorithm)(seed))
    made.random(halves, np.float32)
    return made


def _state(generator: Any) -> str:
    return repr(generator.bit_generator.state)


def _check(function: Callable[..., Any], generators: tuple[Any, Any], *arguments: Any) -> Any:
    """Compare results, and the states behind them, with those of Python; returns what the device does."""
    here, there = generators
    compiled = weft.function(function, device="cuda")
    got = compiled(there, *(np.copy(argument)[()] for argument in arguments))
    expected = function(here, *(np.copy(argument)[()] for argument in arguments))
    got, expected = (each if isinstance(each, tuple) else (each,) for each in (got, expected))
    for one, other in zip(got, expected, strict=True):
        found, other = np.asarray(one), np.asarray(other)
        assert (found.dtype, found.shape, found.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert _state(there) == _state(here)
    return compiled.get_concrete_function(there, *arguments).cost_analysis().device


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_numpys_of_sizes_that_the_run_tells(algorithm, dtype):
    """In a stretch of words and behind it, with and without a half that is left."""
    sized = weft.function(lambda rng, n: rng.random(n, dtype) * 1, device="cuda")
    for halves in (0, 1, 7):
        for size in (0, 1, 256, 257, 700) if halves else (2, 255, 513, 1300):
            here, there = (_generator(algorithm, halves=halves) for _ in range(2))
            found = np.asarray(sized(there, np.int64(size)))
            assert found.tobytes() == here.random(size, dtype).tobytes(), (halves, size)
            assert _state(there) == _state(here), (halves, size)
    assert not sized.get_concrete_function(there, np.int64(3)).cost_analysis().device.host_kernels


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("size", [1, 256, 700])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.sampled
def test_numbers_are_numpys_of_sizes_that_are_known(algorithm, size, dtype):
    generators = tuple(_generator(algorithm, halves=1) for _ in range(2))
    device = _check(lambda rng, x: x + rng.random(x.shape, x.dtype), generators, np.zeros(size, dtype))
    assert not device.host_kernels


def _dropout(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = np.where(rng.random(x.shape) < 0.3, 0.0, x / 0.7)
    return x


def _branch(rng: Any, x: Any, t: Any) -> Any:
    if x.sum() > t:
        x = x + rng.random(x.shape)
    return x + rng.random(x.shape)


def _while(rng: Any, x: Any) -> Any:
    n = 0
    while x.sum() > 3.0 and n < 50:
        x = x * rng.random(x.shape)
        n += 1
    return x, n


def _uniform(rng: Any, x: Any) -> Any:
    return rng.uniform(-1, x, x.shape), rng.random()


def _into(rng: Any, x: Any) -> Any:
    rng.random(out=x)
    return x * 2


def _walk(rng: Any, steps: Any) -> Any:
    place = 0.0
    for _ in range(steps):
        place += rng.random() - 0.5
    return place


def _diffused(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x + rng.normal(0.1, 0.2, 4)
    return x, rng.exponential(2.0, 3)


def _batches(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        chosen = rng.integers(len(x), size=6)
        x[chosen] -= rng.choice(x, 4).mean()
    return x


def _nothing(rng: Any, x: Any) -> Any:
    return rng.random(0), x + 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        # in a loop, in a branch, and where data ends the loop
        (_dropout, (np.ones((30, 20)), np.int64(3))),
        (_branch, (np.ones(300), np.float64(5))),
        (_branch, (np.ones(300), np.float64(5000))),
        (_while, (np.ones(40),)),
        (_uniform, (np.arange(600.0).reshape(20, 30),)),
        (_into, (np.zeros(700),)),
        (_walk, (np.int64(40),)),
        (_diffused, (np.zeros(4), np.int64(3))),
        (_batches, (np.arange(50.0), np.int64(2))),
        (_nothing, (np.ones(3),)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_programs_draw_on_the_device(function, arguments):
    generators = tuple(np.random.default_rng(3) for _ in range(2))
    assert not _check(function, generators, *arguments).host_kernels


def test_draws_of_the_device_and_of_the_host_are_of_one_stream():
    def mixed(rng, x):
        first = rng.random(x.shape) * rng.standard_normal(x.shape, np.float32)
        return (
            first,
            rng.random(5, np.float32),
            rng.integers(0, 10, 5),
            rng.integers(0, np.arange(1, 71)),
            rng.random((2, 3)),
        )

    device = _check(mixed, tuple(np.random.default_rng(3) for _ in range(2)), np.ones((300, 2)))
    assert [reason for _, reason in device.host_kernels] == ["it draws random numbers"]


def test_a_mask_of_dropout_is_computed_where_it_is_used():
    """The begins of stretches, what is left of the array, and the state."""
    rng = np.random.default_rng(3)
    function = weft.function(lambda x: np.where(rng.random(x.shape) < 0.5, 0.0, x * 2), target="sm_90a")
    device = (
        function.get_concrete_function(weft.TensorSpec((1 << 10, 1 << 14), "float64")).cost_analysis().device
    )
    assert (device.launches, device.reads, device.host_kernels) == (3, 0, ())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("low", "high", "dtype", "size"),
    [
        # of some bits: of half a word where they fit in it
        (0, 256, np.int64, 7),
        (-4, 4, np.int32, 7),
        (-(2**63), 2**63, np.int64, 7),
        (-7, 2**40 - 7, np.int64, 7),
        # of which some are drawn again: hardly any, a quarter, a third, a half
        (0, 1000, np.int64, 5),
        (-500, 500, np.int64, 40),
        (0, 3 * 2**30, np.int64, 20),
        (0, 3 * 2**30, np.uint32, 300),
        (0, 3 * 2**62, np.uint64, 40),
        (-(2**62), 2**62 + 5, np.int64, 20),
        # that share a half
        (-128, 128, np.int8, 9),
        (0, 100, np.int8, 70),
        (0, 300, np.uint16, 5),
        (0, 2, np.bool_, 40),
        # one
        (7, 8, np.int64, 40),
    ],
)
@pytest.mark.sampled
@pytest.mark.parametrize(("algorithm", "halves"), [("PCG64", 0), ("Philox", 1)])
def test_integers(low: int, high: int, dtype: Any, size: int, algorithm: str, halves: int) -> None:
    """With a half that is left before and behind, and without."""
    compiled = weft.function(lambda rng, x: x + rng.integers(low, high, len(x), dtype), device="cuda")
    here, there = (_generator(algorithm, halves=halves) for _ in range(2))
    x = np.zeros(size, dtype)
    found = np.asarray(compiled(there, x))
    expected = x + here.integers(low, high, size, dtype)
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    assert _state(there) == _state(here)
    assert not compiled.get_concrete_function(there, x).cost_analysis().device.host_kernels


def test_integers_of_sizes_that_the_run_tells() -> None:
    sized = weft.function(lambda rng, n: rng.integers(0, 3 * 2**30, n) * 1, device="cuda")
    for size in (0, 1, 300):
        here, there = (_generator("PCG64DXSM", halves=1) for _ in range(2))
        assert np.asarray(sized(there, np.int64(size))).tolist() == here.integers(0, 3 * 2**30, size).tolist()
        assert _state(there) == _state(here)


def test_integers_beyond_those_that_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread goes on, beyond the words that steps are prepared for, too."""
    monkeypatch.setattr(redrawn_places, "_MORE", 0)
    monkeypatch.setattr(redrawn_places, "_share_drawn_again", lambda chance: 0)

    def drawn(rng: Any, x: Any) -> Any:
        return x + rng.integers(0, 2**64 - 2**58, x.shape, np.uint64), rng.random(3)

    generators = tuple(_generator("PCG64") for _ in range(2))
    assert not _check(drawn, generators, np.zeros(300, np.uint64)).host_kernels


known_functions = pytest.mark.skipif(
    not all(map(has_known_functions, ("float32", "float64"))),
    reason="the C library has other functions, and so has NumPy",
)


@known_functions
@pytest.mark.parametrize(
    ("name", "dtype", "seeds"),
    [
        # tails on both sides, one of which is proposed twice, and points above the density
        ("standard_normal", np.float64, (755, 1312, 1764, 852)),
        ("standard_exponential", np.float64, (902, 2884)),
        ("standard_normal", np.float32, (406, 1264, 2429, 2931)),
        ("standard_exponential", np.float32, (744, 813, 1214)),
    ],
)
def test_ziggurats(name: str, dtype: Any, seeds: tuple[int, ...]) -> None:
    """One after the other, and beside each other."""
    compiled = weft.function(lambda rng, x: getattr(rng, name)(len(x), dtype) + x, device="cuda")
    for size in (6, 40):
        x = np.zeros(size, dtype)
        for seed in seeds:
            here, there = (_generator("PCG64", seed, halves=seed % 2) for _ in range(2))
            found = np.asarray(compiled(there, x))
            assert found.tobytes() == (getattr(here, name)(size, dtype) + x).tobytes()
            assert _state(there) == _state(here)
        assert not compiled.get_concrete_function(there, x).cost_analysis().device.host_kernels


def _chain(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x * 0.5 + rng.integers(0, 50, 3).sum()
    return x


def _brownian(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x + rng.standard_normal(4)
    return x


@pytest.mark.parametrize("function", [_chain, pytest.param(_brownian, marks=known_functions)])
def test_a_loop_of_few_draws_is_one_block(function: Callable[..., Any]) -> None:
    """How many turns the loop of a draw has is known on average."""
    generators = tuple(np.random.default_rng(7) for _ in range(2))
    device = _check(function, generators, np.zeros(4), np.int64(9))
    assert (device.launches, device.reads, device.host_kernels) == (1, 0, ())


@known_functions
@pytest.mark.soak
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_numbers_by_ziggurats(dtype: Any) -> None:
    """With some dozens in the tails."""

    def drawn(rng: Any, x: Any) -> Any:
        return rng.standard_normal(x.shape, x.dtype) + x, rng.standard_exponential(x.shape, x.dtype)

    for algorithm in ALGORITHMS:
        generators = tuple(_generator(algorithm) for _ in range(2))
        assert not _check(drawn, generators, np.zeros(30_000, dtype)).host_kernels


@known_functions
def test_ziggurats_beyond_those_that_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sizes that the run tells, with a tail at the end of what is looked at."""
    monkeypatch.setattr(redrawn_places, "_MORE", 0)
    monkeypatch.setattr(redrawn_places, "_share_drawn_again", lambda again: 0)
    sized = weft.function(lambda rng, n: rng.standard_normal(n) - 1.0, device="cuda")
    for size in (1, 2, 3, 4, 5, 6, 40):
        here, there = np.random.default_rng(1764), np.random.default_rng(1764)
        assert np.asarray(sized(there, np.int64(size))).tolist() == (here.standard_normal(size) - 1).tolist()
        assert _state(there) == _state(here), size


def test_normal_numbers_with_other_functions_are_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_numbers, "has_known_functions", lambda precision: False)

    def drawn(rng: Any, x: Any) -> Any:
        return x * rng.standard_normal(5), rng.standard_exponential(4, np.float32)

    device = _check(drawn, tuple(np.random.default_rng(3) for _ in range(2)), np.ones(5))
    assert [reason for _, reason in device.host_kernels] == ["it draws random numbers"] * 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("dtype", "size", "bounds"),
    [
        # of words: most are kept, a quarter is drawn again, or hardly any; of halves; of none
        (
            np.int64,
            300,
            [(0, 3 * 2**60), (0, 3 * 2**62 - 1), (-5, 2**40), (-7, 1000), (4, 4), (-(2**63), 2**63 - 1)],
        ),
        (np.int64, 9, [(0, 2**33), (3, 3 + 2**32), (3, 2 + 2**32)]),
        (np.uint32, 70, [(0, 2**32 - 1), (5, 3 * 2**30), (9, 9)]),
        (np.int8, 40, [(-128, 127), (-3, 100), (5, 5), (5, 6)]),
        (np.bool_, 40, [(0, 1), (1, 1)]),
    ],
)
@pytest.mark.parametrize(("algorithm", "halves"), [("PCG64", 0), ("Philox", 1)])
def test_integers_of_bounds_that_the_run_tells(
    dtype: Any, size: int, bounds: list[tuple[int, int]], algorithm: str, halves: int
) -> None:
    """How many parts of the stream they take is told with the bounds, which nothing is read for."""
    compiled = weft.function(
        lambda rng, low, high: rng.integers(low, high, size, dtype, endpoint=True), device="cuda"
    )
    for low, high in bounds:
        here, there = (_generator(algorithm, halves=halves) for _ in range(2))
        found = np.asarray(compiled(there, np.int64(low), np.int64(high)))
        assert found.tobytes() == here.integers(low, high, size, dtype, endpoint=True).tobytes(), (low, high)
        assert _state(there) == _state(here), (low, high)
    device = compiled.get_concrete_function(there, np.int64(0), np.int64(1)).cost_analysis().device
    assert (device.reads, device.host_kernels) == (0, ())


def _shuffled(rng: Any, x: Any) -> Any:
    rng.shuffle(x)
    return x[rng.permutation(len(x))], rng.permuted(x.reshape(3, 4), axis=1), rng.permutation(x[:1])


def _sampled(rng: Any, x: Any, count: Any) -> Any:
    return (
        rng.choice(x, 5, replace=False),
        rng.choice(count, 4, replace=False),
        rng.choice(count, (2, 3), replace=False, shuffle=False),
        rng.choice(x),
    )


def _own_bounds(rng: Any, highs: Any) -> Any:
    return rng.integers(0, highs), rng.integers(np.minimum(highs, 5) - 7, 9, dtype=np.int32)


def _epochs(rng: Any, x: Any, steps: Any) -> Any:
    total = 0.0
    for step in range(steps):
        order = rng.permutation(6)
        if x[order[0]] > 2.0:
            x = x + rng.standard_normal(6, np.float32)
        total += x[order[:2]].sum() * rng.integers(1 + step)
    return x, total


@known_functions
@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (_shuffled, (np.arange(12.0),)),
        # a population of halves, and one where words begin in the middle
        (_sampled, (np.arange(9.0), np.int64(7))),
        (_sampled, (np.arange(9.0), np.int64(2**32 + 2))),
        (_own_bounds, (np.array([3, 1, 2**33, 2**32, 700]),)),
        (_epochs, (np.arange(6.0, dtype=np.float32), np.int64(4))),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_few_numbers_are_drawn_in_turn(
    algorithm: str, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    generators = tuple(_generator(algorithm, halves=1) for _ in range(2))
    assert not _check(function, generators, *arguments).host_kernels


def test_bytes_with_bounds_of_their_own_are_the_hosts() -> None:
    """They share halves of words."""
    device = _check(
        lambda rng, highs: rng.integers(0, highs, dtype=np.int8),
        tuple(_generator("PCG64") for _ in range(2)),
        np.array([3, 100, 7]),
    )
    assert [reason for _, reason in device.host_kernels] == ["it draws random numbers"]
