"""How arrays lie in memory in NumPy, where that decides what is a view, what a copy, and what `order="K"` means.

Compiled code works on arrays in row-major order. NumPy's reshape of an array in column-major order is a copy, though,
and that of one in row-major order a view: a trace knows how its arguments lie, and follows NumPy's rules from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.op import Array, Elementwise, Op
from ...dialect.ops.arrangement import Concat, Repeat, Roll, Tile
from ...dialect.ops.reductions import normalize_axes
from ...dialect.ops.shape import BroadcastTo, Reshape
from ...dialect.ops.slicing import INT64_MAX, INT64_MIN, DynamicSlice, Slice
from ...dialect.types import MAX_BYTES, TensorType
from ..signature.layout_keys import Order, order_of
from .view_steps import ViewStep

_NOWHERE: frozenset[int] = frozenset()


class Layout:
    """How an array lies in memory, as far as that is known while tracing."""

    __slots__ = ("examples", "is_native", "order", "sources")

    def __init__(
        self,
        order: Order | None,
        sources: frozenset[int] = _NOWHERE,
        examples: tuple[Array, ...] = (),
        is_native: bool = True,
    ) -> None:
        self.order = order
        """The order of the axes; None for what has gaps or is not known."""
        self.sources = sources
        """The arguments that it depends on."""
        self.is_native = is_native
        """Whether the bytes of elements are in the order of this machine."""
        self.examples = examples
        """Arrays that lie in this way; several where extents decide that run time tells; none where it is not known."""

    @property
    def is_row_major(self) -> bool:
        """Whether the elements lie as those of a list of lists."""
        return self.order is not None and self.order == tuple(range(len(self.order)))

    def examples_of(self, tensor_type: TensorType) -> tuple[Array, ...]:
        """Arrays of a type that lie in this way; their elements must not be read."""
        if self.order is None:
            return self.examples
        shape = [
            12 * (axis + 1) if extent is None else extent for axis, extent in enumerate(tensor_type.shape)
        ]
        if prod(shape) * tensor_type.dtype.itemsize > MAX_BYTES:
            return ()
        strides, stride = [0] * len(shape), tensor_type.dtype.itemsize
        for axis in reversed(self.order):
            strides[axis] = stride
            stride *= max(shape[axis], 1)
        return (as_strided(np.empty(1, tensor_type.dtype), shape, strides),)


def row_major(rank: int, sources: frozenset[int] = _NOWHERE) -> Layout:
    """The layout of an array whose elements lie as those of a list of lists."""
    return Layout(tuple(range(rank)), sources)


def column_major(rank: int) -> Layout:
    """The layout of an array that `order="F"` makes."""
    return Layout(tuple(reversed(range(rank))))


# Arrays of the caller's


def layout_of(array: Array, sources: frozenset[int] = _NOWHERE) -> Layout:
    """The layout of an array of NumPy's."""
    order = order_of(array)
    return Layout(order, sources, () if order is not None else (array,), array.dtype.isnative)


# Views


def layout_of_view(base: Layout, base_type: TensorType, path: Sequence[ViewStep]) -> Layout:
    """The layout of a view of an array."""
    examples: tuple[Array, ...] = base.examples_of(base_type)
    for step in path:
        examples = tuple(made for example in examples for made in _after(example, step))
    orders = {order_of(example) for example in examples}
    order = orders.pop() if len(orders) == 1 else None
    return Layout(order, base.sources, () if order is not None else examples, base.is_native)


def _after(example: Array, step: ViewStep) -> tuple[Array, ...]:
    """What a step makes of an example: nothing where that is not known."""
    if step.op_class is Reshape:
        made = _reshaped(example, step.attributes["shape"])
        return () if made is None else (made,)
    if step.op_class is DynamicSlice:
        return _sliced(example, step.attributes)
    is_broadcast = issubclass(step.op_class, BroadcastTo)
    if step.operands and not is_broadcast:
        return ()
    attributes = step.attributes
    if is_broadcast:  # an example of an unknown extent need not have the one that is asked for
        extents = [12 * (axis + 1) if e < 0 else e for axis, e in enumerate(attributes["shape"])]
        first = len(extents) - example.ndim
        own = [known if known != 1 else extents[first + axis] for axis, known in enumerate(example.shape)]
        attributes = {"shape": (*extents[:first], *own)}
    absent = ((),) * (len(step.op_class.operand_fields()) - 1)
    return (np.asarray(step.op_class.evaluate(example, *absent, **attributes)),)


def _sliced(example: Array, attributes: dict[str, Any]) -> tuple[Array, ...]:
    """An example with bounds that run time tells: those that take all of an axis, and those that do not."""
    unknown = {*attributes["start_axes"], *attributes["stop_axes"]}
    ends = {1: (0, INT64_MAX), -1: (INT64_MAX, INT64_MIN)}
    bounds = list(zip(attributes["start"], attributes["stop"], attributes["step"], strict=True))
    for axis in unknown:
        step = bounds[axis][2]
        bounds[axis] = (*ends[1 if step > 0 else -1], step)
    start, stop, step = zip(*bounds, strict=True)
    whole = Slice.evaluate(example, start=start, stop=stop, step=step)
    part = whole[
        tuple(slice(-1 if axis in unknown and whole.shape[axis] > 2 else None) for axis in range(whole.ndim))
    ]
    return (whole, part)


def _reshaped(example: Array, shape: tuple[int, ...]) -> Array | None:
    """A view of an example in another shape, None where it would be a copy or the sizes do not fit."""
    if shape.count(-1) > 1:
        return None
    try:
        return np.reshape(example, shape, copy=False)
    except ValueError:
        return None


# Questions


def is_contiguous(layout: Layout, tensor_type: TensorType, order: str = "C") -> bool | None:
    """Whether an array has no gaps and its elements follow each other in an order, "C" or "F"; None if unknown."""
    if layout.is_row_major and order == "C":
        return True
    flag = "c_contiguous" if order == "C" else "f_contiguous"
    return _common(getattr(example.flags, flag) for example in layout.examples_of(tensor_type))


def last_axis_is_contiguous(layout: Layout, tensor_type: TensorType) -> bool | None:
    """Whether the elements along the last axis follow each other without gaps; None if unknown."""
    if layout.is_row_major:
        return True
    width = tensor_type.dtype.itemsize
    return _common(
        example.strides[-1] == width or example.shape[-1] == 1 for example in layout.examples_of(tensor_type)
    )


def reshape_is_view(layout: Layout, tensor_type: TensorType, shape: tuple[int, ...]) -> bool | None:
    """Whether NumPy's `reshape` of an array is a view; a -1 in the shape is a run-time extent. None if unknown."""
    if layout.is_row_major:
        return True
    return _common(_reshapes(example, shape) for example in layout.examples_of(tensor_type))


def _reshapes(example: Array, shape: tuple[int, ...]) -> bool | None:
    """Whether an example is reshaped without a copy; its run-time extents need not have the sizes of the shape."""
    if example.flags.c_contiguous:
        return True
    known = prod(extent for extent in shape if extent >= 0)
    fits = example.size % max(known, 1) == 0 if -1 in shape else example.size == known
    return _reshaped(example, shape) is not None if fits and shape.count(-1) < 2 else None


def _common(answers: Iterable[bool | None]) -> bool | None:
    """What all examples say; None where they say different things, or there is none."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


# Results


def kept_order(operands: Sequence[tuple[Layout, TensorType]]) -> Layout:
    """The layout of what a ufunc makes of arrays: the order of their axes is kept as far as they agree."""
    sources = _NOWHERE.union(*(layout.sources for layout, _ in operands))
    rank = max((tensor_type.rank for _, tensor_type in operands), default=0)
    layouts = [layout for layout, _ in operands]
    if all(layout.is_row_major for layout in layouts):
        return row_major(rank, sources)
    first = layouts[0].order
    shapes = {tensor_type.shape for _, tensor_type in operands}
    if first is not None and len(shapes) == 1 and all(layout.order == first for layout in layouts):
        return Layout(first, sources)
    found = [layout.examples_of(tensor_type)[:1] for layout, tensor_type in operands]
    if not all(found):
        return Layout(None, sources)
    return Layout(_iterated([example for (example,) in found]), sources)


def order_letter(order: Any) -> str | None:
    """The letter for an order of elements, "C", "F", "A" or "K", as NumPy reads it: small ones mean the same.

    >>> order_letter("f"), order_letter(None)
    ('F', None)
    """
    if order is None:
        return None
    if not isinstance(order, (str, bytes)):
        raise WeftTypeError(f"order must be str, not {type(order).__name__}")
    letter = (order.decode("latin-1") if isinstance(order, bytes) else order).upper()
    if letter not in ("C", "F", "A", "K"):
        raise WeftValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return letter


def layout_of_copy(layout: Layout, tensor_type: TensorType, order: str | None) -> Layout:
    """The layout of a copy that is made in an order: "C", "F", that of the array ("K"), or one of the two ("A")."""
    order = order_letter(order) or "C"
    if order == "F":
        return column_major(tensor_type.rank)
    if order == "K":
        return kept_order([(layout, tensor_type)])
    if order == "A" and is_contiguous(layout, tensor_type, "F"):
        return Layout(column_major(tensor_type.rank).order, layout.sources)
    return row_major(tensor_type.rank, layout.sources if order == "A" else _NOWHERE)


_KEEPING = ("scans", "sorting")
"""The families of ops on single arrays of which NumPy makes others with the same order of axes."""

_FRESH = ("contraction", "creation", "windows")
"""The families of ops whose results lie as lists of lists do."""


def layout_of_result(
    op_class: type[Op], operands: Sequence[tuple[Layout, TensorType]], attributes: dict[str, Any], rank: int
) -> Layout | None:
    """The layout of what NumPy makes where an op is recorded; None for one that lies as a list of lists does."""
    if op_class.family in _FRESH or op_class in (BroadcastTo, Reshape, Tile, Repeat):
        return None
    if issubclass(op_class, Elementwise) or op_class.family in _KEEPING or op_class in (Concat, Roll):
        return kept_order(operands)
    made = kept_order(operands[:1])
    if op_class.family == "reductions" and made.order is not None:
        axes = normalize_axes(attributes.get("axes", ()), len(made.order))
        kept = [axis for axis in range(len(made.order)) if axis not in axes]
        if len(kept) == rank:
            return Layout(tuple(kept.index(axis) for axis in made.order if axis in kept), made.sources)
        return made if len(made.order) == rank else None
    made = kept_order(operands)
    return row_major(rank, made.sources) if made.is_row_major else Layout(None, made.sources)


def _iterated(examples: Sequence[Array]) -> Order:
    """The order of the axes of what NumPy's iterator allocates for arrays, of which it only looks at the strides."""
    nothing = np.empty(1, np.int8)
    small = [
        as_strided(nothing, [1 if extent == 1 else 2 for extent in example.shape], example.strides)
        for example in examples
    ]
    flags = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    dtypes = [nothing.dtype] * (len(small) + 1)
    iterator = np.nditer([*small, None], ["zerosize_ok"], flags, dtypes)  # type: ignore[arg-type]
    made = order_of(iterator.operands[-1])
    return tuple(range(iterator.operands[-1].ndim)) if made is None else made
