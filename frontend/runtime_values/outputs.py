"""What a trace gives back: which values compiled code has to return, and how the result is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.types import TensorType
from ..tracing.array import TracedArray, wrap
from ..tracing.staging import value_of
from .result_spec import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ListResult,
    OptionalResult,
    Result,
    ThawedResult,
)
from .results import RuntimeChoice, RuntimeLength, RuntimeNone, flatten_results
from .values import Frozen, RuntimeValue

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder


class Outputs:
    """Collects the values that compiled code has to return; what is given back twice is computed once."""

    def __init__(self, trace: Recorder, argument_of: Callable[[int], int]) -> None:
        self._trace = trace
        self._argument_of = argument_of
        """For the arguments of the trace the positions among the arrays of a call."""
        self.values: list[Any] = []
        self.types: list[TensorType] = []
        self._known: dict[int, tuple[int, TracedArray]] = {}

    def collect(self, value: Any) -> Result:
        """Take a nested value apart."""
        leaves: list[Any] = []
        structure = flatten_results(value, leaves)
        return Result(structure, tuple(map(self._leaf, leaves)))

    def _leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, RuntimeNone):
            return OptionalResult(self._computed(leaf.is_none), self.collect(leaf.value))
        if isinstance(leaf, RuntimeChoice):
            return ChosenResult(self._computed(leaf.index), leaf.options)
        if isinstance(leaf, RuntimeLength):
            item, columns = leaf.columns()
            return ListResult(item, tuple((self._computed(column), python) for column, python in columns))
        trace = self._trace
        if isinstance(leaf, RuntimeValue):
            return self._thawed(Frozen(trace, (leaf,)))
        if not isinstance(leaf, TracedArray) and trace.python_state is not None:
            known = trace.python_state.input_of(leaf)
            leaf = leaf if known is None else known
        if not isinstance(leaf, TracedArray):
            leaf = wrap(trace, value_of(trace, np.asarray(leaf)))._as_array(isinstance(leaf, np.ndarray))
        storage = leaf._storage
        trace.require_active(storage, leaf.type)
        for assumption in (storage.assumption, *leaf._assumptions):
            if assumption is not None:
                assumption.returned()
        if storage.argument is not None and not any(step.operands for step in leaf._path):
            return ArgumentResult(self._argument_of(storage.argument), leaf._path)
        return self._computed(leaf)

    def _thawed(self, frozen: Frozen) -> ThawedResult:
        first, thaw = len(self.values), frozen.thaw
        for value in frozen.operands:
            self.values.append(value)
            self.types.append(wrap(self._trace, value).type)
        return ThawedResult(first, len(self.values), lambda arrays: thaw(arrays)[0])

    def _computed(self, leaf: TracedArray) -> ComputedResult:
        storage = leaf._storage
        key = id(storage) if not leaf._path else id(leaf)
        is_scalar = leaf._is_scalar
        is_python = leaf._python_type is not None
        if key not in self._known:
            self._known[key] = len(self.values), leaf
            self.types.append(leaf.type)
            self.values.append(leaf._value())
        return ComputedResult(self._known[key][0], is_scalar, is_python)


__all__ = ["Outputs"]
