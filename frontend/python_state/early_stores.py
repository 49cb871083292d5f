"""What a trace changed of Python's state, stored in the middle of a call: the call ends there with an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.results import flatten_results
from ..runtime_values.values import Frozen
from ..tracing.staging import host_call
from .aside import SetAside
from .stored_values import StoredValue, storing
from .write_back import WriteBack

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder


class StoringState(SetAside):
    """The state that one trace reads and changes, which the compiled function can change before it ends, too."""

    def store_now(self) -> None:
        """Record that the call stores here what it changed so far."""
        values = _Values(self._trace)
        updates = WriteBack(self, values).updates
        if updates is None:
            return
        self.stores_early = True

        host_call(self._trace, outside_traces(storing(updates), "store"), values.operands)


class _Values:
    """Collects what the values to store are made of."""

    def __init__(self, trace: Recorder) -> None:
        self._trace = trace
        self.operands: list[Any] = []

    def meet(self, values: Iterable[Any]) -> None:
        """Take note of what is stored: each value is made of its own."""

    def stored(self, value: Any, locate: Callable[[Any], Any]) -> StoredValue:
        """Take a nested value apart."""
        flatten_results(value, [])  # refuses what cannot be made again
        frozen = Frozen(self._trace, (value,))
        first = len(self.operands)
        self.operands += frozen.operands
        return StoredValue(first, len(self.operands), frozen.thaw)
