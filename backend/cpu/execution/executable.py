"""Compiled functions on NumPy arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ....dialect.callbacks import Callback
from ....dialect.errors import WeftError, WeftValueError, format_message
from ...planning.names import is_twister_name
from ...planning.plan import CHECKED, DEPTH, OUT_OF_MEMORY, POLLED, STACK, HostSite, MachineCode, Plan
from ..lowering.array_layout import check_array_layout
from ..lowering.host_calls import HostLink
from ..lowering.interrupts import INTERRUPTED, take_exception
from ..lowering.recursion import depth_limit, stack_budget
from ..machine.code import Code
from ..memory.results import maker
from .frames import Frame
from .symbols import addresses

if TYPE_CHECKING:
    from .heap_allocation import HeapAllocation

_Outputs: TypeAlias = "list[Callable[[], np.ndarray[Any, Any]]]"
_MAX_KNOWN_SIZES = 256


class RuntimeFailure(WeftError):
    """Compiled code reached a `weft.raise_if` whose condition holds, or called Python, which raised.

    `error` names the Python exception to raise, `message` is its text, and `location` is the MLIR location of
    the op as text. What Python raised is `exception`.
    """

    def __init__(
        self, error: str, message: str, location: str, exception: BaseException | None = None
    ) -> None:
        super().__init__(f"{error}: {message}")
        self.exception = exception
        self.error = error
        self.message = message
        self.location = location


class Executable:
    """A compiled function. Call it with C-contiguous, aligned arrays of the dtypes and shapes it was compiled
    for.

    Arguments that the program writes must not overlap others. Calls from several threads at once are allowed;
    each has a workspace of its own. The machine code is freed with the object.
    """

    def __init__(self, compiled: MachineCode, callbacks: Sequence[Callback] = ()) -> None:
        check_array_layout()
        plan = self.plan = compiled.plan
        self._callbacks = callbacks
        self.calls_python = any(isinstance(site, HostSite) for site in plan.sites)
        code = self._code = Code(compiled.object_file, plan.entries, addresses(compiled.symbols))
        if compiled.lines:
            from ..machine.debuggers import announce  # few processes are looked into

            announce(code, compiled.object_file, code.address, plan.entries[0], dict(compiled.lines))
        self._inputs = len(plan.inputs)
        self.entry_address = code.address(f"{plan.name}_entry")
        self.releases_lock = releases_lock(plan) and not any(map(is_twister_name, compiled.symbols))
        """Whether calls give the interpreter's lock away, which protects the generators of Python and NumPy."""
        make = ctypes.CFUNCTYPE if self.releases_lock else ctypes.PYFUNCTYPE
        self._entry = make(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(self.entry_address)
        self._frames: list[Frame] = []
        self._lent: list[Frame] = []
        self._shapes = [type.shape for type in plan.results]
        self._dtypes = [type.dtype for type in plan.results]
        self._may_fail = plan.may_fail
        self._allocated = [index for index in range(len(plan.results)) if index not in plan.on_heap]
        # What makes the results when all their shapes are known now, for the quick way through a call.
        self._outputs: _Outputs | None = None
        self._known_sizes: dict[tuple[tuple[int, ...], ...], tuple[_Outputs, int]] = {}
        if plan.sizes is None:
            known = [plan.results[index] for index in self._allocated]
            self._outputs = [maker(tuple(e or 0 for e in type.shape), type.dtype) for type in known]
        self.sizes_address = 0
        """The address of what tells the sizes of results, where they depend on the arguments."""
        if plan.sizes:
            sizes = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
            self.sizes_address = code.address(f"{plan.sizes}_entry")
            self._sizes_entry = sizes(self.sizes_address)

    def __call__(
        self, *arrays: np.ndarray[Any, Any], before_callback: Callable[[], None] | None = None
    ) -> list[np.ndarray[Any, Any]]:
        """Run the function; the results are new arrays. Raises RuntimeFailure where the program raises.

        Where the program calls Python, `before_callback` is called first.
        """
        try:
            frame = self._frames.pop()  # pop and append are atomic
        except IndexError:
            frame = self._new_frame()
        if frame.link is not None:
            frame.link.before = before_callback
        outputs = self._outputs
        if outputs is None:
            key = tuple([array.shape for array in arrays])
            known = self._known_sizes.get(key)
            if known is None:
                if len(self._known_sizes) >= _MAX_KNOWN_SIZES:
                    self._known_sizes.clear()
                known = self._known_sizes[key] = self._ask_sizes(frame, arrays)
            outputs, workspace = known
            frame.reserve(workspace)
        results = [make() for make in outputs]
        if frame.heap is None:
            frame.table[:] = [*map(id, arrays), *map(id, results)]
        else:
            self._fill_table(frame, arrays, results)
        if self.plan.polls:
            frame.record[POLLED] = frame.record[CHECKED] = 0
        if self.plan.calls:
            self.limit_recursion(frame)
        self._entry(frame.table_address, frame.workspace_address, frame.record_address)
        if self._may_fail and frame.record[0]:
            try:
                raise self.failure(frame)  # in no variable here: the arguments would stay with the traceback
            finally:
                self._frames.append(frame)
        if frame.heap is not None:
            results = self._collect(frame.heap, results)
        self._frames.append(frame)
        return results

    def check(self, *arrays: np.ndarray[Any, Any]) -> None:
        """Raise WeftValueError unless the arrays may be passed to the function."""
        if len(arrays) != self._inputs:
            raise WeftValueError(f"{self.plan.name} takes {self._inputs} arrays, not {len(arrays)}")
        for index, (array, type) in enumerate(zip(arrays, self.plan.inputs, strict=True)):
            expected = type.shape
            fits = len(expected) == array.ndim and all(
                extent is None or extent == actual
                for extent, actual in zip(expected, array.shape, strict=True)
            )
            flags = array.flags
            if not fits or not flags.c_contiguous or not flags.aligned or not array.dtype.isnative:
                raise WeftValueError(
                    f"argument {index} of {self.plan.name} must be a contiguous array like {type}"
                )

    def lend_frame(self) -> Frame:
        """A frame that nobody else gets, for native code to keep."""
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._new_frame()
        if frame.link is not None:
            frame.link.before = None
        self._lent.append(frame)
        return frame

    def _new_frame(self) -> Frame:
        frame = Frame(self.plan)
        if self.calls_python:
            frame.link = HostLink(self.plan.sites, self._callbacks, frame.record)
        return frame

    def limit_recursion(self, frame: Frame) -> None:
        """Say how deep functions of the program may call each other, in this thread."""
        frame.record[DEPTH], frame.record[STACK] = depth_limit(), stack_budget()

    def _fill_table(
        self,
        frame: Frame,
        arrays: Sequence[np.ndarray[Any, Any]],
        results: Sequence[np.ndarray[Any, Any]],
    ) -> None:
        """Name the arguments and the results that are allocated before the call."""
        frame.table[: len(arrays)] = list(map(id, arrays))
        for index, result in zip(self._allocated, results, strict=True):
            frame.table[len(arrays) + index] = id(result)

    def _collect(
        self, heap: HeapAllocation, allocated: list[np.ndarray[Any, Any]]
    ) -> list[np.ndarray[Any, Any]]:
        """All results: those that were allocated before the call, and those that compiled code allocated."""
        extents = iter(heap.extents)
        before, results = iter(allocated), []
        blocks = 0
        for index, shape in enumerate(self._shapes):
            if index in self.plan.on_heap:
                known = tuple(next(extents) if extent is None else extent for extent in shape)
                results.append(heap.take(blocks, known, self._dtypes[index]))
                blocks += 1
            else:
                results.append(next(before))
        return results

    def _ask_sizes(self, frame: Frame, arrays: tuple[np.ndarray[Any, Any], ...]) -> tuple[_Outputs, int]:
        """Ask the program what the results are and how large the workspace must be."""
        frame.table[: self._inputs] = [*map(id, arrays)]
        self._sizes_entry(frame.table_address, frame.sizes_address)
        known = iter(frame.sizes)
        outputs = [
            maker(
                tuple(next(known) if extent is None else extent for extent in self._shapes[index]),
                self._dtypes[index],
            )
            for index in self._allocated
        ]
        return outputs, next(known)

    def failure(self, frame: Frame) -> RuntimeFailure:
        """What the error record of a frame tells."""
        if frame.record[0] == INTERRUPTED:
            raised = take_exception(frame.record)
            return RuntimeFailure(type(raised).__name__, str(raised), "loc(unknown)", raised)
        if frame.record[0] == OUT_OF_MEMORY:
            return out_of_memory(self.plan)
        site = self.plan.sites[frame.record[0] - 1]
        if isinstance(site, HostSite):
            exception = frame.link.take_exception() if frame.link is not None else KeyboardInterrupt()
            return RuntimeFailure(type(exception).__name__, str(exception), site.location, exception)
        values = frame.record[1 : 1 + site.values]
        return RuntimeFailure(site.error, format_message(site.message, values), site.location)


def out_of_memory(plan: Plan) -> RuntimeFailure:
    """What a call ends with where a kernel got no memory for temporaries."""
    return RuntimeFailure("MemoryError", f"there is no memory for temporaries of {plan.name}", "loc(unknown)")


_RELEASE_ELEMENTS = 1 << 15


def releases_lock(plan: Plan) -> bool:
    """Whether calls give the interpreter's lock away: on small arrays, getting it back may take longer than the call.

    Not so where loops decide at run time how long they take.
    """
    shapes = [type.shape for type in plan.inputs + plan.results]
    # An unknown extent counts as a large one.
    elements = sum(math.prod(_RELEASE_ELEMENTS if e is None else e for e in shape) for shape in shapes)
    return plan.polls or elements >= _RELEASE_ELEMENTS
