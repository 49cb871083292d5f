"""`x[mask]` with a traced mask: an array of as many elements as are true when the program runs.

A selection also remembers the whole arrays that it was computed of, element by element. So assigning it to the same
mask (`x[mask] = f(x[mask])`) and reducing it to a number run over the whole array, in vectors, without moving anything;
the selected elements are moved together only where something else is done with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialect.ops.indexing import Gather
from ...dialect.ops.selection import Nonzero
from ...dialect.ops.state import ReadRef
from ..tracing.array import TracedArray
from ..tracing.several_types import SeveralTypes
from ..tracing.staging import apply, cast
from .plan import MaskIndex

if TYPE_CHECKING:
    from ..tracing.regions import Section

Whole: TypeAlias = "Callable[[], TracedArray]"
"""Computes what a selection selects from; those that are not selected are computed too, and never seen."""

_REDUCTIONS = frozenset({"sum", "prod", "mean", "var", "std", "any", "all"})
"""What can be computed of a selection with `where=`, without an element to begin with."""


class _Places:
    """What a recording has computed of masks."""

    def __init__(self) -> None:
        self.known: list[tuple[Section, Any, TracedArray]] = []
        """The masks whose places were computed: in which section, the SSA value, and the places."""


_REMEMBERED = 8
"""How many masks are compared with a new one."""


def true_places(mask: TracedArray) -> TracedArray:
    """The places of the true elements of a traced mask with one axis, in ascending order: i64[?].

    Equal masks get one array of places, so that what they select is known to be of one length.
    """
    trace, value = mask._storage.trace, mask._value()
    known = trace.state(_Places).known
    for section, other, remembered in known[-_REMEMBERED:]:
        if section.is_usable and same_value(value, other):
            return remembered
    places, count = apply(Nonzero, mask)
    found: TracedArray = places[:count]
    known.append((trace.region.section, value, found))
    return found


def nonzero_places(array: TracedArray) -> tuple[TracedArray, ...]:
    """The places of the elements that are not zero, an array for each axis, in row-major order."""
    mask = cast(array, np.dtype(bool))
    if mask.ndim == 1:
        return (true_places(mask).copy(),)  # the program may write to its own
    remaining = true_places(_flat(mask))
    places = []
    for extent in reversed(mask.shape[1:]):
        divisor = np.maximum(extent, 1)  # no element is there to be found where an extent is 0
        places.append(remaining % divisor)
        remaining = remaining // divisor
    return (remaining, *reversed(places))


def select(view: TracedArray, place: MaskIndex, mask: TracedArray) -> SelectedArray:
    """`view[mask]`; the mask is also given in a shape that broadcasts against the view."""
    whole = view.copy()
    rank = place.mask.type.rank
    merged = whole if rank == 1 else _merged(whole, place.axis, rank)
    places = true_places(_flat(mask))
    found = apply(Gather, merged, places, axes=(place.axis,), position=place.position)
    return SelectedArray(found, lambda: whole, place, mask)


def _flat(array: TracedArray) -> TracedArray:
    flat: TracedArray = array.reshape((array.size,))
    return flat


def _merged(array: TracedArray, axis: int, count: int) -> TracedArray:
    """The array with some neighbouring axes as one."""
    shape = array.shape
    length: Any = 1
    for extent in shape[axis : axis + count]:
        length = length * extent
    merged: TracedArray = array.reshape((*shape[:axis], length, *shape[axis + count :]))
    return merged


class SelectedArray(TracedArray):
    """The elements of an array where a traced mask is true."""

    __slots__ = ("_mask", "_place", "_version", "_whole")

    def __init__(self, found: TracedArray, whole: Whole, place: MaskIndex, mask: TracedArray) -> None:
        super().__init__(found._storage, (), found.type)
        self._whole = whole
        self._place = place
        self._mask = mask
        """The mask in a shape that broadcasts against the whole."""
        self._version = found._storage.version

    def whole(self) -> TracedArray | None:
        """What the elements are selected from; None after writes to some of them."""
        return self._whole() if self._version == self._storage.version else None

    def has_mask(self, mask: TracedArray) -> bool:
        """Whether another mask, in a shape that broadcasts against the whole, selects the same elements."""
        return same_value(mask._value(), self._mask._value())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(operand, SeveralTypes) for operand in inputs):
            return NotImplemented  # it comes next, and is computed with by type
        out = kwargs.get("out")
        mine = not kwargs or (len(kwargs) == 1 and out is not None and len(out) == 1 and out[0] is self)
        wholes = self._operands(inputs) if method == "__call__" and mine and ufunc.nout == 1 else None
        result = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if wholes is None or ufunc.signature is not None:
            return result
        if out is None:
            return SelectedArray(result, lambda: ufunc(*(w() for w in wholes)), self._place, self._mask)
        self._follow_update(lambda: cast(ufunc(*(w() for w in wholes)), self.dtype))
        return result

    def _operands(self, inputs: tuple[Any, ...]) -> list[Callable[[], Any]] | None:
        """The operands as they are beside the whole; None where one is no selection by this mask, nor one for each."""
        # Beside an integer, the axis of the selected elements may be elsewhere than that of the mask.
        is_in_place = self._place.position == self._place.axis
        behind = self.ndim - self._place.position - 1 if is_in_place else 0
        wholes: list[Callable[[], Any]] = []
        for operand in inputs:
            if isinstance(operand, SelectedArray):
                alike = operand._place.axis == self._place.axis and operand.ndim == self.ndim
                if (
                    not alike
                    or not operand.has_mask(self._mask)
                    or operand._version != operand._storage.version
                ):
                    return None
                wholes.append(operand._whole)
            elif np.ndim(operand) > behind or isinstance(operand, (list, tuple)):
                return None
            else:
                value = operand.copy() if isinstance(operand, TracedArray) else operand
                wholes.append(lambda value=value: value)  # type: ignore[misc]
        return wholes

    def _follow_update(self, whole: Whole) -> None:
        """Stay a selection after an update in place, unless that is in a branch or loop, which may not run."""
        storage = self._storage
        if storage.region is storage.trace.region and self._version + 1 == storage.version:
            self._whole, self._version = whole, storage.version

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ in _REDUCTIONS and len(args) == 1 and args[0] is self:
            return self._reduce(function.__name__, kwargs)
        return super().__array_function__(function, types, args, kwargs)

    def _reduce(self, name: str, kwargs: dict[str, Any]) -> Any:
        whole = (
            self.whole()
            if self._mask.ndim == self._mask_rank() and not set(kwargs) - {"dtype", "ddof"}
            else None
        )
        if whole is None or whole.ndim != self._mask.ndim:
            return getattr(TracedArray, name)(self, **kwargs)
        return getattr(np, name)(whole, where=np.broadcast_to(self._mask, whole.shape), **kwargs)

    def _mask_rank(self) -> int:
        rank: int = self._place.mask.type.rank
        return rank


def _reduction(name: str) -> Callable[..., Any]:
    """A method that reduces, which is the function of the same name."""

    def method(self: SelectedArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(TracedArray, name)(self, *args, **kwargs) if args else self._reduce(name, kwargs)

    method.__name__ = name
    method.__doc__ = f"`numpy.ndarray.{name}`, recorded."
    return method


for _name in _REDUCTIONS:
    setattr(SelectedArray, _name, _reduction(_name))


def same_value(left: Any, right: Any, depth: int = 16) -> bool:
    """Whether two SSA values are computed alike from the same values, so that they are equal (`x < 0` twice).

    Reads of cells are not looked into: something may have been written between them.
    """
    if left == right:
        return True
    one: Any = getattr(left, "owner", None)
    other: Any = getattr(right, "owner", None)
    if depth == 0 or not hasattr(one, "operands") or not hasattr(other, "operands"):
        return False
    if one.name != other.name or one.name == ReadRef.mlir_name() or not one.name.startswith("weft."):
        return False
    attributes = [{name: str(op.attributes[name]) for name in op.attributes} for op in (one, other)]
    results = [list(op.results).index(value) for op, value in ((one, left), (other, right))]
    return (
        attributes[0] == attributes[1]
        and results[0] == results[1]
        and len(one.operands) == len(other.operands)
        and all(same_value(a, b, depth - 1) for a, b in zip(one.operands, other.operands, strict=True))
    )
