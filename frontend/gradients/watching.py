"""What an open tape does to the trace: arrays from outside of it are read through independent values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...dialect.derivatives import has_numbers
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.differentiation import Barrier, Independent, Pause
from ...dialect.ops.state import ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import context, create
from ..tracing.recorder import Recorder, Storage
from ..tracing.regions import Region
from .independent import Variable, independent, next_number


@dataclass(eq=False)
class Watched:
    """An array that was read while a tape was open."""

    value: Value
    """The independent value that stands for it from there on."""
    is_written: bool
    """Whether the cell holds it, where the array has become one."""


class Watching:
    """The arrays that are read while a tape is open, from its entry on.

    Their independent values stand where the tape was entered, in front of a mark, also when the first read is in a
    branch or loop. Cells are written theirs, so that all that is read of them later was computed of it.
    """

    def __init__(self, trace: Recorder, sees_reads: bool = True) -> None:
        self.trace = trace
        self._versions = {storage: storage.version for storage in trace.cells}
        self._sees_reads = sees_reads
        """Whether arrays from outside are watched that are read, not only those that are named."""
        self.region = trace.region
        self._section = trace.region.section
        (mark,) = trace.create(Constant, [], {"value": np.zeros(())})
        self._mark: Operation = mark.owner.operation
        self._number = next_number()
        self._is_only_read = False
        self._behind: Value | None = None
        self._is_paused = False
        self._outer = {id(region) for region in _around(trace.region)}
        self._watched: dict[Storage, Watched] = {}
        self._named: set[Storage] = set()
        """Arrays that are watched, whether or not all are that are read."""
        self._own: set[Storage] = set()
        """Arrays that were computed while the tape was open."""

    @property
    def is_usable(self) -> bool:
        """Whether gradients can be asked for: in the branch or loop where the tape was entered."""
        return self._section.is_usable

    def open(self) -> None:
        """Look at all that is read from now on."""
        self.trace.watchers.append(self)
        self.trace.watch_epoch += 1

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take what is read in the block for constants."""
        before, self._is_paused = self._is_paused, True
        self.trace.watch_epoch += 1
        try:
            yield
        finally:
            self._is_paused = before
            self.trace.watch_epoch += 1

    @classmethod
    def only_read(cls, trace: Recorder, behind: Value | None = None) -> Watching:
        """Looks at arrays from outside that nobody writes, and that are not known to be there before a value is."""
        found = cls(trace)
        found._is_only_read, found._behind = True, behind
        return found

    @property
    def arrays(self) -> dict[Storage, Value]:
        """What was read, with its independent values."""
        return {storage: known.value for storage, known in self._watched.items()}

    @property
    def is_written(self) -> bool:
        """Whether an array from outside was written."""
        return any(
            storage.version != self._versions.get(storage, 0) and self._is_outside(storage)
            for storage in self.trace.cells
        )

    @property
    def is_here(self) -> bool:
        """Whether the branch or loop that is recorded is that where the tape was entered."""
        return self.trace.region is self.region

    def close(self) -> None:
        """Look at nothing more."""
        self.trace.watchers.remove(self)
        self.trace.watch_epoch += 1

    def found(self, storage: Storage) -> Value | None:
        """The independent value of an array; None for one that was not read."""
        known = self._watched.get(storage)
        return None if known is None else known.value

    def is_own(self, storage: Storage) -> bool:
        """Whether an array was computed while the tape was open, and not watched."""
        return storage not in self._watched and (storage in self._own or not self._is_outside(storage))

    def read(self, storage: Storage, value: Value | None) -> Value | None:
        """What is read of an array in place of its value; a cell, which has none, is made to hold it."""
        known = self._watched.get(storage)
        if known is None:
            is_seen = storage in self._named or (
                self._sees_reads and not self._is_paused and not self._is_fixed(storage)
            )
            if not is_seen or storage in self._own or not has_numbers(storage.type):
                return value
            if not self._is_outside(storage):
                self._own.add(storage)
                return value
            known = self._watch(storage, value)
        if value is None and self._is_only_read:
            return known.value
        if value is None and not known.is_written:
            operation = known.value.owner.operation
            with context(), ir.InsertionPoint.after(operation):
                create(WriteRef, [storage.ref, known.value], {}, location=operation.location)
            known.is_written = True
        return None if value is None else known.value

    def _is_fixed(self, storage: Storage) -> bool:
        """Whether it is the array of a variable that is not to be trained; another call is asked again."""
        variable, state = storage.variable, self.trace.python_state
        if variable is None or self._is_only_read:
            return False
        if state is not None:
            state.attribute(variable, "trainable", variable.trainable)
        return not variable.trainable

    def seen(self, value: Value) -> Value:
        """What stands for a value that was read: a constant for this tape, while it does not record."""
        if not self._is_paused or not has_numbers(self.trace.type_of(value)):
            return value
        return self.trace.create(Pause, [value], {"tape": self._number})[0]

    def watch_storage(self, storage: Storage, value: Value) -> None:
        """Watch an array: from here on, if it was computed while the tape is open."""
        if not self.is_own(storage):
            self._named.add(storage)
            self.trace.watch_epoch += 1
            return
        (made,) = self.trace.create(Independent, [value], {"number": next_number(), "tape": self._number})
        self._watched[storage] = Watched(made, False)
        if storage.ref is not None:
            self.trace.create(WriteRef, [storage.ref, made], {})
            self._watched[storage].is_written = True
        self.trace.watch_epoch += 1

    def late(self, storage: Storage) -> Value:
        """What stands for an array from outside that is asked about, and was not read before."""
        if storage in self._watched or not self._sees_reads or self._is_fixed(storage):
            return self.trace.value_of(storage)
        is_there = storage.ref is None and self._is_outside(storage)
        return self._watch(storage, storage.value).value if is_there else self.trace.value_of(storage)

    def inner(self, storage: Storage) -> Value | None:
        """An independent value in the place of one that was computed while the tape was open, for what was made of it.

        None for what was written, is known while tracing, or was computed in a branch or loop.
        """
        value = storage.value
        if storage.ref is not None or storage.known is not None or isinstance(value.owner, ir.Block):
            return None
        operation = value.owner.operation
        if operation.block != self._mark.block:
            return None
        with context(), ir.InsertionPoint.after(operation):
            made = create(
                Independent,
                [value],
                {"number": next_number(), "tape": self._number},
                location=operation.location,
            )
            value.replace_all_uses_except(made.results[0], made)
        storage.value = made.results[0]
        self.trace.watch_epoch += 1
        return storage.value

    def independent(self, leaf: Any) -> Variable:
        """An independent value of this tape for an array or number."""
        made = independent(self.trace, leaf, self._number)
        self._watched[made.array._storage] = Watched(made.value, True)
        return made

    def _watch(self, storage: Storage, value: Value | None) -> Watched:
        if value is None:
            value = self._create(ReadRef, [storage.ref])
        if self._behind is not None:
            value = self._create(Barrier, [value, self._behind])
        made = self._create(Independent, [value], number=next_number(), tape=self._number)
        found = self._watched[storage] = Watched(made, False)
        return found

    def _create(self, op_class: type[Op], operands: list[Value], **attributes: Any) -> Any:
        """Make an op in front of the mark."""
        with context(), ir.InsertionPoint(self._mark):
            made = create(op_class, operands, attributes, location=self._mark.location)
            return made.results[0]

    def _is_outside(self, storage: Storage) -> bool:
        """Whether an array was there when the tape was entered."""
        region = storage.region
        if region is not self.region:
            return id(region) in self._outer
        value = storage.value if storage.ref is None else storage.ref
        if isinstance(value.owner, ir.Block):
            return True
        operation = value.owner.operation
        return operation.block != self._mark.block or bool(operation.is_before_in_block(self._mark))


def _around(region: Region | None) -> Iterator[Region]:
    """The regions around one."""
    while region is not None and region.parent is not None:
        region = region.parent
        yield region
