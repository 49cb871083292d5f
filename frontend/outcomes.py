"""What a compiled function gives back: which outputs of the machine code make up its result, and how.

A result is built anew at each call from computed arrays, from the caller's own arguments, and from constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..dialect.types import RefType, TensorType
from .array import TracedArray
from .results import RuntimeChoice, RuntimeLength, RuntimeNone, flatten_results, list_of
from .runtime_values import Frozen, RuntimeValue
from .signature import Leaf, Structure, unflatten
from .storage import ViewStep

if TYPE_CHECKING:
    from .trace import Trace

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True)
class ComputedResult:
    """A result that compiled code computes into a fresh array."""

    index: int
    is_scalar: bool
    """Whether NumPy would give a scalar where the rank is 0."""
    is_python: bool = False
    """Whether it is an extent, or made of extents, which are Python numbers in NumPy."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        output = outputs[self.index]
        if self.is_python:
            return output.item()
        return output[()] if self.is_scalar and output.ndim == 0 else output


@dataclass(frozen=True)
class ArgumentResult:
    """A result that is an argument, or a view of one: made again on the caller's array, as in NumPy."""

    argument: int
    path: tuple[ViewStep, ...]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        value = leaves[self.argument]
        for step in self.path:
            absent = ((),) * (len(step.op_class.operand_fields()) - 1)
            value = step.op_class.evaluate(value, *absent, **step.attributes)
        return value


@dataclass(frozen=True)
class OptionalResult:
    """A result that is None where an output is true."""

    is_none: ComputedResult
    value: Result

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return None if self.is_none.build(outputs, leaves) else self.value.build(outputs, leaves)


@dataclass(frozen=True)
class ChosenResult:
    """One of several constants."""

    index: ComputedResult
    options: tuple[Any, ...]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.options[int(self.index.build(outputs, leaves))]


@dataclass(frozen=True)
class ListResult:
    """A list whose length is known at run time: its items are entries of arrays."""

    item: Structure
    columns: tuple[tuple[ComputedResult, bool], ...]
    """For every array in an item all of them in one output, and whether they are Python numbers."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        arrays = [column.build(outputs, leaves) for column, _ in self.columns]
        return list_of(self.item, arrays, [is_python for _, is_python in self.columns])


@dataclass(frozen=True)
class ThawedResult:
    """A Python value that is made of outputs, as a string is."""

    first: int
    last: int
    thaw: Callable[[Sequence[Array]], Any]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.thaw(outputs[self.first : self.last])


@dataclass(frozen=True)
class Result:
    """A nested value whose leaves are made at run time."""

    structure: Structure
    leaves: tuple[
        ComputedResult | ArgumentResult | OptionalResult | ChosenResult | ListResult | ThawedResult, ...
    ]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        if self.structure == _ONE_RESULT:
            return self.leaves[0].build(outputs, leaves)
        return unflatten(self.structure, lambda i: self.leaves[i].build(outputs, leaves))


_ONE_RESULT = Leaf(0)


class Outputs:
    """Collects the values that compiled code has to return; what is given back twice is computed once."""

    def __init__(self, trace: Trace, argument_of: Callable[[int], int]) -> None:
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
        if not isinstance(leaf, TracedArray) and trace.outside is not None:
            known = trace.outside.input_of(leaf)
            leaf = leaf if known is None else known
        if not isinstance(leaf, TracedArray):
            leaf = trace.wrap(trace.value_of(np.asarray(leaf)))
        storage = leaf._storage
        trace.require_active(leaf)
        if storage.argument is not None and not any(step.operands for step in leaf._path):
            return ArgumentResult(self._argument_of(storage.argument), leaf._path)
        return self._computed(leaf)

    def _thawed(self, frozen: Frozen) -> ThawedResult:
        first, thaw = len(self.values), frozen.thaw
        for value in frozen.operands:
            self.values.append(value)
            self.types.append(self._trace.wrap(value).type)
        return ThawedResult(first, len(self.values), lambda arrays: thaw(arrays)[0])

    def _computed(self, leaf: TracedArray) -> ComputedResult:
        storage = leaf._storage
        key = id(storage) if not leaf._path else id(leaf)
        is_scalar = not leaf._path or storage.type.rank == 0
        is_python = leaf._python_type is not None
        if key not in self._known:
            self._known[key] = len(self.values), leaf
            self.types.append(leaf.type)
            self.values.append(leaf._value())
        return ComputedResult(self._known[key][0], is_scalar, is_python)


def view_type(base: TensorType, path: tuple[ViewStep, ...]) -> TensorType:
    """The type of a view of an array."""
    for step in path:
        (result,) = step.op_class.result_types([base], step.attributes)
        if isinstance(result, RefType):
            break
        base = result
    return base


__all__ = [
    "ArgumentResult",
    "ChosenResult",
    "ComputedResult",
    "ListResult",
    "OptionalResult",
    "Outputs",
    "Result",
    "ThawedResult",
    "view_type",
]
