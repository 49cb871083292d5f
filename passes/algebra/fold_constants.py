"""Evaluate what is known at compile time with the NumPy reference of each op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ...dialect.mlir import Attribute, Module, Operation, Type, ir
from ...dialect.op import Array, Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..base import Pass, Statistics
from ..rewriting import Graph, defined_functions, type_of

_CANNOT_EVALUATE = (ArithmeticError, LookupError, ValueError)
"""What NumPy raises where a compiled program would meet an error, or what is not defined: not folded."""


@dataclass(frozen=True)
class FoldConstants(Pass):
    """Replace pure ops whose operands are all constants by constants, unless a result has too many elements.

    That goes for the elements of constants, too, which branches and loops are decided by.

    The extent of a static axis is a constant, too. A `weft.raise_if` whose condition is false is removed;
    one whose condition is true stays, since it is an effect.
    """

    name: ClassVar[str] = "weft-fold"

    max_elements: int = 64
    """Results of more elements stay computed at run time: constants are part of the code."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Fold all functions in program order, so that one pass over the ops suffices."""
        for function in defined_functions(module):
            graph = Graph(function)
            for operation in graph.operations:
                op_class = op_class_of(operation)
                if op_class is not None:
                    self._fold(graph, operation, op_class, statistics)
                elif operation.name in _ELEMENTS and _ELEMENTS[operation.name](graph, operation):
                    statistics["ops folded"] += 1
            graph.erase_unused()

    def _fold(self, graph: Graph, operation: Operation, op_class: type[Op], statistics: Statistics) -> None:
        if op_class is RaiseIf:
            condition = graph.constant(operation.operands[0])
            if condition is not None and not condition:
                graph.replace(operation, [])
                statistics["checks removed"] += 1
            return
        if op_class is Constant or op_class.opaque or not op_class.is_pure():
            return
        if op_class is not Dim and not all(map(graph.is_constant, operation.operands)):
            return
        if not self._is_small(operation):
            return
        values = _static_extent(operation) if op_class is Dim else None
        if values is None:
            values = _evaluate(graph, operation, op_class)
        if values is None:
            return
        constants = [graph.create(operation, Constant, [], value=value).results[0] for value in values]
        graph.replace(operation, constants)
        statistics["ops folded"] += 1

    def _is_small(self, operation: Operation) -> bool:
        sizes = [type_of(result).size for result in operation.results]
        return all(size is not None and size <= self.max_elements for size in sizes)


def _fold_extract(graph: Graph, operation: Operation) -> bool:
    """An element of a constant is a constant; those of unsigned types have none in upstream's dialects."""
    array = graph.constant(operation.operands[0])
    if array is None or array.dtype.kind not in "bif":
        return False
    indices = [graph.scalar(index) for index in list(operation.operands)[1:]]
    known = [index.value for index in indices if index is not None]
    if len(known) < len(indices):
        return False
    element = array[tuple(known)]
    graph.replace(operation, [graph.create_scalar(operation, _scalar(element, operation.results[0].type))])
    return True


def _scalar(element: Any, mlir_type: Type) -> Attribute:
    if element.dtype.kind == "f":
        return ir.FloatAttr.get(mlir_type, float(element), loc=ir.Location.unknown())
    return ir.IntegerAttr.get(mlir_type, int(element))


def _fold_from_elements(graph: Graph, operation: Operation) -> bool:
    """A tensor of constants is a constant."""
    elements = [graph.scalar(element) for element in operation.operands]
    known = [element.value for element in elements if element is not None]
    if len(known) < len(elements):
        return False
    made = type_of(operation.results[0])
    array = np.array(known, made.dtype).reshape([extent or 0 for extent in made.shape])
    graph.replace(operation, [graph.create(operation, Constant, [], value=array).results[0]])
    return True


def _fold_constant(graph: Graph, operation: Operation) -> bool:
    """Constants of upstream become ours, which all passes look for."""
    array = graph.constant(operation.results[0])
    if array is None:
        return False
    graph.replace(operation, [graph.create(operation, Constant, [], value=array).results[0]])
    return True


_ELEMENTS: Mapping[str, Callable[[Graph, Operation], bool]] = MappingProxyType(
    {
        "arith.constant": _fold_constant,
        "tensor.extract": _fold_extract,
        "tensor.from_elements": _fold_from_elements,
    }
)
"""What folds ops of other dialects; each tells whether it did."""


def _static_extent(operation: Operation) -> tuple[Array, ...] | None:
    """What `weft.dim` of a static axis gives, whatever the tensor."""
    extent = type_of(operation.operands[0]).shape[decode_attributes(Dim, operation)["axis"]]
    return None if extent is None else (np.asarray(extent, np.int64),)


def _evaluate(graph: Graph, operation: Operation, op_class: type[Op]) -> tuple[Array, ...] | None:
    """The results of an op on constants, or None when an operand is no constant or NumPy refuses them."""
    operands: list[Array] = []
    for operand in operation.operands:
        array = graph.constant(operand)
        if array is None:
            return None
        operands.append(array)
    try:
        values = op_class.compute(operands, decode_attributes(op_class, operation))
    except _CANNOT_EVALUATE:
        return None
    declared = [type_of(result) for result in operation.results]
    return values if [TensorType(v.shape, v.dtype) for v in values] == declared else None
