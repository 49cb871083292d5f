"""Why a loop nest became vector code, or why not: told to whoever records notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....passes.notes import note
from ....nests.nest import LoopNest
from .vector_body import without_vector_form


def note_form(nest: LoopNest, order: Sequence[int], loop: Any) -> None:
    """Note what became of the innermost loops of a nest: vector code, or scalar code where `loop` is None."""
    if not order or all(nest.extents[dim] in (0, 1) for dim in order):
        return  # a number
    location = nest.operation.location
    lanes = getattr(loop, "lanes", 1)
    if loop is not None and lanes > 1:
        how = "is copied" if nest.is_copy() else "is filled" if _is_fill(nest) else "runs"
        note("vector", location, f"{how} in vectors of {{}}", str(lanes))
    else:
        note("scalar", location, f"runs one element at a time: {_why_scalar(nest, order[-1])}")


def _is_fill(nest: LoopNest) -> bool:
    """Whether a nest does nothing but set elements to a number."""
    return len(list(nest.body.operations)) == 1 and all(access.is_scalar for access in nest.inputs)


def _why_scalar(nest: LoopNest, inner: int) -> str:
    """Why a nest has no vector form along its innermost loop."""
    found = without_vector_form(nest.body)
    if found is not None:
        return found
    for access in nest.outputs:
        if not access.is_contiguous_in(inner) and nest.parallel[inner]:
            return "what it writes does not lie side by side in memory"
    for access in nest.inputs:
        if not access.is_scalar and access.mentions(inner) and not access.is_contiguous_in(inner):
            return "what it reads does not lie side by side in memory"
    if nest.extents[inner] in (0, 1):
        return "its innermost axis has one element"
    if not nest.parallel[inner]:
        return "each step needs the one before"
    return "it reads what it writes"
