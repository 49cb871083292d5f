"""Functions of arrays whose sizes only the program knows, and which turn out to hold nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

CALLS: dict[str, Callable[[Any], Any]] = {
    "pinv": lambda a: np.linalg.pinv(a),
    "cond": lambda a: np.linalg.cond(a),
    "cond of Frobenius": lambda a: np.linalg.cond(a @ a.T, "fro"),
    "matrix_rank": lambda a: np.linalg.matrix_rank(a),
    "norm": lambda a: np.linalg.norm(a),
    "svd": lambda a: np.linalg.svd(a, compute_uv=False),
    "gradient": lambda a: np.gradient(a, axis=0),
    "partition": lambda a: np.partition(a.ravel(), 0),
    "argpartition": lambda a: np.argpartition(a.ravel(), 0),
    "median": lambda a: np.median(a.ravel()),
}


@pytest.mark.filterwarnings("ignore:.*empty slice:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_empty_arrays_of_unknown_sizes(name: str) -> None:
    call = CALLS[name]
    compiled = weft.function(call, input_signature=[weft.TensorSpec([None, None], np.float64)])
    for shape in ((0, 0), (0, 3), (3, 0), (3, 2)):
        a = np.arange(np.prod(shape), dtype=float).reshape(shape)
        try:
            eager = call(a)
        except Exception as error:
            with pytest.raises(type(error), match=str(error).split("(")[0]):
                compiled(a)
        else:
            got = compiled(a)
            assert np.asarray(got).dtype == np.asarray(eager).dtype
            np.testing.assert_allclose(got, eager, rtol=1e-12, atol=1e-12)
