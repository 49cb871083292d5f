"""A CUDA driver without a GPU: the functions of libcuda, over an interpreter of PTX that looks for mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def driver() -> Mapping[str, Any]:
    """The functions of a driver by their names, of libcuda, libnccl, libcublas, libcufft and libcusolver.

    >>> driver()["cuInit"](0)
    0
    """
    from .library import Emulator  # which needs weft, that the check on a GPU has yet to find
    from .math_libraries import EmulatedMath
    from .nccl import EmulatedNccl

    functions = Emulator().functions
    return {**functions, **EmulatedNccl(functions).functions, **EmulatedMath(functions).functions}


__all__ = ["driver"]
