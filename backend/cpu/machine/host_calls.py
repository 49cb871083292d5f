"""The way back from machine code into Python: one C function for all compiled functions and threads.

Machine code passes the address of its error record, which belongs to one running call; by it the call is found, with
the table of Python functions. An exception must not pass through machine code: it is kept, the record says that the
call has failed, and who called the machine code raises it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

from ....dialect.errors import InternalError, WeftTypeError
from ....dialect.types import TensorType, compatible_shapes, type_of
from ..planning.failures import HostSite, Site

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

Callback: TypeAlias = Callable[..., "Sequence[Any] | None"]
"""Takes read-only arrays, which are its own, and returns as many arrays as it is declared to."""


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
        types = (*site.operands, *site.results)
        count = sum(1 + t.shape.count(None) for t in types)
        words = iter((ctypes.c_int64 * count).from_address(tensors))
        places = [(next(words), _shape(t, words), t) for t in types]
        operands = [_read(*place) for place in places[: len(site.operands)]]
        callback = self._callbacks[site.callback]
        returned = checked_results(callback, callback(*operands), places[len(site.operands) :])
        for (address, _, _), array in zip(places[len(site.operands) :], returned, strict=True):
            ctypes.memmove(address, array.ctypes.data, array.nbytes)


def _shape(tensor: TensorType, words: Any) -> tuple[int, ...]:
    return tuple(next(words) if extent is None else extent for extent in tensor.shape)


def _read(address: int, shape: tuple[int, ...], tensor: TensorType) -> Array:
    """A copy of an array in memory; read-only, since nobody would see what is written to it."""
    array = np.empty(shape, tensor.dtype)
    ctypes.memmove(array.ctypes.data, address, array.nbytes)
    array.flags.writeable = False
    return array


def checked_results(
    callback: Callback,
    returned: Sequence[Any] | None,
    places: Sequence[tuple[int, tuple[int, ...], TensorType]],
) -> list[Array]:
    """The arrays that a Python function returned, contiguous; WeftTypeError where they are not as declared."""
    name = getattr(callback, "__name__", None) or repr(callback)
    results = [] if returned is None else list(returned)
    if len(results) != len(places):
        raise WeftTypeError(f"{name} returned {len(results)} arrays, but {len(places)} are declared")
    arrays = []
    for number, (value, (_, shape, declared)) in enumerate(zip(results, places, strict=True)):
        array = np.asarray(value)
        given = type_of(array)
        if given.dtype != declared.dtype or not compatible_shapes(given.shape, shape):
            which = f"result {number} of {name}" if len(places) > 1 else f"what {name} returned"
            raise WeftTypeError(f"{which} is {given}, but {declared.with_shape(shape)} is declared")
        arrays.append(np.ascontiguousarray(array, declared.dtype))
    return arrays


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
