"""What a tape does while a trace is recorded: independent values, and requests for gradients by them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ..signature.traced_value import ArrayHolder
from ..tracing.array import TracedArray, wrap
from ..tracing.recorder import Recorder, Storage
from ..tracing.sources import sources_of
from ..tracing.staging import staged
from .tape_requests import Recording
from .watching import Watching


class TracedTape(Recording):
    """A tape that was entered while a trace is recorded."""

    def __init__(self, trace: Recorder, sees_reads: bool = True) -> None:
        super().__init__()
        self.trace = trace
        self._watching = Watching(trace, sees_reads)
        self._watching.open()

    def close(self) -> None:
        """The `with` block ends."""
        self._watching.close()

    def watch(self, leaf: Any, path: str) -> Any:
        """What is used in place of an array or number, by which gradients are asked for."""
        array = self.array_of(leaf)
        if array is None or array._path or array._python_type is not None:
            return self._watching.independent(leaf).array
        array._storage.known = None  # what is computed of it is not known while tracing
        self._watching.watch(array._storage, array._value())
        return array

    def paused(self) -> AbstractContextManager[None]:
        """Take what is read in the block for constants."""
        return self._watching.paused()

    @property
    def is_here(self) -> bool:
        """Whether the program is where the tape was entered, and in no branch or loop inside."""
        return self._watching.is_here

    def require_usable(self) -> None:
        """Raise where gradients cannot be asked for any more."""
        if not self._watching.is_usable:
            raise WeftValueError(
                "the tape was entered in a branch or loop that has ended: ask for gradients inside of it"
            )

    def found(self, storage: Storage) -> Any:
        """The independent value of an array; None for one that was not read."""
        return self._watching.found(storage)

    def watched(self) -> Iterable[Storage]:
        """The arrays that were read or watched."""
        return self._watching.arrays

    def is_own(self, storage: Storage) -> bool:
        """Whether an array was computed after the tape was entered, and is not watched."""
        return self._watching.is_own(storage)

    def inner(self, storage: Storage) -> Any:
        """The independent value of an array that was computed after the tape was entered; None for what has none."""
        return self._watching.inner(storage)

    def result_of(self, holder: Any, leaf: Any) -> TracedArray:
        """An array that is differentiated; a variable is read."""
        array = self.array_of(leaf) if isinstance(holder, ArrayHolder) else None
        if array is None or array._path:
            return staged(self.trace, leaf)
        return wrap(self.trace, self._watching.late(array._storage))

    def require_rebound(self, leaf: Any, path: str) -> None:
        """Nothing is raised: arrays that are read are the ones that are watched."""

    def array_of(self, leaf: Any) -> TracedArray | None:
        """The traced array for one that was there before the trace; None for what has none."""
        if isinstance(leaf, TracedArray):
            return leaf
        state = self.trace.python_state
        if state is None or not isinstance(leaf, (np.ndarray, np.generic)):
            return None
        found = state.writable(leaf, "a gradient by it is asked for")
        return found if isinstance(found, TracedArray) else None

    def instead(self, path: str) -> str:
        """What to write where a tape did not see an array."""
        return (
            "name an array that the `with` block reads from an argument, an attribute, a global or a variable, or "
            f"write {path} = tape.watch({path}) at its begin and use that"
        )

    def connected(self, values: list[Any]) -> Container[Any]:
        """The values that others may have been computed of."""
        return sources_of(values)
