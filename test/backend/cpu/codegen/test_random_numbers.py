"""What compiled code draws is what NumPy draws, to the bit, and so is the state behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.op_values import OPS, run_compiled
from weft.backend.cpu.random_numbers.ziggurat_tables import table
from weft.dialect.bit_generators import ALGORITHMS, words_of

Use = tuple[type[Any], list[Any], dict[str, Any]]


def state_of(algorithm: str, halves: int = 0) -> np.ndarray[Any, Any]:
    generator = np.random.Generator(getattr(np.random, ALGORITHMS[algorithm])(7))
    generator.random(halves, np.float32)  # half of a word may be left
    return words_of(generator).copy()


def floats(algorithm: str) -> Iterator[Use]:
    """Thousands of numbers: a few are in the tails, or of several words."""
    for dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        for distribution in ("uniform", "normal", "exponential", "inverse_exponential"):
            if distribution == "inverse_exponential" and dtype == np.float32:
                continue
            for count, halves in ((5003, 0), (3, 1), (0, 1)):
                attributes = {"algorithm": algorithm, "distribution": distribution, "dtype": dtype}
                yield OPS["random_floats"], [state_of(algorithm, halves)], attributes | {"shape": (count,)}


def integers(algorithm: str) -> Iterator[Use]:
    """Ranges with and without rejection, of one number, of all bits, and on both sides of 32 bits."""
    for name in ("bool", "int8", "uint8", "int16", "uint32", "int64", "uint64"):
        dtype = np.dtype(name)
        low, high = (0, 1) if name == "bool" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        ranges = [(low, high), (0, 1), (high, high), (low, low + (high - low) // 3 * 2)]
        ranges += [(0, min(high, 1 << 32)), (0, min(high, (1 << 32) - 1))]
        for pair in dict.fromkeys(ranges):
            bounds = [np.array(bound, dtype) for bound in pair]
            attributes = {"algorithm": algorithm, "shape": (101,)}
            yield OPS["random_integers"], [state_of(algorithm, 1), *bounds], attributes
    lows = np.arange(50, dtype=np.int16)
    attributes = {"algorithm": algorithm, "shape": (50,)}
    yield OPS["random_integers"], [state_of(algorithm), lows, lows * 7], attributes


def places(algorithm: str) -> Iterator[Use]:
    """Rows of no, one and many places; samples by a table and by a part of a shuffled range."""
    for shape in ((1, 10), (3, 7), (1, 1), (2, 0)):
        attributes = {"algorithm": algorithm, "shape": shape}
        yield OPS["random_permutation"], [state_of(algorithm)], attributes
    for population, count, shuffle in (
        (10, 3, True), (10, 10, False), (1, 1, True), (4, 0, True), (20000, 390, True), (20000, 410, True),
        (20000, 900, False), (20000, 1100, False),
    ):  # fmt: skip
        attributes = {"algorithm": algorithm, "shape": (count,), "shuffle": shuffle}
        yield OPS["random_choice"], [state_of(algorithm), np.int64(population)], attributes


@pytest.mark.sampled
@pytest.mark.parametrize("uses", [floats, integers, places])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_numbers_and_states_are_those_of_numpy(algorithm: str, uses: Any) -> None:
    together = list(uses(algorithm))
    for (op, operands, attributes), results in zip(together, run_compiled(together), strict=True):
        for computed, expected in zip(results, op.compute(operands, attributes), strict=True):
            assert computed.tobytes() == expected.tobytes(), (op.name, attributes)


@pytest.mark.parametrize(
    ("distribution", "precision", "digest"),
    [
        ("normal", "float64", "d46841a090f638a7"),
        ("normal", "float32", "814151b29303fd5b"),
        ("exponential", "float64", "0d6e976213179f23"),
        ("exponential", "float32", "fd7c621f21b0f0d6"),
    ],
)
def test_tables_of_ziggurats_are_those_of_numpy(distribution: str, precision: str, digest: str) -> None:
    """The digests are those of the tables in NumPy's C code."""
    parts = (table(distribution, precision, part) for part in ("limits", "widths", "heights"))
    content = b"".join(np.array(part, np.uint64).tobytes() for part in parts)
    assert hashlib.sha256(content).hexdigest().startswith(digest)
