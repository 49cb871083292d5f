"""Random numbers of NumPy's generators, as functions of the state: an op gives numbers, and the state behind them.

The state is that of `dialect/bit_generators.py`. Equal states give equal numbers, so the ops are pure; numbers and
states are NumPy's to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bit_generators import ALGORITHMS, generator_with, is_count_of_words, words_of
from ..dtypes import kind
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Bool,
    Cost,
    DType,
    Ints,
    Operand,
    Operands,
    ShapedOp,
    String,
    TensorType,
    axis_of,
    same_dtype,
)
from .shape import concrete_shape, given_extent, require_extents, target_shape

INT64 = np.dtype(np.int64)

DISTRIBUTIONS = ("uniform", "normal", "exponential", "inverse_exponential")


class Draw(ShapedOp, family="random", cost=Cost.EXPENSIVE):
    """Base of the ops that draw numbers of a generator."""

    results = 2
    extent_source = staticmethod(given_extent)


class RandomFloats(Draw, name="random_floats"):
    """Numbers of a distribution: uniform in [0, 1), normal, or exponential (by the ziggurat, or by the inverse)."""

    state: Operand
    dims: Operands
    algorithm: String
    distribution: String
    shape: Ints
    dtype: DType

    @staticmethod
    def infer(
        state: TensorType,
        dims: tuple[TensorType, ...],
        algorithm: str,
        distribution: str,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> tuple[TensorType, TensorType]:
        require_state("weft.random_floats", state, algorithm)
        if distribution not in DISTRIBUTIONS:
            raise WeftValueError(f"weft.random_floats: there is no distribution {distribution!r}")
        if dtype not in (np.float32, np.float64):
            raise WeftTypeError(f"weft.random_floats gives f32 or f64, not {dtype}")
        if distribution == "inverse_exponential" and dtype != np.float64:
            raise WeftTypeError(f"weft.random_floats gives {distribution} numbers as f64, not {dtype}")
        return drawn("weft.random_floats", shape, 1, dims, dtype), state

    @staticmethod
    def evaluate(
        state: Array,
        dims: tuple[Array, ...],
        algorithm: str,
        distribution: str,
        shape: tuple[int, ...],
        dtype: Any,
    ) -> tuple[Array, Array]:
        generator = generator_with(algorithm, state)
        size = concrete_shape(shape, dims)
        if distribution == "uniform":
            numbers = generator.random(size, dtype)
        elif distribution == "normal":
            numbers = generator.standard_normal(size, dtype)
        else:
            method = "zig" if distribution == "exponential" else "inv"
            numbers = generator.standard_exponential(size, dtype, method)
        return numbers, words_of(generator).copy()


class RandomIntegers(Draw, name="random_integers"):
    """Integers between two bounds, which may be drawn themselves: scalars, or one pair for each number."""

    state: Operand
    low: Operand
    high: Operand
    dims: Operands
    algorithm: String
    shape: Ints

    @staticmethod
    def infer(
        state: TensorType,
        low: TensorType,
        high: TensorType,
        dims: tuple[TensorType, ...],
        algorithm: str,
        shape: tuple[int, ...],
    ) -> tuple[TensorType, TensorType]:
        require_state("weft.random_integers", state, algorithm)
        dtype = same_dtype("weft.random_integers", low, high)
        if kind(dtype) not in "biu":
            raise WeftTypeError(f"weft.random_integers has integers as bounds, not {low}")
        if low.shape != high.shape or low.rank > 1:
            raise WeftValueError(f"weft.random_integers: bounds are scalars or alike, not {low} and {high}")
        return drawn("weft.random_integers", shape, 1, dims, dtype), state

    @staticmethod
    def evaluate(
        state: Array,
        low: Array,
        high: Array,
        dims: tuple[Array, ...],
        algorithm: str,
        shape: tuple[int, ...],
    ) -> tuple[Array, Array]:
        generator = generator_with(algorithm, state)
        size = concrete_shape(shape, dims)
        numbers = generator.integers(low, high, size, low.dtype, endpoint=True)
        return numbers, words_of(generator).copy()


class RandomPermutation(Draw, name="random_permutation"):
    """For every row a permutation of its places, as shuffling the row would move them."""

    state: Operand
    dims: Operands
    algorithm: String
    shape: Ints

    @staticmethod
    def infer(
        state: TensorType, dims: tuple[TensorType, ...], algorithm: str, shape: tuple[int, ...]
    ) -> tuple[TensorType, TensorType]:
        require_state("weft.random_permutation", state, algorithm)
        return drawn("weft.random_permutation", shape, 2, dims, INT64), state

    @staticmethod
    def evaluate(
        state: Array, dims: tuple[Array, ...], algorithm: str, shape: tuple[int, ...]
    ) -> tuple[Array, Array]:
        generator = generator_with(algorithm, state)
        rows, length = concrete_shape(shape, dims)
        places = np.tile(np.arange(length), (rows, 1))
        generator.permuted(places, axis=1, out=places)
        return places, words_of(generator).copy()


class RandomChoice(Draw, name="random_choice"):
    """Different places among so many, in random order or (without `shuffle`) in any."""

    state: Operand
    population: Operand
    dims: Operands
    algorithm: String
    shape: Ints
    shuffle: Bool

    @staticmethod
    def infer(
        state: TensorType,
        population: TensorType,
        dims: tuple[TensorType, ...],
        algorithm: str,
        shape: tuple[int, ...],
        shuffle: bool,
    ) -> tuple[TensorType, TensorType]:
        require_state("weft.random_choice", state, algorithm)
        require_extents("weft.random_choice", [population])
        return drawn("weft.random_choice", shape, 1, dims, INT64), state

    @staticmethod
    def evaluate(
        state: Array,
        population: Array,
        dims: tuple[Array, ...],
        algorithm: str,
        shape: tuple[int, ...],
        shuffle: bool,
    ) -> tuple[Array, Array]:
        generator = generator_with(algorithm, state)
        size = concrete_shape(shape, dims)
        places = generator.choice(int(population), size, replace=False, shuffle=shuffle)
        return places, words_of(generator).copy()


class FillRandom(ShapedOp, name="fill_random", family="random", cost=Cost.EXPENSIVE):
    """A tensor filled by a function of the backend that draws numbers: what the lowering makes of all other draws."""

    state: Operand
    numbers: Operand
    given: Operands
    algorithm: String
    function: String
    dtype: String
    results = 2
    recorded = False
    extent_source = axis_of(1)

    @staticmethod
    def infer(
        state: TensorType,
        numbers: TensorType,
        given: tuple[TensorType, ...],
        algorithm: str,
        function: str,
        dtype: str,
    ) -> tuple[TensorType, TensorType]:
        if algorithm not in ALGORITHMS:
            raise WeftValueError(f"weft.fill_random: there is no algorithm {algorithm!r}")
        return numbers, state


def require_state(what: str, state: TensorType, algorithm: str) -> None:
    """Raise unless a type is that of the state of an algorithm."""
    if algorithm not in ALGORITHMS:
        raise WeftValueError(
            f"{what}: there is no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}"
        )
    if state.rank != 1 or state.dtype != np.uint64 or not is_count_of_words(algorithm, state.shape[0]):
        raise WeftTypeError(f"{what}: {state} is no state of {ALGORITHMS[algorithm]}")


def drawn(
    what: str, shape: tuple[int, ...], rank: int, dims: tuple[TensorType, ...], dtype: np.dtype[Any]
) -> TensorType:
    """The type of what is drawn."""
    if len(shape) != rank:
        raise WeftValueError(f"{what} gives a tensor of rank {rank}, not shape {shape}")
    return TensorType(target_shape(what, shape, dims), dtype)
