"""The way back from machine code into Python: one C function for all compiled functions and threads.

Machine code passes the address of its error record, which belongs to one running call; by it the call is found, with
the table of Python functions. An exception must not pass through machine code: it is kept, the record says that the
call has failed, and who called the machine code raises it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from ....dialect.callbacks import Callback, call_back
from ....dialect.errors import InternalError
from ....dialect.types import TensorType
from ...planning.plan import HostSite, Site

if TYPE_CHECKING:
    from ....dialect.op import Array


class HostLink:
    """What one call of machine code at a time needs to call Python."""

    __slots__ = ("__weakref__", "_callbacks", "_record", "_sites", "before", "exception")

    def __init__(
        self, sites: Sequence[Site | HostSite], callbacks: Sequence[Callback], record: ctypes.Array[Any]
    ) -> None:
        self._sites = sites
        self._callbacks = callbacks
        self._record = record
        self.exception: BaseException | None = None
        """What ended the call."""
        self.before: Callable[[], None] | None = None
        """To be called first, so that the Python functions see what was written so far."""
        _links[ctypes.addressof(record)] = self

    def enter(self, tensors: int) -> None:
        """Call the Python function of the site that the record names, with the tensors that a list of words tells."""
        try:
            self._call(self._sites[self._record[0] - 1], tensors)
        except BaseException as error:  # whatever it is, it is raised where the machine code was called
            self.exception = error
        else:
            self._record[0] = 0

    def take_exception(self) -> BaseException:
        """The exception that ended the call; an interrupt where Python could not even begin to call."""
        exception, self.exception = self.exception, None
        return KeyboardInterrupt() if exception is None else exception

    def _call(self, site: Site | HostSite, tensors: int) -> None:
        if not isinstance(site, HostSite) or site.callback >= len(self._callbacks):
            raise InternalError(
                "the compiled code calls a Python function that is not in the table it was given"
            )
        if self.before is not None:
            self.before()
        count = sum(1 + t.shape.count(None) for t in (*site.operands, *site.results))
        words = iter((ctypes.c_int64 * count).from_address(tensors))
        operands = [self.fetch(next(words), _known(t, words)) for t in site.operands]
        places = [(next(words), _known(t, words)) for t in site.results]
        results = call_back(self._callbacks[site.callback], operands, [declared for _, declared in places])
        for (address, _), array in zip(places, results, strict=True):
            self.store(address, array)

    def fetch(self, address: int, tensor: TensorType) -> Array:
        """A copy of an array in memory, which is used again."""
        array: Array = np.empty(tensor.shape, tensor.dtype)
        ctypes.memmove(array.ctypes.data, address, array.nbytes)
        return array

    def store(self, address: int, array: Array) -> None:
        """Copy a result to where the machine code wants it."""
        ctypes.memmove(address, array.ctypes.data, array.nbytes)


def _known(tensor: TensorType, words: Iterator[int]) -> TensorType:
    """The type with its unknown extents taken from the words that follow."""
    if tensor.is_static:
        return tensor
    return tensor.with_shape([next(words) if extent is None else extent for extent in tensor.shape])


_links: WeakValueDictionary[int, HostLink] = WeakValueDictionary()
"""By the address of the error record."""


def _enter(record: int, tensors: int) -> None:
    _links[record].enter(tensors)


@cache
def host_call_address() -> int:
    """The address of the C function `void weft_host_call(int64_t record, int64_t tensors)`; it takes Python's lock."""
    _entry.append(ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(_enter))
    address = ctypes.cast(_entry[0], ctypes.c_void_p).value
    if address is None:
        raise InternalError("there is no way back from machine code into Python")
    return address


_entry: list[Any] = []
"""Keeps the C function alive as long as the process, machine code refers to it."""
