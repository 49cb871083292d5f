"""Kernels of the host between those of a device, in the emulator: what they take and give."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft


def test_constants_whose_size_a_kernel_does_not_know() -> None:
    """How often to draw is a table that the kernel sees as a view."""

    def drawn(rng: Any, x: Any) -> Any:
        return rng.choice(10, 4, replace=False), rng.choice(x * 2, 2, replace=False)

    x = np.arange(12.0).reshape(3, 4)
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(drawn, device="cuda")(np.random.default_rng(5), x)
    for one, other in zip(there, drawn(np.random.default_rng(5), x), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
