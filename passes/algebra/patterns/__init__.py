"""The patterns of `weft-simplify`: small functions by the op class they look at, one module per kind of op.

A pattern gets a `Match` and returns the value that may stand for the op's result, or None. What it returns
equals the result bit by bit, for every operand: infinities, signed zeros, subnormal numbers, wrapping
integers. Its docstring says why. All NaNs count as one quiet value, since IEEE 754 leaves their sign and
payload open. Of complex numbers, only what holds for each part on its own is used: a product with 1+0j
turns an infinite part into NaN.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeAlias

from ....dialect.mlir import Value
from ....dialect.op import Op
from ...rewriting import Match

Pattern: TypeAlias = Callable[[Match], "Value | None"]

PATTERNS: dict[type[Op], list[Pattern]] = {}
"""The patterns of every op class, in the order in which they are tried."""

_MODULES = ("arithmetic", "logic", "conversion", "rearrangement", "contraction", "indexing", "choices")


def simplifies(*op_classes: type[Op]) -> Callable[[Pattern], Pattern]:
    """Register a function as a pattern of op classes."""

    def register(pattern: Pattern) -> Pattern:
        for op_class in op_classes:
            PATTERNS.setdefault(op_class, []).append(pattern)
        return pattern

    return register


def load_patterns() -> dict[type[Op], list[Pattern]]:
    """Import all modules of patterns and return the table."""
    for module in _MODULES:
        importlib.import_module(f"{__name__}.{module}")
    return PATTERNS
