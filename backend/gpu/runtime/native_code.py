"""What the native dispatcher is told of a program for a GPU: its entry, its results, and the device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ....dialect.types import TensorType
from ...cpu.dispatch.descriptors import Kept, table
from ...cpu.execution.executable import RuntimeFailure
from ...cpu.native_python.layout import WORD, Code
from ...planning.plan import POLLED
from ..arrays.native_words import device_words
from ..machine.call_context import DEVICE_RECORD, STREAM
from .executable import DeviceExecutable


class DeviceCode(Kept):
    """The table of a compiled function whose arrays lie on a device.

    `exception_of` makes the exception of a failure of machine code.
    """

    def __init__(
        self, executable: DeviceExecutable, exception_of: Callable[[RuntimeFailure], BaseException | None]
    ) -> None:
        super().__init__()
        plan = executable.plan
        self._executable = executable
        self._exception_of = exception_of
        self.device = device_words(executable.device)
        results = [self._result(type) for type in plan.results]
        content = {
            Code.ENTRY: executable.entry_address,
            Code.SIZES: executable.sizes_address,
            Code.RESULTS: self.words(results),
            Code.RESULT_COUNT: len(results),
            Code.POLLS: WORD * POLLED if plan.polls else 0,
            Code.NEW_FRAME: self.keep(self._new_frame),
            Code.FAILURE: self.keep(self._failure),
            Code.WORKSPACE_AT: WORD * plan.fixed_extents,
            Code.WORKSPACE_BYTES: plan.workspace or 0,
            Code.DEVICE: self.device.address,
            Code.STREAM_AT: WORD * STREAM,
            Code.TOLD_AT: WORD * DEVICE_RECORD if executable.device_checks else 0,
        }
        self._memory = table([content.get(WORD * index, 0) for index in range(Code.LENGTH)])
        self.address = ctypes.addressof(self._memory)

    @staticmethod
    def fits(executable: Any) -> bool:
        """Whether native code can run it: it does not call Python, nor manage other memory.

        Where the host does a part, each call looks how much it waits for that, which takes longer than to look.
        """
        if not isinstance(executable, DeviceExecutable):
            return False
        plan = executable.plan
        others = plan.blocks or plan.on_heap or plan.calls or plan.scratch
        has_pools = executable.device.device.properties.has_pools
        return has_pools and not (executable.calls_python or executable.host_kernels or others)

    def _new_frame(self) -> int:
        return ctypes.addressof(self._executable.lend_frame().header)

    def _failure(self, frame: Any) -> BaseException | None:
        return self._exception_of(self._executable.failure(frame))

    def _result(self, type: TensorType) -> int:
        """The address of what describes a result."""
        size = type.dtype.itemsize
        for extent in type.shape:
            size *= 1 if extent is None else extent
        extents = [-1 if extent is None else extent for extent in type.shape]
        size = -type.dtype.itemsize if None in type.shape else size
        return self.words([0, self.keep(type.dtype), len(extents), size, *extents])
