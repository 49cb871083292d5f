"""`keras.random`: the same bits compiled as in plain Python, of the distributions that are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import ml_dtypes
import numpy as np
import pytest
from compared import rows
from scipy import stats  # type: ignore[import-untyped]

import weft

DRAWS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda seed: keras.random.normal((40,), 2.0, 3.0, seed=seed),
    "normal of 64 bits": lambda seed: keras.random.normal((40,), dtype="float64", seed=seed),
    "uniform": lambda seed: keras.random.uniform((40,), -1.0, 2.0, seed=seed),
    "uniform of half": lambda seed: keras.random.uniform((40,), dtype="bfloat16", seed=seed),
    "randint": lambda seed: keras.random.randint((40,), -3, 9, seed=seed),
    "randint of bytes": lambda seed: keras.random.randint((40,), 0, 200, dtype="uint8", seed=seed),
    "truncated": lambda seed: keras.random.truncated_normal((40,), 1.0, 2.0, seed=seed),
    "categorical": lambda seed: keras.random.categorical(np.log([[0.2, 0.8], [0.5, 0.5]]), 30, seed=seed),
    "dropout": lambda seed: keras.random.dropout(np.ones((6, 7), np.float32), 0.4, seed=seed),
    "dropout of rows": lambda seed: keras.random.dropout(
        np.ones((6, 7), np.float32), 0.4, (None, 1), seed=seed
    ),
    "shuffle": lambda seed: keras.random.shuffle(np.arange(20), seed=seed),
    "shuffle of columns": lambda seed: keras.random.shuffle(np.arange(20).reshape(4, 5), axis=1, seed=seed),
    "gamma": lambda seed: keras.random.gamma((40,), 2.5, seed=seed),
    "binomial": lambda seed: keras.random.binomial((40,), 12, 0.3, seed=seed),
    "beta": lambda seed: keras.random.beta((40,), 2.0, 3.0, seed=seed),
}


def test_compiled_draws_are_those_of_plain_python() -> None:
    with_number = weft.function(weft.do_not_convert(lambda: [draw(7) for draw in DRAWS.values()]))
    generator, other = keras.random.SeedGenerator(3), keras.random.SeedGenerator(3)
    with_state = weft.function(weft.do_not_convert(lambda: [draw(generator) for draw in DRAWS.values()]))
    for name, found, expected in zip(DRAWS, with_number(), [draw(7) for draw in DRAWS.values()], strict=True):
        np.testing.assert_array_equal(found, expected, err_msg=name)
        assert found.dtype == expected.dtype, name
    for _ in range(2):  # the second call goes on where the first has stopped
        found_all, expected_all = with_state(), [draw(other) for draw in DRAWS.values()]
        for name, found, expected in zip(DRAWS, found_all, expected_all, strict=True):
            np.testing.assert_array_equal(found, expected, err_msg=name)
    np.testing.assert_array_equal(generator.state.value, other.state.value)
    assert with_state.trace_count == 1


def test_the_global_generator_draws_others_at_each_call_of_a_compiled_function() -> None:
    draw = weft.function(weft.do_not_convert(lambda: keras.random.uniform((4,))))
    keras.utils.set_random_seed(5)
    found = [draw() for _ in range(3)]
    assert not np.array_equal(found[0], found[1])
    keras.utils.set_random_seed(5)
    np.testing.assert_array_equal(keras.random.uniform((4,)), found[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda n: keras.random.normal((n,), 2.0, 3.0, seed=1), stats.norm(2, 3)),
        (lambda n: keras.random.uniform((n,), -1.0, 2.0, seed=1), stats.uniform(-1, 3)),
        (lambda n: keras.random.truncated_normal((n,), 1.0, 2.0, seed=1), stats.truncnorm(-2, 2, 1, 2)),
        (lambda n: keras.random.gamma((n,), 2.5, seed=1), stats.gamma(2.5)),
        (lambda n: keras.random.beta((n,), 2.0, 3.0, seed=1), stats.beta(2, 3)),
    ],
)
def test_distributions(draw: Any, distribution: Any) -> None:
    assert stats.kstest(draw(4000), distribution.cdf).pvalue > 1e-3


def test_frequencies_of_categories_and_numbers() -> None:
    shares = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    drawn = keras.random.categorical(np.log(shares), 4000, seed=1)
    for row in range(2):
        counts = np.bincount(drawn[row], minlength=3)
        assert stats.chisquare(counts, shares[row] * 4000).pvalue > 1e-3
    counts = np.bincount(keras.random.randint((4000,), 2, 7, seed=1), minlength=7)
    assert counts[:2].sum() == 0
    assert stats.chisquare(counts[2:]).pvalue > 1e-3
    counts = np.bincount(keras.random.binomial((4000,), 3, 0.3, seed=1).astype(int))
    assert stats.chisquare(counts, stats.binom(3, 0.3).pmf(range(4)) * 4000).pvalue > 1e-3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_uniform_numbers_stay_below_the_upper_end(dtype: str) -> None:
    drawn = keras.random.uniform((20000,), 1.0, 2.0, dtype=dtype, seed=2)
    assert drawn.dtype == (ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    assert (drawn < 2).all()
    assert (drawn >= 1).all()


def test_dropout_keeps_the_mean_and_hides_the_same_in_the_gradient() -> None:
    x = rows()(200, 100) + 1
    shown = keras.random.dropout(x, 0.3, seed=4)
    np.testing.assert_allclose(shown[shown != 0], (x / np.float32(0.7))[shown != 0], rtol=1e-6)
    assert abs((shown == 0).mean() - 0.3) < 0.01
    loss = weft.do_not_convert(lambda x: keras.random.dropout(x, 0.3, seed=4).sum())
    np.testing.assert_allclose(
        weft.function(weft.do_not_convert(weft.grad(loss)))(x), (shown != 0) / np.float32(0.7)
    )
    assert keras.random.dropout(x, 0.0) is x
    assert not keras.src.backend.random.dropout(x, 1.0).any()


def test_shuffling_keeps_slices_whole() -> None:
    x = np.arange(40).reshape(10, 4)
    found = keras.random.shuffle(x, seed=9)
    assert not np.array_equal(found, x)
    np.testing.assert_array_equal(found[np.argsort(found[:, 0])], x)


def test_arrays_as_parameters() -> None:
    low, high = np.zeros(3, np.float32), np.array([1, 10, 100], np.float32)
    drawn = keras.random.uniform((500, 3), low, high, seed=3)
    assert (drawn.max(0) > high * 0.9).all()
    assert (drawn < high).all()
    assert keras.random.gamma((5, 2), np.array([0.5, 3.0]), seed=1).shape == (5, 2)
    assert (keras.random.binomial((5, 2), np.array([0.0, 4.0]), 1.0, seed=1) == [0, 4]).all()
