"""Going back to an earlier point of the recording: what was recorded and changed since is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....dialect.register import context
from ....numpy_api import array_memory
from ....runtime_values.results import RuntimeContainer
from ....tracing.recorder import Recorder
from ..values.control_flow_state import control_flow, snapshot_of
from ..values.program_locations import Snapshot
from .paths import catcher_of


class Checkpoint:
    """A point of the recording in one region, with the Python state that some functions can reach."""

    def __init__(self, trace: Recorder, snapshot: Snapshot) -> None:
        self._trace = trace
        self.snapshot = snapshot
        self._region = trace.region
        self._cells = len(trace.cells)
        self._op_count = trace.op_count
        self._grown = dict(control_flow(trace).grown)
        self._met_inside = dict(control_flow(trace).met_inside)
        owners = [owner for _, owner, _ in snapshot.objects]
        self._kinds = [
            (items, items.kind)
            for items in owners
            if isinstance(items, RuntimeContainer) and items.joined_parts() is None
        ]
        self._kept = len(trace.kept)
        self._array_notes = len(trace.array_notes)
        self._checks = list(trace.at_end)
        self._shown = array_memory.changes(trace)
        self._kept_items = list(trace.kept_items)
        self._catcher = catcher_of(trace)
        self._points = 0 if self._catcher is None else self._catcher.mark()
        self._last = trace.region.last_operation()
        self._section = trace.region.begin_section()

    @classmethod
    def take(cls, trace: Recorder, functions: tuple[Callable[..., Any] | None, ...]) -> Checkpoint:
        """Remember the present point."""
        with context():
            return cls(trace, snapshot_of(trace, functions))

    @classmethod
    def beside(cls, trace: Recorder, snapshot: Snapshot) -> Checkpoint:
        """Remember the present point, of which a snapshot was just taken."""
        copy = snapshot.copied()
        control_flow(trace).remembered.add(copy)
        with context():
            return cls(trace, copy)

    def roll_back(self) -> None:
        """Erase what was recorded since, and restore the Python state."""
        self.snapshot.restore()
        array_memory.take_back(self._trace, self._shown)
        for items, kind in self._kinds:
            items.kind = kind  # that of the arrays that it has again
        if self._catcher is not None:
            self._catcher.forget(self._points)
        self._trace.region = self._region
        with context():
            erased = self._region.operations_behind(self._last)
            results = {result for operation in erased for result in operation.results}
            for storage in self._trace.cells_since(self._cells):
                if storage.ref is not None and storage.ref in results:
                    storage.ref = None
            self._region.erase_section(self._section, self._last)
        self._trace.op_count = self._op_count
        control_flow(self._trace).grown = dict(self._grown)
        control_flow(self._trace).met_inside = dict(self._met_inside)
        del self._trace.kept[self._kept :]
        del self._trace.array_notes[self._array_notes :]
        self._trace.at_end[:] = self._checks
        self._trace.kept_items = list(self._kept_items)


def on_trial(trace: Recorder, function: Callable[[], Any]) -> Any:
    """What a function returns that is called for that alone: nothing of the call stays."""
    checkpoint = Checkpoint.take(trace, (function,))
    try:
        return function()
    finally:
        checkpoint.roll_back()
