"""The way back from machine code into Python: one C function for all compiled functions and threads.

Machine code passes the address of its error record, which belongs to one running call; by it the call is found, with
the table of Python functions. An exception must not pass through machine code: it is kept, the record says that the
call has failed, and who called the machine code raises it.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from ....dialect.callbacks import COLLECTIVES, Callback, call_back, callback_at, gives_declared, takes_numbers
from ....dialect.errors import InternalError
from ....dialect.types import TensorType
from ...planning.plan import HostSite, Site

if TYPE_CHECKING:
    from ....dialect.op import Array


class HostLink:
    """What one call of machine code at a time needs to call Python."""

    reads_memory: ClassVar[bool] = True
    """Whether the addresses that machine code gives are those of memory."""

    __slots__ = ("__weakref__", "_callbacks", "_known", "_record", "_sites", "before", "exception")

    def __init__(
        self, sites: Sequence[Site | HostSite], callbacks: Sequence[Callback], record: ctypes.Array[Any]
    ) -> None:
        self._sites = sites
        self._callbacks = callbacks
        self._record = record
        self._known: dict[int, KnownSite] = {}
        self.exception: BaseException | None = None
        """What ended the call."""
        self.before: Callable[[], None] | None = None
        """To be called first, so that the Python functions see what was written so far."""
        _links[ctypes.addressof(record)] = self

    def enter(self, tensors: int) -> None:
        """Call the Python function of the site that the record names, with the tensors that a list of words tells."""
        try:
            number = self._record[0] - 1
            known = self._known.get(number)
            if known is None:
                known = self._known[number] = KnownSite(self._sites[number], self._callbacks)
            if self.before is not None:
                self.before()
            if known.numbers is not None and self.reads_memory:
                known.numbers.call(known.callback, tensors)
            else:
                self._call(known, tensors)
        except BaseException as error:  # whatever it is, it is raised where the machine code was called
            self.exception = error
        else:
            self._record[0] = 0

    def take_exception(self) -> BaseException:
        """The exception that ended the call; an interrupt where Python could not even begin to call."""
        exception, self.exception = self.exception, None
        return KeyboardInterrupt() if exception is None else exception

    def _call(self, known: KnownSite, tensors: int) -> None:
        given, places = known.placed(tensors)
        operands = [self.fetch(address, type) for address, type in given]
        results = call_back(known.callback, operands, [declared for _, declared in places])
        for (address, _), array in zip(places, results, strict=True):
            self.store(address, array)

    def fetch(self, address: int, tensor: TensorType) -> Array:
        """A copy of an array in memory, which is used again."""
        shape, dtype = tensor.shape, tensor.dtype
        size = dtype.itemsize * math.prod(shape)  # type: ignore[arg-type]
        if size > MOST_AT_ONCE:
            copy: Array = _view(address, tensor).copy()
            copy.flags.writeable = False
            return copy
        return np.ndarray(shape, dtype, ctypes.string_at(address, size))  # type: ignore[arg-type, no-any-return]

    def store(self, address: int, array: Array) -> None:
        """Copy a result to where the machine code wants it."""
        # To find the address of an array takes longer than to copy a small one twice.
        data = array.tobytes() if array.nbytes <= _SMALL else array.ctypes.data
        ctypes.memmove(address, data, array.nbytes)


_SMALL = 4096
"""Bytes."""
MOST_AT_ONCE = (1 << 31) - 1
"""Bytes that ctypes takes as a string."""


class KnownSite:
    """What is known of a site that was called before."""

    __slots__ = ("callback", "is_static", "numbers", "site", "words")

    def __init__(self, site: Site | HostSite, callbacks: Sequence[Callback]) -> None:
        if not isinstance(site, HostSite) or len(callbacks) <= site.callback < COLLECTIVES:
            raise InternalError(
                "the compiled code calls a Python function that is not in the table it was given"
            )
        tensors = (*site.operands, *site.results)
        self.site, self.callback = site, callback_at(site.callback, callbacks)
        self.words: Any = ctypes.c_int64 * sum(1 + type.shape.count(None) for type in tensors)
        self.is_static = all(type.is_static for type in tensors)
        gives_arrays = gives_declared(self.callback) and self.is_static
        is_of_numbers = takes_numbers(self.callback) and (gives_arrays or not site.results)
        self.numbers = _Numbers(site.operands, site.results) if is_of_numbers else None

    def placed(self, tensors: int) -> tuple[list[tuple[int, TensorType]], list[tuple[int, TensorType]]]:
        """Where operands and results are, and their types, as a list of words tells."""
        words = iter(self.words.from_address(tensors))
        if self.is_static:
            places = [(next(words), type) for type in (*self.site.operands, *self.site.results)]
        else:
            places = [
                (next(words), _known(type, words)) for type in (*self.site.operands, *self.site.results)
            ]
        count = len(self.site.operands)
        return places[:count], places[count:]


class _Numbers:
    """Arrays of rank 0 for what takes numbers, and those that it fills in.

    They are views of where machine code has them, mostly where it had them last.
    """

    __slots__ = ("_addresses", "_arrays", "_from", "_operands", "_results", "_types", "_words")

    def __init__(self, operands: Sequence[TensorType], results: Sequence[TensorType]) -> None:
        self._types = (*operands, *results)
        self._operands = len(operands)
        self._from, self._words = 0, (ctypes.c_int64 * 0)()
        self._addresses: list[int] = []
        self._arrays: list[Array] = []
        self._results: list[Array] = []

    def call(self, callback: Callback, tensors: int) -> None:
        """Call a function with the arrays at the addresses that a list of words tells."""
        if tensors != self._from:
            self._from, self._words = tensors, (ctypes.c_int64 * len(self._types)).from_address(tensors)
        addresses = self._words[:]
        if addresses != self._addresses:
            views, count = list(map(_view, addresses, self._types)), self._operands
            for view in views[:count]:
                view.flags.writeable = False
            self._arrays, self._results, self._addresses = views[:count], views[count:], addresses
        made = callback(*self._arrays)
        for view, array in zip(self._results, made or (), strict=True):
            view[...] = array


def _view(address: int, tensor: TensorType) -> Array:
    """An array in memory."""
    shape, dtype = tensor.shape, tensor.dtype
    size = dtype.itemsize * math.prod(shape)  # type: ignore[arg-type]
    memory: Any = (ctypes.c_char * size).from_address(address)
    array: Array = np.ndarray(shape, dtype, memory)  # type: ignore[arg-type]
    return array


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
