"""What a tape does in plain Python: arrays that remember how they were computed, once they are watched."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ...dialect.ops.differentiation import Independent, Pause
from ..signature.traced_value import ArrayHolder
from ..tracing.array import TracedArray, wrap
from ..tracing.recorder import Storage
from ..tracing.staging import staged
from .eager import Node, eager_recorder, nodes_behind
from .independent import independent, next_number
from .tape_requests import Recording


class EagerTape(Recording):
    """A tape that was entered in plain Python."""

    def __init__(self, sees_reads: bool = True) -> None:
        super().__init__()
        self._sees_reads = sees_reads
        self.trace = self._recorder = eager_recorder()
        self._recorder.open()
        self._number = next_number()
        self._is_paused = False
        self._watched: dict[Storage, Node] = {}
        self._arrays: dict[int, tuple[Any, TracedArray]] = {}
        """As that of the recorder, which forgets them when no tape is open."""
        self._reads: dict[Storage, None] = {}
        self._recorder.readers.append(self._reads)

    def close(self) -> None:
        """The `with` block ends."""
        self._arrays = {**self._recorder.arrays, **self._arrays}
        self._watched = {**self._seen, **self._watched}
        self._recorder.readers[:] = [reads for reads in self._recorder.readers if reads is not self._reads]
        self._recorder.close()

    @property
    def _seen(self) -> dict[Storage, Node]:
        """The variables that were read."""
        known = self._recorder.independent
        return (
            {storage: known[storage] for storage in self._reads if storage in known}
            if self._sees_reads
            else {}
        )

    def watch(self, leaf: Any, path: str) -> Any:
        """What is used in place of an array or number, by which gradients are asked for."""
        array = self.array_of(leaf)
        if array is None or array._path or array._python_type is not None:
            made = independent(self.trace, leaf, self._number)
            self._watched[made.array._storage] = made.value
            if isinstance(leaf, np.ndarray):
                self._arrays[id(leaf)] = self._recorder.arrays[id(leaf)] = (leaf, made.array)
            return made.array
        storage = array._storage
        (node,) = self.trace.create(
            Independent, [array._value()], {"number": next_number(), "tape": self._number}
        )
        node.memory = array._value().memory
        if storage.ref is None:
            storage.value = node
        else:
            storage.ref.node = node
        storage.version += 1
        self._watched[storage] = node
        return array

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take what is read in the block for constants."""
        before, self._is_paused = self._is_paused, True
        self.trace.watchers.append(self)
        self.trace.watch_epoch += 1
        try:
            yield
        finally:
            self._is_paused = before
            self.trace.watchers.remove(self)
            self.trace.watch_epoch += 1

    def read(self, storage: Storage, value: Any) -> Any:
        """What is read of an array: its value."""
        return value

    def seen(self, value: Node) -> Node:
        """What stands for a value that was read: a constant for this tape."""
        made: Node = (
            self.trace.create(Pause, [value], {"tape": self._number})[0] if value.is_active else value
        )
        return made

    def gradient(self, y: Any, x: Any, weights: Any, connected_only: bool) -> Any:
        """The gradient by x of the sum of what y holds, or of the weighted one."""
        with self._recorder.asked_by(self._number):
            return super().gradient(y, x, weights, connected_only)

    def jacobian(self, y: Any, x: Any, connected_only: bool) -> Any:
        """All derivatives of an array by x."""
        with self._recorder.asked_by(self._number):
            return super().jacobian(y, x, connected_only)

    def found(self, storage: Storage) -> Any:
        """The independent value of an array; None for one that was not watched."""
        return self._watched.get(storage) or self._seen.get(storage)

    def watched(self) -> Iterable[Storage]:
        """The arrays that were read or watched."""
        return {**self._seen, **self._watched}

    def is_own(self, storage: Storage) -> bool:
        """Whether an array is not watched, and is none of a variable, which a tape need not see."""
        return storage.variable is None and self.found(storage) is None

    def inner(self, storage: Storage) -> Any:
        """The node of an array that was computed of watched ones; None for what has none."""
        node = storage.value if storage.ref is None else None
        return node if node is not None and node.is_active else None

    def result_of(self, holder: Any, leaf: Any) -> TracedArray:
        """An array that is differentiated; a variable is read."""
        known = self.array_of(leaf)
        if known is None and isinstance(holder, ArrayHolder) and self._sees_reads:
            with self._recorder.opened() as recorder:
                known = recorder.data(leaf, holder)
                self._arrays.update(recorder.arrays)
                self._watched.update(recorder.independent)
        found: TracedArray = staged(self.trace, leaf if known is None else known)
        if not found._path:
            return found
        with self._recorder.opened():  # a view is read when it is asked for, behind the block, too
            return wrap(self.trace, found._values_along_path()[-1], found._type)

    def array_of(self, leaf: Any) -> TracedArray | None:
        """The recorded array for one that is watched; None for what has none."""
        if isinstance(leaf, TracedArray):
            return leaf
        known = self._arrays.get(id(leaf)) or self._recorder.arrays.get(id(leaf))
        return None if known is None else known[1]

    def require_rebound(self, leaf: Any, path: str) -> None:
        """Raise for an array of NumPy's: what is computed of it is not seen, but what `watch` gave for it."""
        if isinstance(leaf, np.ndarray):
            raise WeftValueError(
                f"the result does not depend on what watch({path}) gave, and what is computed of {path} itself is not "
                f"seen by a tape in plain Python: write {path} = tape.watch({path}) and use that"
            )

    def instead(self, path: str) -> str:
        """What to write where a tape did not see an array."""
        return (
            f"in plain Python it sees what is watched, so write {path} = tape.watch({path}) at the begin of the `with` "
            "block and use that; in a compiled function it sees all arrays that are read"
        )

    def connected(self, values: list[Any]) -> Container[Any]:
        """The values that others were computed of."""
        return nodes_behind(values, self._recorder.is_constant)
