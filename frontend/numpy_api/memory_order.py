"""What the functions of the namespace share about memory: the `order` of elements, and views that may be copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import LayoutError, UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.shape import BroadcastTo
from ..tracing.array import TracedArray
from ..tracing.extents import split_shape
from ..tracing.layouts import is_contiguous, layout_of, layout_of_copy, order_letter, row_major
from ..tracing.recorder import Assumption, Storage
from ..tracing.staging import ArrayResult, type_of_operand
from ..tracing.view_steps import ViewStep

NOT_KNOWN = "is not known here; write order='C' or order='F', or make a copy of it first: x.copy()"


def use_layout(x: TracedArray) -> None:
    """Let the trace depend on how an array lies in memory."""
    x._storage.trace.layouts_used |= x._layout().sources


def view_or_copy(
    x: TracedArray,
    is_view: bool | None,
    view: Callable[[], TracedArray],
    copy: Callable[[], TracedArray],
) -> TracedArray:
    """A view of an array where NumPy makes one, else a copy; the trace depends on its layout where that is seen.

    It is not seen as long as neither of the two is written. Where it is not known (None) what NumPy does, writing one
    and reading the other is refused.
    """
    sources = x._layout().sources
    if is_view:
        viewed = view()
        if sources:
            assumption = Assumption(x._storage, sources)
            made = TracedArray(viewed._storage, viewed._path, viewed.type)
            made._assumptions, made._is_another = (*x._assumptions, assumption), viewed._is_another
            return made
        return viewed
    copied = copy()
    if is_view is None or sources:
        copied._storage.assumption = Assumption(x._storage, None if is_view is None else sources)
    return copied


class _Copied(Assumption):
    """That NumPy gives a view of an array where compiled code has a copy: neither of the two may be written."""

    __slots__ = ("_name",)

    def __init__(self, source: Storage, name: str) -> None:
        super().__init__(source, None)
        self._name = name

    def hold(self) -> None:
        """Refuse that the difference is seen."""
        raise UnsupportedError(
            f"what {self._name} gives shares its memory in NumPy with an array ({self.source.type}), one of the two is "
            f"written, and here it is another array; make a copy of it first: {self._name}(...).copy()"
        )


def copy_for_view(made: TracedArray, source: TracedArray, name: str, writable: bool = True) -> TracedArray:
    """What a function made, where NumPy gives a view of an array; one of the two written is refused."""
    extents, dims = split_shape(made.shape)
    shown = made if writable else made._view(ViewStep(BroadcastTo, {"shape": extents}, tuple(dims), False))
    if not source._is_number:
        shown._assumptions = (*shown._assumptions, _Copied(source._storage, name))
    return shown


def require_native_order(x: TracedArray) -> None:
    """Raise unless the bytes of elements are in this machine's order, whose meaning is asked for."""
    use_layout(x)
    if not x._layout().is_native:
        raise WeftTypeError(
            "the bytes of this array are not in the order of this machine, in which compiled code sees them; take "
            "x.astype(x.dtype.newbyteorder('=')) before the call"
        )


def plain_order(x: Any, order: str | None) -> str:
    """Whether elements are taken in row-major ("C") or column-major order ("F"); "A" asks how the array lies."""
    letter = order_letter(order) or "C"
    if letter in ("C", "F"):
        return letter
    if letter == "K":
        raise WeftValueError("order 'K' is not permitted for reshaping")
    if not isinstance(x, TracedArray):
        return "F" if x.flags.fnc else "C"
    if x.ndim < 2:
        return "C"
    use_layout(x)
    layout = x._layout()
    answers = [is_contiguous(layout, x.type, name) for name in "CF"]
    if None in answers:
        raise LayoutError(
            f"how this array ({x.type}) lies in memory, on which order='A' depends, {NOT_KNOWN}"
        )
    return "F" if answers == [False, True] else "C"


def is_column_major(order: str | None) -> bool:
    """Whether elements are taken in column-major order, where "C" and "F" are all that can be asked for."""
    letter = order_letter(order) or "C"
    if letter not in ("C", "F"):
        raise WeftValueError("only 'C' or 'F' order is permitted")
    return letter == "F"


def copied(x: ArrayResult) -> ArrayResult:
    """A copy that lies in memory as the array does."""
    return x.copy("K")


def in_order(x: ArrayResult, order: str | None, copy: bool | None = None) -> ArrayResult:
    """The array itself if it has no gaps and lies in an order, else a copy that does; None and "K" take any array.

    Raises `ValueError` where a copy is needed and `copy` is false.
    """
    order = order_letter(order)
    if order in (None, "K", "A"):
        return x
    if not isinstance(x, TracedArray):
        return np.asarray(x, order=order)  # type: ignore[call-overload]
    if x.ndim == 0:
        return x
    is_itself = is_contiguous(x._layout(), x.type, order)
    if copy is False:
        use_layout(x)
        if not is_itself:
            raise WeftValueError("Unable to avoid copy while creating an array as requested.")
    return view_or_copy(x, is_itself, lambda: x, lambda: x.copy(order))


def ordered(made: ArrayResult, order: str | None, like: Any = None) -> ArrayResult:
    """A new array that lies in memory in an order; "A" and "K" are that of another array."""
    order = order_letter(order) or "C"
    if not isinstance(made, TracedArray) or made.ndim < 2:
        return made
    layout, tensor_type = row_major(made.ndim), made.type
    if isinstance(like, TracedArray) and like.ndim == made.ndim:
        layout, tensor_type = like._layout(), like.type
    elif isinstance(like, np.ndarray) and like.ndim == made.ndim:
        layout, tensor_type = layout_of(like), type_of_operand(like)
    made._storage.layout = layout_of_copy(layout, tensor_type, order)
    return made
