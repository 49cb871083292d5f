"""Where derivatives are recorded: in the trace in progress, or in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from ..tracing.recorder import Recorder
from ..tracing.remembered import shown
from .eager import eager_recorder
from .structures import map_leaves


@contextmanager
def recording() -> Iterator[Recorder]:
    """The trace in progress, or the recorder of plain Python, which remembers what is computed in the block."""
    trace = current_trace()
    if trace is not None:
        yield trace
        return
    with eager_recorder().opened() as recorder:
        yield recorder


def delivered(value: Any) -> Any:
    """What a caller gets: NumPy's arrays and numbers in plain Python, where no tape looks at what he does with them."""
    if current_trace() is not None or eager_recorder().is_open:
        return value
    return map_leaves(lambda leaf, _: _plain(leaf), value, "")


def _plain(leaf: Any) -> Any:
    if not isinstance(leaf, TracedArray):
        return leaf
    storage = leaf._storage
    node = storage.value if storage.ref is None else storage.ref
    if not leaf._path and node.memory is not None:
        return node.memory  # an array of the caller's
    found = shown(leaf)
    return found.copy() if leaf._path or storage.ref is not None else found
