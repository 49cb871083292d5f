"""A program at stage "optimized" as it is cut in pieces: its values with their blocks, and which of them are kept.

A value is kept where it is combined of parts of all blocks, or where all of it is needed at once; everything else is
computed again in each piece that needs a region of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import PartitionError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Effect, Op
from ...dialect.ops.contraction import Contract, Matmul
from ...dialect.ops.creation import Constant
from ...dialect.ops.state import RaiseIf
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..rewriting import blocks_of, operations_in, operations_of
from .partials import WAYS
from .regions import Cuts, whole
from .rule import AxisCuts, Mismatch, Rule, Use
from .rules import rule_of

_COSTLY = frozenset({"contraction", "fourier", "linear_algebra", "random", "sorting"})
"""Families of ops that are not done again for each block where their result is the same for all."""

_LARGE = 64
"""A constant with more elements, of which pieces take parts, comes to them as an array."""


class ValueOf(NamedTuple):
    """What is known of a value."""

    value: Value
    type: TensorType | None
    """None for numbers that are no tensors."""
    cuts: AxisCuts
    site: int
    """The number of the op that makes it; -1 for arguments."""


class Site:
    """An op of the program."""

    def __init__(self, number: int, operation: Operation) -> None:
        self.number = number
        self.operation = operation
        self.op_class: type[Op] | None = op_class_of(operation)
        self.attributes: dict[str, Any] = (
            {} if self.op_class is None else decode_attributes(self.op_class, operation)
        )
        self.rule: Rule = Rule() if len(operation.regions) else rule_of(self.op_class)
        self.operands: list[int] = []
        self.results: list[int] = []
        self.use = Use({}, (), ())
        self.is_kept = False
        self.is_combined = False
        """Whether its result is made of parts of all blocks."""

    @property
    def place(self) -> str:
        """Where it is in the user's program."""
        return str(self.operation.location)


class Gathered(NamedTuple):
    """An array of which an op needs several blocks at once."""

    site: Site
    value: ValueOf
    axes: tuple[int, ...]
    """Those along which it needs all."""

    @property
    def size(self) -> int:
        """The bytes that come together in one place."""
        extents = (
            axis.extent if number in self.axes else max(axis.sizes)
            for number, axis in enumerate(self.value.cuts)
        )
        return math.prod(extents) * (0 if self.value.type is None else self.value.type.dtype.itemsize)


class Program:
    """The ops of a function, in order, for arguments in blocks."""

    def __init__(self, module: Module, function: Operation, cuts: Sequence[AxisCuts]) -> None:
        self.module = module
        self.values: list[ValueOf] = []
        self.numbers: dict[Value, int] = {}
        self.sites: list[Site] = []
        self.kept: set[int] = set()
        self.checks: list[Site] = []
        """The ops that may end the call."""
        self.gathered: list[Gathered] = []
        entry = function.regions[0].blocks[0]
        for argument, own in zip(entry.arguments, cuts, strict=True):
            type = type_from_mlir(argument.type)
            if not isinstance(type, TensorType):
                raise PartitionError(
                    "arrays in blocks are not written, as other tasks may use them; this function writes to one "
                    "of its arguments: work on a copy, and return that"
                )
            self._add(argument, type, own, -1)
        *operations, end = operations_in(entry)
        for operation in operations:
            self._add_site(operation)
        self.outputs = [self.numbers[value] for value in end.operands]

    @property
    def arguments(self) -> int:
        """How many there are: they are the first values."""
        return sum(value.site < 0 for value in self.values)

    def is_leaf(self, number: int) -> bool:
        """Whether a value comes to pieces from outside."""
        found = self.values[number]
        if found.site < 0 or number in self.kept:
            return True
        site = self.sites[found.site]
        return site.op_class is Constant and is_large(site)

    def _add(self, value: Value, type: TensorType | None, cuts: AxisCuts, site: int) -> int:
        number = self.numbers[value] = len(self.values)
        self.values.append(ValueOf(value, type, cuts, site))
        return number

    def _add_site(self, operation: Operation) -> None:
        site = Site(len(self.sites), operation)
        self.sites.append(site)
        _require_pure(site)
        site.operands = [self.numbers[value] for value in _operands(operation)]
        types = [self._static_type(site, result) for result in operation.results]
        cuts = tuple(self.values[number].cuts for number in site.operands)
        shapes = tuple(() if type is None else _shape(type) for type in types)
        site.use = Use(site.attributes, cuts, shapes)
        try:
            found = site.rule.cuts(site.use)
        except Mismatch as error:
            raise PartitionError(self._told(error), site.place) from None
        if any(_may_end(op) for op in _inside(operation)):
            self.checks.append(site)
        self._look_along(site)
        for result, type, own in zip(operation.results, types, found, strict=True):
            site.results.append(self._add(result, type, own, site.number))
        if site.is_combined or self._is_costly(site):
            self._keep(site)

    def _look_along(self, site: Site) -> None:
        """Keep what is combined, and what is needed all at once."""
        for place, (number, axes) in enumerate(zip(site.operands, site.rule.along(site.use), strict=True)):
            value = self.values[number]
            split = [axis for axis in axes if value.cuts[axis].is_split]
            if not split:
                continue
            if site.op_class in WAYS and self._is_combinable(site, place):
                site.is_combined = True
            else:
                self.gathered.append(Gathered(site, value, tuple(axes)))
                if value.site >= 0:
                    self._keep(self.sites[value.site])

    def _keep(self, site: Site) -> None:
        """Let what an op makes come to pieces from outside."""
        if site.op_class is Constant or any(self.values[number].type is None for number in site.results):
            return
        site.is_kept = True
        self.kept.update(site.results)

    def _is_combinable(self, site: Site, place: int) -> bool:
        """Whether parts of the operands lie at the same places along what is reduced."""
        if site.op_class not in (Contract, Matmul):
            return place == 0
        own, other = (self.values[number].cuts for number in site.operands)
        return all(
            one.points == another.points or not (one.is_split and another.is_split)
            for one, another in contracted_axes(site, own, other)
        )

    def _is_costly(self, site: Site) -> bool:
        """Whether a result that is the same for all blocks takes long."""
        if any(axis.is_split for number in site.results for axis in self.values[number].cuts):
            return False
        is_of_all = any(self.values[number].site >= 0 and number in self.kept for number in site.operands)
        family = None if site.op_class is None else site.op_class.family
        costs = len(site.operation.regions) > 0 or family in _COSTLY
        return bool(site.results) and (
            costs or (is_of_all and type(site.rule) is Rule and family is not None)
        )

    def _static_type(self, site: Site, result: Value) -> TensorType | None:
        if not isinstance(result.type, ir.RankedTensorType):
            return None
        type = type_from_mlir(result.type)
        if not isinstance(type, TensorType) or not type.is_static:
            raise PartitionError(
                "the size of this is known only when it runs, so that nobody knows its blocks; use np.where, or "
                "select what you need of the result",
                site.place,
            )
        return type

    def _told(self, error: Mismatch) -> str:
        sides = []
        for cuts in (error.one, error.other):
            (argument, axis), *_ = sorted(cuts.origins) or [(-1, 0)]
            name = str(self.values[argument].value.location) if argument >= 0 else "an array"
            sides.append(f"{_name(name)} has the chunks {_few(cuts.sizes)} along its axis {axis}")
        return f"{sides[0]}, {sides[1]}: blocks that are used together lie at the same places; rechunk one of them"


def _name(location: str) -> str:
    """The name in the location of an argument."""
    return location.split('"')[1] if '"' in location else location


def _few(sizes: Sequence[int]) -> str:
    return str(tuple(sizes)) if len(sizes) < 7 else f"({', '.join(map(str, sizes[:5]))}, ...)"


def contracted_axes(site: Site, own: AxisCuts, other: AxisCuts) -> Iterator[tuple[Cuts, Cuts]]:
    """The pairs of axes of two operands that are summed together."""
    if "spec" in site.attributes:
        x, y, result = _labels(site.attributes["spec"])
        for label in x:
            if label in y and label not in result:
                yield own[x.index(label)], other[y.index(label)]
    else:
        yield own[-1], other[-2]


def _labels(spec: str) -> tuple[str, str, str]:
    inputs, _, result = spec.partition("->")
    x, _, y = inputs.partition(",")
    return x, y, result


def is_large(site: Site) -> bool:
    """Whether a constant comes to pieces as an array."""
    value = site.attributes["value"]
    return bool(value.size > _LARGE and (value != value.reshape(-1)[0]).any())


def _shape(type: TensorType) -> tuple[int, ...]:
    return tuple(extent or 0 for extent in type.shape)


def _inside(operation: Operation) -> list[Operation]:
    return [operation, *(operations_of(operation) if len(operation.regions) else ())]


def _operands(operation: Operation) -> list[Value]:
    """What an op uses, and what is used inside of it, of outside."""
    if not len(operation.regions):
        return list(operation.operands)
    inside: set[Value] = set()
    for op in _inside(operation):
        inside.update(op.results)
        for block in blocks_of(op):
            inside.update(block.arguments)
    used = [value for op in _inside(operation) for value in op.operands]
    return list(dict.fromkeys(value for value in used if value not in inside))


def _may_end(operation: Operation) -> bool:
    return op_class_of(operation) is RaiseIf


_PURE = ("scf.", "arith.", "tensor.", "math.", "complex.", "cf.", "ub.", "special.", "affine.")


def _require_pure(site: Site) -> None:
    """Refuse what is seen from outside: pieces may run anywhere, in any order, and again."""
    for operation in _inside(site.operation):
        op_class = op_class_of(operation)
        if op_class is None and operation.name.startswith(_PURE):
            continue
        if op_class is not None and not set(op_class.effects) - {Effect.ALLOCATE, Effect.CONTROL}:
            continue
        what = "reads or writes what changes" if op_class is not None else "prints, or calls Python"
        raise PartitionError(
            f"this {what}, in a function that was given arrays in blocks: its pieces run in other processes, in any "
            "order, and again where a worker dies; do it outside of the function",
            str(operation.location),
        )


def uncut(shape: Sequence[int]) -> AxisCuts:
    """An array that is one block."""
    return tuple(map(whole, shape))


def constant_of(site: Site) -> np.ndarray[Any, Any]:
    """The array of a constant."""
    found: np.ndarray[Any, Any] = site.attributes["value"]
    return found
