"""Which array of the caller's a result is, where a branch or loop decided: `y = a if c else b` is a or b itself.

Branches and loops hand on elements, not arrays. For a result that may be one of the caller's arrays a number is handed
on beside them, through cells that are written at the end of each region and read behind the op; the passes make values
of them. 0 stands for what was computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.mlir import Value, ir
from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.register import context, create
from ...dialect.types import TensorType
from ..tracing.array import TracedArray
from ..tracing.recorder import ABSENT, BEFORE_LOOP, Recorder, Storage
from .result_spec import COMPUTED

_NUMBER = TensorType((), np.dtype(np.int64))


class Origins:
    """Tells of arrays that branches and loops handed on which they are."""

    def __init__(self, trace: Recorder, number_of: Callable[[TracedArray], int]) -> None:
        self._trace = trace
        self._number_of = number_of
        """The number of an array that the caller has; COMPUTED for others."""
        self._numbers: dict[Storage, Value] = {}

    def possible(self, storage: Storage) -> set[int]:
        """The numbers of what a storage may be."""
        found: set[int] = set()
        pending, met = [storage], {storage}
        while pending:
            handed = pending.pop().handed
            for _, value in () if handed is None else handed.values:
                source = self._source(value)
                if isinstance(source, int):
                    found.add(source)
                elif source is not None and source not in met:
                    met.add(source)
                    pending.append(source)
        return found

    def number(self, storage: Storage) -> TracedArray:
        """An i64[]: which of them it is."""
        return TracedArray(Storage(self._trace, self._read(storage), _NUMBER))

    def _source(self, value: Any) -> int | Storage | None:
        """The number of what was handed on, or what knows it; None where nothing looks at it."""
        state = self._trace.python_state
        if value is ABSENT:
            return None
        if type(value) is np.ndarray and state is not None:
            value = state.returned(value)
        if not isinstance(value, TracedArray) or value._is_scalar:
            return COMPUTED
        if value._storage.handed is not None and not value._path and value._is_another is False:
            return value._storage
        return self._number_of(value)

    def _read(self, storage: Storage) -> Value:
        """The number of a storage, where its value is defined."""
        if storage in self._numbers:
            return self._numbers[storage]
        handed = storage.handed
        assert handed is not None
        with context(), ir.Location.unknown():
            start = ir.InsertionPoint.at_block_begin(self._trace.entry.block)
            initial = _made(start, Constant, [], {"value": np.array(COMPUTED, np.int64)})
            cell = _made(start, AllocRef, [initial], {})
            op, to, values = handed
            behind = (
                ir.InsertionPoint.after(op)
                if to is None
                else ir.InsertionPoint.at_block_begin(op.regions[to].blocks[0])
            )
            number = self._numbers[storage] = _made(behind, ReadRef, [cell], {})
            for region, value in values:
                source = self._source(value)
                if source is None:
                    continue
                point = (
                    ir.InsertionPoint(op)
                    if region == BEFORE_LOOP
                    else ir.InsertionPoint.at_block_terminator(op.regions[region].blocks[0])
                )
                written = (
                    _made(point, Constant, [], {"value": np.array(source, np.int64)})
                    if isinstance(source, int)
                    else self._read(source)
                )
                _create(point, WriteRef, [cell, written], {})
        return number


def _create(point: Any, op_class: type[Op], operands: list[Value], attributes: dict[str, Any]) -> Any:
    """Create an op at a point of the program."""
    with point:
        return create(op_class, operands, attributes)


def _made(point: Any, op_class: type[Op], operands: list[Value], attributes: dict[str, Any]) -> Value:
    return _create(point, op_class, operands, attributes).results[0]


__all__ = ["Origins"]
