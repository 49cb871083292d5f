"""What a tape does while a trace is recorded: independent values, and requests for gradients by them."""

from __future__ import annotations

from collections.abc import Container, Iterable
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


class TracedTape(Watching, Recording):
    """A tape that was entered while a trace is recorded."""

    def __init__(self, trace: Recorder, sees_reads: bool = True) -> None:
        Recording.__init__(self)
        Watching.__init__(self, trace, sees_reads)
        self.open()

    def watch(self, leaf: Any, path: str) -> Any:
        """What is used in place of an array or number, by which gradients are asked for."""
        array = self.array_of(leaf)
        if array is None or array._path or array._python_type is not None:
            return self.independent(leaf).array
        array._storage.known = None  # what is computed of it is not known while tracing
        self.watch_storage(array._storage, array._value())
        return array

    def require_usable(self) -> None:
        """Raise where gradients cannot be asked for any more."""
        if not self.is_usable:
            raise WeftValueError(
                "the tape was entered in a branch or loop that has ended: ask for gradients inside of it"
            )

    def watched(self) -> Iterable[Storage]:
        """The arrays that were read or watched."""
        return self.arrays

    def result_of(self, holder: Any, leaf: Any) -> TracedArray:
        """An array that is differentiated; a variable is read."""
        array = self.array_of(leaf) if isinstance(holder, ArrayHolder) else None
        if array is None or array._path:
            return staged(self.trace, leaf)
        return wrap(self.trace, self.late(array._storage))

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
