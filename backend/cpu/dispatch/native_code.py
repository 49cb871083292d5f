"""What native code is told of a compiled function: its entry, its results, and what Python is asked for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection
from typing import Any

from ....dialect.types import TensorType
from ...planning.plan import POLLED
from ..execution.executable import Executable, RuntimeFailure
from ..execution.frames import Frame
from ..memory.limit import POOLED_BYTES
from ..memory.result_pool import result_pool
from ..native_python.layout import WORD, Api, Code, Result
from .descriptors import Kept, table
from .library import library


class NativeCode(Kept):
    """The table of a compiled function.

    `scalars` are the results without dimensions of which nobody wants an array. `exception_of` makes the exception of
    a failure of machine code, or None where Python makes the call again.
    """

    def __init__(
        self,
        executable: Executable,
        scalars: Collection[int],
        exception_of: Callable[[RuntimeFailure], BaseException | None],
    ) -> None:
        super().__init__()
        plan = executable.plan
        self._executable = executable
        results = []
        for index, type in enumerate(plan.results):
            kind = Result.SCALAR if index in scalars else Result.ARRAY
            results.append(self._result(type, Result.ON_HEAP if index in plan.on_heap else kind))
        content = {
            Code.ENTRY: executable.entry_address,
            Code.SIZES: executable.sizes_address,
            Code.RESULTS: self.words(results),
            Code.RESULT_COUNT: len(results),
            Code.RELEASES: executable.releases_lock,
            Code.POLLS: WORD * POLLED if plan.polls else 0,
            Code.FAILS: plan.may_fail,
            Code.NEW_FRAME: self.keep(self._new_frame),
            Code.RESERVE: self.keep(_reserve),
            Code.PREPARE: self.keep(executable.limit_recursion) if plan.calls else 0,
            Code.FAILURE: self.keep(lambda frame: exception_of(executable.failure(frame))),
            Code.WORKSPACE_AT: WORD * plan.fixed_extents,
        }
        self._memory = table([content.get(WORD * index, 0) for index in range(Code.LENGTH)])
        self.address = ctypes.addressof(self._memory)

    @staticmethod
    def fits(executable: Any) -> bool:
        """Whether native code can run it."""
        return isinstance(executable, Executable)

    def _new_frame(self) -> int:
        return ctypes.addressof(self._executable.lend_frame().header)

    def _result(self, type: TensorType, kind: int) -> int:
        """The address of what describes a result."""
        size = type.dtype.itemsize
        is_dynamic = None in type.shape
        for extent in type.shape:
            size *= 1 if extent is None else extent
        if is_dynamic or size >= POOLED_BYTES:
            words, pool = library().words, result_pool()
            words[Api.NEW_LARGE_ARRAY], words[Api.TAKE_BLOCK] = pool.new_result_address, pool.take_address
        extents = [-1 if extent is None else extent for extent in type.shape]
        size = -type.dtype.itemsize if is_dynamic else size
        return self.words([kind, self.keep(type.dtype), len(extents), size, *extents])


def _reserve(frame: Frame) -> None:
    """Make the workspace as large as the sizes of a frame say."""
    frame.reserve(frame.sizes[len(frame.sizes) - 1])
