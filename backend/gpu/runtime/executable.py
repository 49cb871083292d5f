"""A call of a program for a GPU: arguments are copied in, results and what was written are copied out."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ....dialect.callbacks import Callback
from ....dialect.errors import DeviceMemoryError, format_message
from ...cpu.execution.executable import RuntimeFailure, out_of_memory
from ...cpu.execution.symbols import addresses
from ...cpu.lowering.array_layout import check_array_layout
from ...cpu.lowering.interrupts import INTERRUPTED, take_exception
from ...cpu.lowering.recursion import depth_limit, stack_budget
from ...cpu.machine.code import Code
from ...planning.plan import DEPTH, ENTRY_WORDS, OUT_OF_MEMORY, STACK, HostSite, MachineCode
from ..arrays.array import array_of
from ..devices.deferral import errors_are_deferred
from ..devices.on_device import OnDevice
from ..devices.open_devices import OpenDevice
from ..driver.memory import Block
from ..machine.call_context import (
    CALL_LIBRARY,
    CONSTANTS,
    DEVICE_BYTES,
    DEVICE_RECORD,
    DEVICE_WORDS,
    DRIVER_FAILED,
    DRIVER_SYMBOLS,
    FUNCTIONS,
    GRAPHS,
    LAUNCHES,
    POOL,
    READS,
    STREAM,
    TRIPS,
    WORDS_OF_TRIPS,
)
from ..machine.graph_code import EXECUTABLE, HANDLE
from .failures import driver_failure
from .frames import DeviceFrame
from .host_link import DeviceHostLink
from .host_trips import HostTrips


class DeviceExecutable:
    """A compiled function that runs on a device; call it with C-contiguous, aligned NumPy arrays.

    Its face is that of `cpu.execution.executable.Executable`. Calls from several threads at once are allowed.
    """

    def __init__(
        self,
        compiled: MachineCode,
        callbacks: Sequence[Callback],
        device: OpenDevice,
        link: Callable[[bytes, Sequence[str], Sequence[str], Mapping[str, int]], LinkedCode] | None = None,
        exception_of: Callable[[RuntimeFailure], BaseException] = lambda failure: failure,
    ) -> None:
        """Load code on a device; `link` makes the host's part ready, if LLVM is not to do it.

        `exception_of` makes the exceptions of calls of which it is known later that they have failed.
        """
        check_array_layout()
        plan = self.plan = compiled.plan
        self.device = device
        self.kernels = compiled.kernels
        self.calls_python = any(isinstance(site, HostSite) for site in plan.sites)
        self._callbacks = callbacks
        self.device_checks = compiled.device_checks
        self.graphs = compiled.graphs
        self.host_kernels = compiled.host_kernels
        own = {
            name: _address(device, name)
            for name in compiled.symbols
            if name in (*DRIVER_SYMBOLS, CALL_LIBRARY)
        }
        others = [name for name in compiled.symbols if name not in own]
        code = self._code = (link or _link)(compiled.object_file, plan.entries, others, own)
        self.entry_address = code.address(f"{plan.name}_entry")
        self._entry = _function(self.entry_address, 3)
        self.sizes_address = code.address(f"{plan.sizes}_entry") if plan.sizes else 0
        self._sizes_entry = plan.sizes and _function(self.sizes_address, 2)
        with device.working_on(plan.name):
            self._loaded = device.kernels(compiled.kernels)
            constants = [_uploaded(device, data) for data in compiled.constants]
        handles = [function.handle for function in self._loaded]
        self._functions = (ctypes.c_int64 * max(1, len(handles)))(*handles)
        self._constants = (ctypes.c_int64 * max(1, len(constants)))(*constants)
        weakref.finalize(self, _free_all, device, constants).atexit = False
        self._frames: list[_Frame] = []
        self._lent: list[_Frame] = []
        self.launches = self.reads = 0
        """Of the last call: how many kernels it launched, and how often the host waited for memory of the device."""
        self.trips: tuple[HostTrips, ...] = ()
        """Of the last call: what was done by kernels of the host."""
        self._exception_of = exception_of

    def __call__(
        self, *arrays: np.ndarray[Any, Any], before_callback: Callable[[], None] | None = None
    ) -> list[np.ndarray[Any, Any]]:
        """Run the function; the results are new arrays. Raises RuntimeFailure where the program raises.

        Where the program calls Python, `before_callback` is called first. Raises `MemoryError` where the device has
        not enough memory, and `DeviceError` where the driver fails.
        """
        try:
            frame = self._frames.pop()  # pop and append are atomic
        except IndexError:
            frame = _Frame(self)
        call = _Call(self, frame, arrays, before_callback)
        try:
            with self.device.working_on(self.plan.name):
                return call.run()
        finally:
            if call.is_open:
                self.device.raise_later(functools.partial(self._late_error, frame))
            else:
                self._frames.append(frame)

    def lend_frame(self) -> DeviceFrame:
        """A frame that nobody else gets, for native code to keep."""
        frame = _Frame(self)
        self._lent.append(frame)
        return frame

    def failure(self, frame: DeviceFrame) -> RuntimeFailure:
        """What the error record of a frame that was lent tells; it is empty afterwards."""
        assert isinstance(frame, _Frame)
        with self.device.working_on(self.plan.name):
            frame.look()
            failure = _failure(self, frame)
        frame.begin()
        return failure

    def _late_error(self, frame: _Frame) -> BaseException | None:
        """The exception of a call that has returned, once the device is done with it."""
        with self.device.working_on(self.plan.name):
            frame.look()
        failure = _failure(self, frame) if frame.record[0] else None
        self._frames.append(frame)
        return None if failure is None else self._exception_of(failure)


class _Frame(DeviceFrame):
    """A frame with the tables of an executable."""

    def __init__(self, executable: DeviceExecutable) -> None:
        super().__init__(executable.plan)
        self.link: DeviceHostLink | None = None
        if executable.calls_python:
            sites, callbacks = executable.plan.sites, executable._callbacks
            constants = frozenset(executable._constants)
            self.link = DeviceHostLink(sites, callbacks, self.record, executable.device, self.look, constants)
        self.record[FUNCTIONS] = ctypes.addressof(executable._functions)
        self.record[CONSTANTS] = ctypes.addressof(executable._constants)
        self.record[POOL] = executable.device.memory.pool
        self._device = executable.device
        self.trips = (ctypes.c_int64 * (WORDS_OF_TRIPS * len(executable.host_kernels)))()
        self.record[TRIPS] = ctypes.addressof(self.trips)
        if executable.graphs:
            last, length = executable.graphs[-1]
            words = (ctypes.c_int64 * (last + length))()
            self.record[GRAPHS] = ctypes.addressof(words)
            starts = [start for start, _ in executable.graphs]
            weakref.finalize(self, _destroy_graphs, self._device, words, starts).atexit = False
        if executable.device_checks:
            self.record[DEVICE_RECORD] = _uploaded(executable.device, bytes(DEVICE_BYTES))
            weakref.finalize(self, _free_all, self._device, [self.record[DEVICE_RECORD]]).atexit = False

    def look(self) -> None:
        """Wait for the device, and let the record tell what a kernel there has noted, as all before was well.

        What the host has noted came behind it, but for what the driver refused.
        """
        address = self.record[DEVICE_RECORD]
        if not address or self.record[0] == DRIVER_FAILED:
            return
        seen = np.zeros(DEVICE_WORDS, np.int64)
        self._device.read(seen, address)
        if seen[0]:
            self.record[:DEVICE_WORDS] = seen.tolist()
            self._device.write(address, np.zeros(DEVICE_BYTES, np.uint8))


class _Call:
    """One call: the memory that it needs of the device, from its beginning to its end."""

    def __init__(
        self,
        executable: DeviceExecutable,
        frame: _Frame,
        arrays: Sequence[np.ndarray[Any, Any]],
        before_callback: Callable[[], None] | None,
    ) -> None:
        self._executable = executable
        self._plan = executable.plan
        self._device = executable.device
        self._frame = frame
        self._arrays = arrays
        self._before = before_callback
        self._owned: list[int] = []
        self._numbers: list[np.ndarray[Any, Any]] = []
        """What lies on the host for as long as the call runs."""
        self._stays = any(isinstance(array, OnDevice) for array in arrays)
        """Whether results stay on the device: a call runs where its arrays are, and its results lie there."""
        self.is_open = False
        """Whether it has returned before it is known whether checks on the device have failed."""

    def run(self) -> list[np.ndarray[Any, Any]]:
        """Copy in, run, and copy out."""
        frame, executable = self._frame, self._executable
        frame.begin()
        ctypes.memset(frame.trips, 0, ctypes.sizeof(frame.trips))
        frame.record[STREAM] = self._device.stream.handle
        if frame.link is not None:
            frame.link.begin(self._before_callback)
        with self._freeing():
            places = [self._place_argument(number) for number in range(len(self._arrays))]
            shapes, workspace_bytes = self._sizes()
            results = self._place_results(shapes)
            workspace = self._allocate(workspace_bytes, "intermediate arrays") if workspace_bytes else 0
            if self._plan.calls:
                frame.record[DEPTH], frame.record[STACK] = depth_limit(), stack_budget()
            executable._entry(frame.table_address, workspace, frame.record_address)
            executable.launches, executable.reads = frame.record[LAUNCHES], frame.record[READS]
            executable.trips = HostTrips.all_of(executable.host_kernels, frame.trips)
            self.is_open = not frame.record[0] and self._may_stay_open()
            if not self.is_open:
                frame.look()
            failure = frame.record[0]
            if failure != DRIVER_FAILED:
                self._copy_back(places)
            if failure:
                raise _failure(executable, frame)
            return self._collect(results)

    def _may_stay_open(self) -> bool:
        """Whether nothing of the call is NumPy's, and errors may come later."""
        if not (self._executable.device_checks and self._stays and errors_are_deferred()):
            return False
        return all(isinstance(self._arrays[number], OnDevice) for number in self._plan.written)

    # Memory

    @contextlib.contextmanager
    def _freeing(self) -> Iterator[None]:
        """Give back all memory of the call, however it ends."""
        try:
            yield
        finally:
            for address in (*self._owned, *self._frame.take_blocks()):
                self._device.free(address)

    def _allocate(self, size: int, what: str) -> int:
        try:
            address = self._device.allocate(size)
        except DeviceMemoryError as error:
            raise DeviceMemoryError(f"the {what} of {self._plan.name} need {size} bytes: {error}") from None
        self._owned.append(address)
        return address

    def _place_argument(self, number: int) -> int:
        """Where an argument is on the device: a copy, of what lies on the host."""
        array = self._arrays[number]
        if number in self._plan.on_host:
            value = np.asarray(array)  # of a device array it waits for the number
            self._numbers.append(value)
            self._frame.describe(number, value.ctypes.data, ())
            return 0
        if isinstance(array, OnDevice):
            address = array.ready_on(self._device.stream)
            self._frame.describe(number, address, array.shape)
            return address
        address = self._allocate(array.nbytes, "arguments")
        self._device.write(address, array)
        self._frame.describe(number, address, array.shape)
        return address

    def _place_results(
        self, shapes: Sequence[tuple[int, ...] | None]
    ) -> list[tuple[int, tuple[int, ...]] | None]:
        """Memory for the results whose sizes are known; None for those in heap blocks."""
        placed: list[tuple[int, tuple[int, ...]] | None] = []
        for index, (type, shape) in enumerate(zip(self._plan.results, shapes, strict=True)):
            if shape is None:
                placed.append(None)
                continue
            address = self._allocate(_bytes_of_result(shape, type.dtype), "results")
            self._frame.describe(len(self._arrays) + index, address, shape)
            placed.append((address, shape))
        return placed

    def _sizes(self) -> tuple[list[tuple[int, ...] | None], int]:
        """The shapes of the results, None where only the program tells them, and the bytes of the workspace."""
        plan, frame = self._plan, self._frame
        if self._executable._sizes_entry:
            self._executable._sizes_entry(frame.table_address, frame.sizes_address)
        known = iter(frame.sizes)
        shapes: list[tuple[int, ...] | None] = []
        for index, type in enumerate(plan.results):
            if index in plan.on_heap:
                shapes.append(None)
            else:
                shapes.append(tuple(next(known) if extent is None else extent for extent in type.shape))
        # Joined loops add words to a workspace of known size, of which the function of the sizes does not know.
        return shapes, next(known) if plan.workspace is None else plan.workspace

    # The end

    def _copy_back(self, places: Sequence[int]) -> None:
        """Let the arrays of the caller hold what the program wrote to them."""
        for number in sorted(self._plan.written):
            if isinstance(self._arrays[number], OnDevice):
                continue
            self._device.read(self._arrays[number], places[number])

    def _before_callback(self) -> None:
        """Let Python functions see what was written so far."""
        if self._before is not None:
            frame = self._frame
            self._copy_back([frame.address(number) for number in range(len(self._arrays))])
            self._before()

    def _collect(self, placed: Sequence[tuple[int, tuple[int, ...]] | None]) -> list[Any]:
        """The results, as NumPy arrays or as arrays on the device."""
        extents, blocks = iter(self._frame.extents), iter(self._frame.blocks[::ENTRY_WORDS])
        results: list[Any] = []
        for place, type in zip(placed, self._plan.results, strict=True):
            if place is None:
                shape = tuple(next(extents) if extent is None else extent for extent in type.shape)
                place = (next(blocks), shape)
            if self._stays:
                results.append(self._kept(*place, type.dtype))
                continue
            result = np.empty(place[1], type.dtype)
            self._device.read(result, place[0])
            results.append(result)
        return results

    def _kept(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> OnDevice:
        """A result that stays on the device: its memory is that array's from now on."""
        if address in self._owned:
            self._owned.remove(address)
        else:
            self._frame.release_block(address)
        size = math.prod(shape) * dtype.itemsize
        block = Block(self._device.memory, address, size, self._device.stream)
        return array_of(address, shape, dtype, self._device, block)


def _failure(executable: DeviceExecutable, frame: _Frame) -> RuntimeFailure:
    """What the error record tells."""
    record, plan = frame.record, executable.plan
    if record[0] == DRIVER_FAILED:
        error = driver_failure(executable.device, plan.name, executable.kernels, *record[1:4])
        return RuntimeFailure(type(error).__name__, str(error), "loc(unknown)", error)
    if record[0] == INTERRUPTED:
        raised = take_exception(record)
        return RuntimeFailure(type(raised).__name__, str(raised), "loc(unknown)", raised)
    if record[0] == OUT_OF_MEMORY:
        return out_of_memory(plan)
    site = plan.sites[record[0] - 1]
    if isinstance(site, HostSite):
        exception = frame.link.take_exception() if frame.link else KeyboardInterrupt()
        return RuntimeFailure(type(exception).__name__, str(exception), site.location, exception)
    values = record[1 : 1 + site.values]
    return RuntimeFailure(site.error, format_message(site.message, values), site.location)


def _bytes_of_result(shape: Sequence[int], dtype: np.dtype[Any]) -> int:
    """The size of a result; raises the `ValueError` of NumPy where 64 bits do not tell it."""
    size = math.prod(shape) * dtype.itemsize
    if size > sys.maxsize:
        raise ValueError("Maximum allowed dimension exceeded")
    return size


class LinkedCode(Protocol):
    """Code in memory."""

    def address(self, name: str) -> int:
        """The address of an exported function."""


def _link(
    object_file: bytes, exports: Sequence[str], symbols: Sequence[str], known: Mapping[str, int]
) -> LinkedCode:
    """The code of an object file that calls functions of the system and of weft, and others at known addresses."""
    return Code(object_file, exports, {**addresses(symbols), **known})


def _uploaded(device: OpenDevice, data: bytes) -> int:
    """A constant of a program on the device."""
    address = device.allocate(len(data))
    device.write(address, np.frombuffer(data, np.uint8))
    return address


def _destroy_graphs(device: OpenDevice, words: ctypes.Array[ctypes.c_int64], starts: Sequence[int]) -> None:
    """Give back what the driver has made for the launches of a frame."""
    for start in starts:
        for word, function in ((EXECUTABLE, "cuGraphExecDestroy"), (HANDLE, "cuGraphDestroy")):
            if words[start + word] > 0:
                device.device.call_quietly(function, words[start + word])


def _free_all(device: OpenDevice, blocks: Sequence[int]) -> None:
    for address in blocks:
        device.free(address)


def _address(device: OpenDevice, function: str) -> int:
    """Where a function lies that native code calls."""
    if function != CALL_LIBRARY:
        return device.address(function)
    from .library_calls import libraries_of  # few programs call any

    return libraries_of(device).address


def _function(address: int, pointers: int) -> Any:
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * pointers)(address)
