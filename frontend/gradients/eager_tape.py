"""What a tape does in plain Python: arrays that remember how they were computed, once they are watched."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from ...dialect.ops.differentiation import Independent
from ..tracing.array import TracedArray
from ..tracing.recorder import Storage
from .eager import Node, eager_recorder, nodes_behind
from .independent import independent, next_number
from .tape_requests import Recording


class EagerTape(Recording):
    """A tape that was entered in plain Python."""

    def __init__(self) -> None:
        self.trace = self._recorder = eager_recorder()
        self._recorder.open()
        self._watched: dict[Storage, Node] = {}
        self._arrays: dict[int, tuple[Any, TracedArray]] = {}
        """As that of the recorder, which forgets them when no tape is open."""

    def close(self) -> None:
        """The `with` block ends."""
        self._arrays = {**self._recorder.arrays, **self._arrays}
        self._watched = {**self._recorder.independent, **self._watched}
        self._recorder.close()

    def watch(self, leaf: Any, path: str) -> Any:
        """What is used in place of an array or number, by which gradients are asked for."""
        array = self.array_of(leaf)
        if array is None or array._path or array._python_type is not None:
            made = independent(self.trace, leaf)
            self._watched[made.array._storage] = made.value
            if isinstance(leaf, np.ndarray):
                self._arrays[id(leaf)] = self._recorder.arrays[id(leaf)] = (leaf, made.array)
            return made.array
        storage = array._storage
        (node,) = self.trace.create(Independent, [array._value()], {"number": next_number()})
        node.memory = array._value().memory
        if storage.ref is None:
            storage.value = node
        else:
            storage.ref.node = node
        storage.version += 1
        self._watched[storage] = node
        return array

    def require_usable(self) -> None:
        """Gradients can be asked for at any time."""

    def found(self, storage: Storage) -> Any:
        """The independent value of an array; None for one that was not watched."""
        return self._watched.get(storage) or self._recorder.independent.get(storage)

    def is_own(self, storage: Storage) -> bool:
        """Whether an array is not watched."""
        return self.found(storage) is None

    def array_of(self, leaf: Any) -> TracedArray | None:
        """The recorded array for one that is watched; None for what has none."""
        if isinstance(leaf, TracedArray):
            return leaf
        known = self._arrays.get(id(leaf)) or self._recorder.arrays.get(id(leaf))
        return None if known is None else known[1]

    def instead(self, path: str) -> str:
        """What to write where a tape did not see an array."""
        return (
            f"in plain Python it sees what is watched, so write {path} = tape.watch({path}) at the begin of the `with` "
            "block and use that; in a compiled function it sees all arrays that are read"
        )

    def connected(self, values: list[Any]) -> Container[Any]:
        """The values that others were computed of."""
        return nodes_behind(values)


__all__ = ["EagerTape"]
