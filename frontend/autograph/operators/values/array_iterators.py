"""NumPy's iterators over arrays that are broadcast together: `np.broadcast` and `np.nditer`, walked by loops."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.ops.shape import BroadcastTo
from ....numpy_api import lookup
from ....tracing.array import TracedArray
from ....tracing.extents import split_shape
from ....tracing.staging import asarray
from ....tracing.view_steps import ViewStep
from .iterables import Sequence, indices_of


class Broadcast(Sequence):
    """`np.broadcast`: the elements of arrays that are broadcast together, as tuples, and their common shape."""

    def __init__(self, *arrays: Any) -> None:
        self._arrays: list[Any] = [asarray(array) for array in arrays]
        self.shape: tuple[Any, ...] = lookup("broadcast_shapes")(*[array.shape for array in self._arrays])
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(arrays)
        self._walked = [lookup("broadcast_to")(array, self.shape) for array in self._arrays]

    @property
    def length(self) -> Any:
        return indices_of(self.shape).length

    size = length

    def item(self, position: Any) -> Any:
        index = indices_of(self.shape).item(position)
        return tuple(array[index] for array in self._walked)

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(np.broadcast, name)


class ElementIterator(Sequence):
    """`np.nditer`: views of rank 0 of the elements of arrays, in row-major order, in tuples where there are several."""

    def __init__(
        self,
        op: Any,
        flags: Any = (),
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        **others: Any,
    ) -> None:
        unknown = [flag for flag in flags if flag not in ("multi_index", "refs_ok", "zerosize_ok")]
        if unknown or op_dtypes is not None or order not in ("C", "K") or others:
            asked = (
                unknown or [name for name in ("op_dtypes",) if op_dtypes is not None] or [*others] or [order]
            )
            raise UnsupportedError(
                f"np.nditer with {asked[0]!r} is not supported in compiled code: write a loop over np.ndindex(x.shape)"
            )
        several = isinstance(op, (list, tuple))
        operands: list[Any] = list(op) if several else [op]
        modes = _modes(op_flags, len(operands))
        self._is_single = len(operands) == 1
        self.operands = tuple(
            _operand(array, mode, order) for array, mode in zip(operands, modes, strict=True)
        )
        self._shape: tuple[Any, ...] = lookup("broadcast_shapes")(*[array.shape for array in self.operands])
        self.nop = len(operands)
        self._walked = [
            _walked(array, self._shape, mode) for array, mode in zip(self.operands, modes, strict=True)
        ]
        self._names_index = "multi_index" in flags

    @property
    def length(self) -> Any:
        return indices_of(self._shape).length

    itersize = length

    def item(self, position: Any) -> Any:
        index = indices_of(self._shape).item(position)
        if self._names_index:
            self.multi_index = index
        place = (*index, Ellipsis)
        views = tuple(array[place] for array in self._walked)
        return views[0] if self._is_single else views

    def __enter__(self) -> ElementIterator:
        return self

    def __exit__(self, *raised: object) -> None:
        """What is written is in the arrays already."""

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(np.nditer, name)


def _modes(op_flags: Any, count: int) -> list[str]:
    """How each operand is used: readonly, readwrite or writeonly."""
    if not op_flags:
        return ["readonly"] * count
    each = [op_flags] * count if isinstance(op_flags[0], str) else op_flags
    return [flags[0] for flags in each if len(flags) == 1] if len(each) == count else []


def _operand(array: Any, mode: str, order: str) -> Any:
    if array is None or (mode != "readonly" and not isinstance(array, TracedArray)):
        raise UnsupportedError(
            "np.nditer that makes an array, or writes to one from outside, is not supported in compiled code: write a "
            "loop over np.ndindex(x.shape)"
        )
    found: Any = asarray(array)
    if order == "K" and not found.flags.c_contiguous:
        raise UnsupportedError(
            'np.nditer walks an array that does not lie in row-major order as it lies in memory: pass order="C"'
        )
    return found


def _walked(array: Any, shape: tuple[Any, ...], mode: str) -> Any:
    """What the views of elements are views of: what is only read cannot be written through them."""
    if mode != "readonly":
        return array
    if not isinstance(array, TracedArray):
        return lookup("broadcast_to")(array, shape)
    extents, dims = split_shape(shape)
    return array._view(ViewStep(BroadcastTo, {"shape": extents}, tuple(dims), writable=False))


def _refuse(kind: type, name: str) -> NoReturn:
    if hasattr(kind, name):
        raise UnsupportedError(
            f"{name} of a np.{kind.__name__} is not supported in compiled code: walk it by a `for` loop, or write a "
            "loop over np.ndindex(x.shape)"
        )
    raise AttributeError(f"'numpy.{kind.__name__}' object has no attribute {name!r}")
