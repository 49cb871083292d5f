"""The table of the ops of StableHLO that are read, and what its rules are written in.

A rule gets a builder, the op and its operands, and returns the results, as values of the builder: an emitter of
`dialect/emitter.py`, in which rules of differentiation are written, too. What an op means is StableHLO's specification;
where that leaves the answer open, it is what XLA computes on processors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ....dialect.attributes import type_from_mlir
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.mlir import Operation
from ....dialect.op_emitter import OpEmitter
from ....dialect.records import NamedTuple
from ....dialect.types import TensorType


class Refused(Exception):
    """An op of which weft has no such form; the message says of which."""


class Builder(OpEmitter):
    """Makes ops of the weft dialect for those of StableHLO."""

    known_elements: dict[Any, list[Extent]]
    """The elements of tensors that are made of extents, by their SSA values: shapes are computed in tensors."""

    @abstractmethod
    def inlined(self, block: Any, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a block returns for its arguments; its ops are made here."""

    @abstractmethod
    def applied(self, region: Any, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a region of scalars returns for tensors, element by element; refused if one of its ops is none of
        elements."""

    @abstractmethod
    def outer(self, value: Any) -> Tensor:
        """A value that is defined already, or that of a constant."""

    @abstractmethod
    def called(self, name: str, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a function of the module returns."""

    def elements(self, x: Tensor) -> list[Extent]:
        """The elements of a tensor of integers of rank 1, which are extents or places."""
        found = self.known_elements.get(x.handle)
        if found is None:
            (count,) = x.shape
            if count is None:
                raise Refused("takes a shape of which the rank is not known")
            wide = self.converted(x, INT64)
            found = [self.reshape(self.along(wide, 0, i, i + 1), shape=()) for i in range(count)]
        return found

    def extents_of(self, shape: Tensor, declared: TensorType) -> list[Extent]:
        """The extents that a tensor tells, as far as the type of the result does not."""
        given = self.elements(shape)
        return [given[axis] if known is None else known for axis, known in enumerate(declared.shape)]

    def moved(self, x: Tensor, permutation: Sequence[int]) -> Tensor:
        """The axes in another order."""
        if tuple(permutation) == tuple(range(x.rank)):
            return x
        found: Tensor = self.transpose(x, permutation=tuple(permutation))
        return found

    def inserted(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """With axes of one element at some places of the result."""
        found: Tensor = self.expand_dims(x, axes=tuple(axes)) if axes else x
        return found

    def joined(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one behind the other."""
        while len(parts) > 1:
            pairs = [self.concat(a, b, axis=axis) for a, b in zip(parts[::2], parts[1::2], strict=False)]
            parts = [*pairs, *parts[len(pairs) * 2 :]]
        return parts[0]

    def clipped(self, x: Tensor, low: Any, high: Any) -> Tensor:
        """Numbers between two bounds; the lower one is taken where they meet."""
        found: Tensor = self.maximum(self.minimum(x, high), low)
        return found


Rule: TypeAlias = Callable[..., "Tensor | Sequence[Tensor]"]


class Row(NamedTuple):
    """How an op is read."""

    rule: Rule
    of_elements: bool
    """Whether it computes each element from those at its place, so that what it does to scalars it does to tensors."""
    summary: str
    """What is special about it, for people."""


RULES: dict[str, Row] = {}
"""The ops that are read, without the name of the dialect."""


def rule(*names: str, of_elements: bool = False, says: str = "") -> Callable[[Rule], Rule]:
    """Register a function as the rule of some ops; its docstring, or what `says` says, goes into the docs."""

    def register(function: Rule) -> Rule:
        summary = " ".join((says or function.__doc__ or "").split())
        for name in names:
            RULES[name] = Row(function, of_elements, summary)
        return function

    return register


def plain(names: dict[str, str]) -> None:
    """Register ops of elements that weft has, under names of its own."""

    def rule_of(own: str) -> Rule:
        def made(b: Builder, op: Operation, *operands: Tensor) -> Tensor:
            return b.one(own, *operands)

        return made

    for name, own in names.items():
        RULES[name] = Row(rule_of(own), True, f"`weft.{own}`.")


# What ops say


def ints(op: Operation, name: str, default: Sequence[int] = ()) -> list[int]:
    """An attribute that holds integers, in either of the forms that versions of StableHLO have."""
    if name not in op.attributes:
        return list(default)
    return [int(value) for value in op.attributes[name]]


def pairs(op: Operation, name: str, count: int) -> list[tuple[int, int]]:
    """An attribute that holds pairs of integers: what is put before and behind axes."""
    if name not in op.attributes:
        return [(0, 0)] * count
    numbers = np.array(op.attributes[name]).reshape(-1, 2)
    return [(int(low), int(high)) for low, high in numbers]


def number(op: Operation, name: str, default: int = 0) -> int:
    """An attribute that is an integer."""
    return int(op.attributes[name].value) if name in op.attributes else default


def flag(op: Operation, name: str) -> bool:
    """An attribute that is a boolean, false where there is none."""
    return name in op.attributes and bool(op.attributes[name].value)


def result_type(op: Operation, number: int = 0) -> TensorType:
    """The type that the op declares for a result."""
    found = type_from_mlir(op.results[number].type)
    assert isinstance(found, TensorType)
    return found
