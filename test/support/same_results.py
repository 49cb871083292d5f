"""Results of compiled functions that are those of Python: classes, dtypes, shapes and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft


def assert_same(got: Any, expected: Any) -> None:
    """The same classes, dtypes, shapes and bits, but for those of NaN."""
    if isinstance(expected, (tuple, list)):
        assert type(got) is type(expected)
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_same(one, other)
    elif hasattr(expected, "dtype"):
        assert type(got) is type(expected)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        if expected.dtype.names is None:
            np.testing.assert_array_equal(got, expected)
        else:
            assert got.tobytes() == expected.tobytes()  # NaT is not NaT
    else:
        assert type(got) is type(expected)
        assert got == expected


def check(function: Callable[..., Any], *arguments: Any) -> None:
    """Results and written arguments are those of Python."""
    copies, theirs = [[a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)]
    assert_same(weft.function(function)(*copies), function(*theirs))
    assert_same(copies, theirs)
