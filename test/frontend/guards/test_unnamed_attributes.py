"""Functions without source are traced as they are; the attributes that they read without naming them are looked at."""

from __future__ import annotations

import types
import warnings
from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.sampled
@pytest.mark.parametrize(
    "value",
    [
        "getattr(held, 'k')",
        "getattr(held, name)",
        "vars(held)['k']",
        "held.__dict__['k']",
        "attrgetter('k')(held)",
        "getattr(held, 'none', 1) * held.k",
    ],
)
@pytest.mark.parametrize("is_array", [False, True])
def test_what_is_read_without_a_name_is_read_again(value: str, is_array: bool) -> None:
    held = types.SimpleNamespace(k=np.full(2, 2.0) if is_array else 2.0)
    names: dict[str, Any] = {"held": held, "name": "k"}
    exec(f"from operator import attrgetter\ndef f(x):\n    return x * {value}", names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a function without source
        f = weft.function(names["f"])
        for _ in range(3):
            np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
        held.k = np.full(2, 3.0) if is_array else 3.0
        for _ in range(3):
            np.testing.assert_array_equal(f(np.ones(2)), [3, 3])
