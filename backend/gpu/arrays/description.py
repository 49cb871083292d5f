"""Arrays of NumPy that stand for memory of a device: what they are like is known, and no element is ever read.

NumPy's own rules tell shape, strides and address of every view. Whoever reads an element of such an array ends the
process, so they stay inside of `arrays/` and of calls, which look at nothing but these properties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.errors import InternalError, WeftIndexError, WeftValueError


class Description(np.ndarray[Any, Any]):
    """An array whose elements are memory of a device; its views are such arrays, too."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<memory of a device: {self.dtype}{list(self.shape)} at {address_of(self):#x}>"

    __str__ = __repr__

    def __format__(self, specification: str) -> str:
        return repr(self)

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise InternalError("the elements of an array on a device were read on the host")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _ASK_FOR_ADDRESSES:
            raise InternalError("the elements of an array on a device were read on the host")
        return super().__array_function__(function, types, args, kwargs)


_ASK_FOR_ADDRESSES = (np.may_share_memory, np.shares_memory)


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Where the first element of an array lies."""
    return int(array.__array_interface__["data"][0])


class _Interface:
    """What NumPy makes an array of memory from, and its base, which keeps the owner of the memory alive."""

    def __init__(
        self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int, owner: object
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "shape": shape,
            "strides": strides,
            "typestr": f"|V{size}",
        }


def describe_memory(
    address: int,
    shape: Sequence[int],
    dtype: np.dtype[Any],
    owner: object,
    strides: Sequence[int] | None = None,
) -> Description:
    """Memory of a device as an array; without strides it is contiguous, in C order."""
    shape = tuple(shape)
    steps = contiguous_strides(shape, dtype.itemsize) if strides is None else tuple(strides)
    raw = np.asarray(_Interface(address, shape, steps, dtype.itemsize, owner))
    return raw.view(dtype).view(Description)


def contiguous_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """The strides of a contiguous array in C order, in bytes.

    >>> contiguous_strides((2, 3), 4)
    (12, 4)
    """
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def is_basic(key: Any) -> bool:
    """Whether an index takes a view: whole numbers, slices of them, `...` and None only."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(_is_basic_part(part) for part in parts)


def has_ellipsis(key: Any) -> bool:
    """Whether there is a `...` in an index."""
    return any(part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))


def _is_basic_part(part: Any) -> bool:
    if part is None or part is Ellipsis:
        return True
    if isinstance(part, slice):
        return all(bound is None or _is_whole(bound) for bound in (part.start, part.stop, part.step))
    return _is_whole(part)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def view_at(array: Description, key: Any) -> Description:
    """The view at a basic index, of rank 0 where NumPy would read an element; raises as NumPy does."""
    parts = key if isinstance(key, tuple) else (key,)
    if not has_ellipsis(key):
        parts = (*parts, Ellipsis)
    try:
        view = array[parts]
    except IndexError as error:
        raise WeftIndexError(str(error)) from None
    except ValueError as error:
        raise WeftValueError(str(error)) from None
    assert isinstance(view, Description)
    return view


def reshaped(array: Description, shape: Any) -> Description | None:
    """The same elements in another shape, None where that takes a copy; raises as NumPy does."""
    if array.flags.c_contiguous:
        return array.reshape(shape)  # type: ignore[no-any-return]
    try:
        return array.reshape(shape, copy=False)  # type: ignore[no-any-return]
    except ValueError:
        np.reshape(
            np.broadcast_to(np.int8(0), array.shape), shape, copy=True
        )  # raises where the sizes differ
        return None
