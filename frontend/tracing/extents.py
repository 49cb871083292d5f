"""Run-time extents: which are known to be equal, and the checks for those that are not.

Shape rules let an unknown extent pass for any other one; that they agree is checked when the compiled function
runs. A check is left out where both extents come from the same axis of the same array, which is found by
walking from a value to the ops that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialect.errors import UnsupportedError
from ...dialect.sizes import Size
from .array import TracedArray
from .needed_numbers import need_length
from .staging import raise_if

if TYPE_CHECKING:
    from .recorder import Recorder
    from .regions import Section

Extent: TypeAlias = Any
"""An int, or a traced i64 scalar."""


class _Facts:
    """What a recording has checked."""

    def __init__(self) -> None:
        self.checked: dict[Any, Section] = {}
        """In which section: it holds as long as what that defines can be used."""


def known_shape(x: Any) -> tuple[int | None, ...]:
    """The shape with None for run-time extents."""
    return x.type.shape if isinstance(x, TracedArray) else tuple(np.shape(x))


def known_extent(x: Any, axis: int, what: str) -> int:
    """The extent of an axis, or `UnsupportedError` when it is known only at run time."""
    extent = known_shape(x)[axis]
    if extent is None:
        raise UnsupportedError(
            f"{what}() makes as many arrays or terms as axis {axis} is long, which is known only at run time; "
            "compile it for arrays of a fixed extent"
        )
    return extent


def total_extent(arrays: Sequence[Any], axis: int) -> int | None:
    """The sum of the extents of an axis where it is a number though some of them are known at run time only."""
    shapes = [known_shape(x)[axis] for x in arrays]
    if None not in shapes:
        return None
    from .extent_keys import extent_key

    total: Size = 0
    for x, extent in zip(arrays, shapes, strict=True):
        total = total + (extent_key(x._value(), axis) if extent is None else extent)
    return total if isinstance(total, int) else None


def same_extent(left: Extent, right: Extent) -> bool:
    """Whether two extents are known to be equal while tracing."""
    if isinstance(left, TracedArray) and isinstance(right, TracedArray):
        from .extent_keys import scalar_key

        return left is right or scalar_key(left._value()) == scalar_key(right._value())
    return not isinstance(left, TracedArray) and not isinstance(right, TracedArray) and left == right


def require_equal(
    trace: Recorder,
    pairs: Sequence[tuple[Any, int, Any, int]],
    message: str,
    *shown: Extent,
    error: str = "ValueError",
) -> None:
    """Check at run time that axes are equal: each pair is an array, its axis, another array and its axis.

    `message` may hold `{0}`, `{1}`, ... for the extents in `shown`. Checks that were made before, or that
    cannot fail, are not repeated.
    """
    differs: Any = None
    for left, left_axis, right, right_axis in pairs:
        left_extent, right_extent = known_shape(left)[left_axis], known_shape(right)[right_axis]
        if left_extent is not None and right_extent is not None:
            continue
        key = frozenset((axis_key(left, left_axis), axis_key(right, right_axis)))
        if not is_new_fact(trace, key):
            continue
        unequal = np.not_equal(left.shape[left_axis], right.shape[right_axis])
        differs = unequal if differs is None else np.logical_or(differs, unequal)
    if differs is not None:
        raise_if(differs, error, message, *shown)


def is_known_fact(trace: Recorder, key: Any) -> bool:
    """Whether what a key stands for was checked on the way to here; of two keys, that they are equal."""
    section = trace.state(_Facts).checked.get(key)
    return (section is not None and section.is_usable) or (isinstance(key, frozenset) and len(key) == 1)


def is_new_fact(trace: Recorder, key: Any) -> bool:
    """Whether what a key stands for was not checked before on the way to here; from now on it was."""
    if is_known_fact(trace, key):
        return False
    checked = trace.state(_Facts).checked
    if trace.catcher is None:
        checked[key] = trace.region.section
    else:
        trace.catcher.note(lambda: checked.__setitem__(key, trace.region.section))
    return True


def shapes_text(operands: Sequence[Any], separator: str = " ") -> tuple[str, list[Extent]]:
    """The shapes as a message shows them, `({0},3) (3,)`, and the run-time extents that fill the braces."""
    shown: list[Extent] = []
    parts = []
    for operand in operands:
        inner = []
        for axis, extent in enumerate(known_shape(operand)):
            if extent is None:
                inner.append(f"{{{len(shown)}}}")
                shown.append(operand.shape[axis])
            else:
                inner.append(str(extent))
        parts.append(f"({','.join(inner)}{',' if len(inner) == 1 else ''})")
    return separator.join(parts), shown


def extents_text(left: Extent, right: Extent, place: int = 0) -> tuple[list[str], list[Extent]]:
    """Two extents as a message shows them, braces for run-time ones, and those that fill the braces."""
    texts: list[str] = []
    shown: list[Extent] = []
    for extent in (left, right):
        if isinstance(extent, TracedArray):
            texts.append(f"{{{place + len(shown)}}}")
            shown.append(extent)
        else:
            texts.append(str(extent))
    return texts, shown


def split_shape(shape: Any) -> tuple[tuple[int, ...], tuple[TracedArray, ...]]:
    """A shape as ops take it: ints with -1 for every run-time extent, and those extents in order."""
    entries = tuple(shape) if isinstance(shape, (tuple, list)) or np.ndim(shape) else (shape,)
    attribute: list[int] = []
    dims: list[TracedArray] = []
    for entry in entries:
        if isinstance(entry, TracedArray):
            dims.append(extent_scalar(entry))
            attribute.append(-1)
        else:
            attribute.append(_plain_extent(entry))
    return tuple(attribute), tuple(dims)


def _plain_extent(entry: Any) -> int:
    try:
        extent = entry.__index__()
    except AttributeError:
        raise TypeError(f"'{type(entry).__name__}' object cannot be interpreted as an integer") from None
    return int(extent)


def extent_scalar(entry: TracedArray) -> TracedArray:
    """A traced scalar as an i64[] extent; that one which depends on data is not negative is checked at run time."""
    if entry.ndim != 0 or entry.dtype.kind not in "iu":
        raise TypeError(f"an extent is an integer, not {entry.type}")
    need_length(entry, "a shape")
    from .extent_keys import depends_on_shapes_only, scalar_key

    if not depends_on_shapes_only(entry._value()):
        trace = entry._storage.trace
        if is_new_fact(trace, ("extent", scalar_key(entry._value()))):
            raise_if(entry < 0, "ValueError", "negative dimensions are not allowed")
    extent: TracedArray = entry.astype(np.int64)
    return extent


def is_extent(value: Any) -> bool:
    """Whether a value is the extent of an axis, and so not negative."""
    if not isinstance(value, TracedArray) or value.ndim:
        return False
    from .extent_keys import is_extent_scalar

    return is_extent_scalar(value._value())


def product(extents: Sequence[Extent]) -> Extent:
    """The product of extents: an int when all are."""
    known = 1
    traced: Any = None
    for extent in extents:
        if isinstance(extent, TracedArray):
            traced = extent if traced is None else traced * extent
        else:
            known *= extent
    return known if traced is None else traced if known == 1 else traced * known


def axis_key(x: Any, axis: int) -> Size:
    """Equal for axes whose extents are known to be."""
    from .extent_keys import extent_key  # loads MLIR, which eager calls of the namespace do not need

    extent = known_shape(x)[axis]
    return extent if extent is not None else extent_key(x._value(), axis % len(known_shape(x)))
