"""Random arrays: each call makes a generator of NumPy's of its seed, and compiled code draws the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed
from scipy import special  # type: ignore[import-untyped]

import weft

from .conversion import cast, convert_to_tensor


@weft.autograph.convert
def _generator(seed: Any) -> Any:
    return np.random.default_rng(seed)


def _drawn_in(dtype: Any) -> Any:
    """The dtype in which floats are drawn: half types have too few digits."""
    return np.dtype("float64" if dtype == "float64" else "float32")


def normal(
    shape: Sequence[int], mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    dtype = dtype or floatx()
    wide = _drawn_in(dtype)
    drawn = _generator(draw_seed(seed)).standard_normal(tuple(shape), dtype=wide)
    return cast(cast(mean, wide) + cast(stddev, wide) * drawn, dtype)


def uniform(
    shape: Sequence[int], minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Floats from `minval` on and below `maxval`."""
    dtype = dtype or floatx()
    wide = _drawn_in(dtype)
    low, high = cast(minval, wide), cast(maxval, wide)
    drawn = _generator(draw_seed(seed)).random(tuple(shape), dtype=wide)
    result, low, high = (cast(number, dtype) for number in (low + (high - low) * drawn, low, high))
    return np.minimum(
        result, np.nextafter(high, low)
    )  # rounding may have made `maxval` of what is near to it


def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Any:
    """For each row of logits, samples of its categories (*rows, samples)."""
    logits = convert_to_tensor(logits)
    wide = _drawn_in(logits.dtype)
    shape = (*logits.shape[:-1], num_samples, logits.shape[-1])
    waiting = _generator(draw_seed(seed)).standard_exponential(shape, dtype=wide)
    # The category for which an event comes first, where the rate of each is its probability.
    first = cast(logits, wide)[..., None, :] - np.log(np.maximum(waiting, np.finfo(wide).tiny))
    return cast(np.argmax(first, axis=-1), dtype)


def randint(shape: Sequence[int], minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    low, high = convert_to_tensor(minval), convert_to_tensor(maxval)
    return _generator(draw_seed(seed)).integers(low, high, tuple(shape), dtype=np.dtype(dtype))


def truncated_normal(
    shape: Sequence[int], mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """A normal distribution without what is more than two standard deviations away from its mean."""
    dtype = dtype or floatx()
    below, above = special.ndtr(-2.0), special.ndtr(2.0)
    drawn = _generator(draw_seed(seed)).random(tuple(shape))
    within = np.minimum(np.maximum(special.ndtri(below + (above - below) * drawn), -2.0), 2.0)
    return cast(cast(mean, "float64") + cast(stddev, "float64") * within, dtype)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Zeros in the places of some elements, and the others so much larger that the mean stays."""
    x = convert_to_tensor(inputs)
    if rate == 0.0:
        return x
    if rate == 1.0:
        return np.zeros_like(x)
    shape = [
        extent if given is None else given
        for extent, given in zip(x.shape, noise_shape or (None,) * x.ndim, strict=True)
    ]
    drawn = _generator(draw_seed(seed)).random(tuple(shape), dtype=np.float32)
    kept = np.greater_equal(drawn, np.float32(rate))
    return np.where(kept, x * x.dtype.type(1 / (1 - rate)), x.dtype.type(0))


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """The slices along an axis in another order."""
    return _generator(draw_seed(seed)).permutation(convert_to_tensor(x), axis=axis)


def gamma(shape: Sequence[int], alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    drawn = _generator(draw_seed(seed)).standard_gamma(convert_to_tensor(alpha, "float64"), tuple(shape))
    return cast(drawn, dtype or floatx())


def binomial(
    shape: Sequence[int], counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None
) -> Any:
    counts, probabilities = convert_to_tensor(counts, "int64"), convert_to_tensor(probabilities, "float64")
    drawn = _generator(draw_seed(seed)).binomial(counts, probabilities, tuple(shape))
    return cast(drawn, dtype or floatx())


def beta(shape: Sequence[int], alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    alpha, beta = convert_to_tensor(alpha, "float64"), convert_to_tensor(beta, "float64")
    return cast(_generator(draw_seed(seed)).beta(alpha, beta, tuple(shape)), dtype or floatx())


__all__ = [
    "SeedGenerator",
    "beta",
    "binomial",
    "categorical",
    "draw_seed",
    "dropout",
    "gamma",
    "make_default_seed",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]
