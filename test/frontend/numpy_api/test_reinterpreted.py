"""`x.view(dtype)` of other kinds and widths: the bytes that NumPy reads, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

DTYPES = ["?", "i1", "u2", "f2", "i4", "f4", "u8", "f8", "c8", "c16"]
RAW = np.random.default_rng(0).integers(0, 255, (3, 32), dtype="u1")


def views(dtype: str) -> Any:
    def view(x: Any) -> Any:
        return x.view(dtype), x[:, : x.shape[1] // 2].view(dtype), x[0].view(dtype), x[::2].view(dtype)

    return view


@pytest.mark.sampled(2)
@pytest.mark.parametrize("before", DTYPES)
def test_bytes_are_read_as_another_dtype(before: str) -> None:
    for after in DTYPES:
        raw = RAW % 2 if "?" in (before, after) else RAW
        x = raw.view(before)
        with np.errstate(all="ignore"):
            expected = [np.nan_to_num(v) for v in views(after)(x)] if after != "?" else views(after)(x)
            got = interpreted(views(after))(x)
        assert_same([np.nan_to_num(v) if after != "?" else v for v in got], list(expected))


REFUSED = [
    (lambda x: x[:, ::2].view("i2"), "the last axis must be contiguous"),
    (lambda x: x.T.view("c16"), "the last axis must be contiguous"),
    (lambda x: x[:, 1:4].view("c16"), "must be a divisor of the total size"),
    (lambda x: x[0, 0].view("i4"), "Changing the dtype of a 0d array"),
]


@pytest.mark.parametrize(("function", "why"), REFUSED)
def test_what_is_no_view_is_numpys_error(function: Any, why: str) -> None:
    x = np.arange(16.0).reshape(2, 8)
    with pytest.raises(ValueError, match=why):
        function(x)
    with pytest.raises(ValueError, match=why):
        interpreted(function)(x)


def test_scalars_and_unknown_sizes() -> None:
    compiled = weft.function(
        lambda x: (x[0].view("c8"), x.view("i4"), x[::-1].copy().view("c16")),
        input_signature=[weft.TensorSpec((None,), "float64")],
    )
    for size in (2, 6):
        x = np.arange(1.0, size + 1)
        assert_same(compiled(x), (x[0].view("c8"), x.view("i4"), x[::-1].copy().view("c16")))
    with pytest.raises(ValueError, match="must be a divisor of the total size"):
        compiled(np.ones(3))


def test_writing_a_view_is_refused() -> None:
    def written(z: Any) -> Any:
        z.view(float)[0] = 5
        return z

    with pytest.raises(
        NotImplementedError, match=r"what view gives shares its memory.*view\(\.\.\.\)\.copy\(\)"
    ):
        interpreted(written)(np.ones(3, complex))
