"""The workloads in weft: the NumPy programs, decorated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import weft
from peers.numpy_programs import FUNCTIONS


def conv(image: Any, kernel: Any) -> Any:
    """A 3x3 convolution."""
    return weft.conv(image, kernel)


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = weft.function(function)
        return lambda: compiled(*arguments)

    return make


PROGRAMS = {name: _bind(function) for name, function in (FUNCTIONS | {"conv": conv}).items()}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
