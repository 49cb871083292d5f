"""Random numbers of programs over split arrays: NumPy's to the bit, whatever the split; of blocks where that can be."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import weft

ranks = weft.distributed
P = ranks.P
ALGORITHMS = (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox)
CASES = [
    pytest.param(*case, marks=[pytest.mark.soak] if number % 5 else [])
    for number, case in enumerate(itertools.product(ALGORITHMS, (P("d"), P(None, "d")), (1, 2, 3, 5)))
]
"""Each algorithm, split and number of ranks is in one that always runs."""


def noisy(x: Any, rng: Any) -> Any:
    y = x + rng.uniform(-1, 2, size=x.shape)
    y = np.where(rng.random(x.shape) < 0.3, 0, y)
    for _ in range(3):
        y += rng.random(x.shape)
    y += rng.standard_exponential(x.shape, method="inv")
    return y, rng.random(3), rng.normal(size=x.shape)


@pytest.mark.parametrize(("algorithm", "spec", "count"), CASES)
def test_numbers_do_not_depend_on_the_split(algorithm: Any, spec: Any, count: int) -> None:
    mesh = ranks.Mesh.simulated(count)
    x = ranks.scatter(np.zeros((11, 7)), spec, mesh)
    step = ranks.partition(noisy, mesh)
    for drawn in range(5):  # places in the buffer of Philox
        own, theirs = (np.random.Generator(algorithm(4)) for _ in range(2))
        assert np.array_equal(own.random(drawn), theirs.random(drawn))
        found, wanted = step(x, own), noisy(np.zeros((11, 7)), theirs)
        for mine, whole in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(
                mine.gather() if isinstance(mine, ranks.ShardedArray) else mine, whole
            )
        assert own.random() == theirs.random()


def test_ranks_draw_their_rows() -> None:
    mesh = ranks.Mesh.simulated(4)
    x = ranks.scatter(np.zeros((40, 5)), P("d"), mesh)
    step = ranks.partition(lambda x, rng: x + rng.random(x.shape), mesh)
    text = step.get_concrete_function(x, np.random.default_rng(0)).as_text("partitioned")
    assert text.count("weft.random_floats") == 1
    assert "shape = array<i64: 50>" in text
