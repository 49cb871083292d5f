"""A function of the weft dialect, at stage "optimized", as a module of StableHLO.

Arguments that are written become results, behind those of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.emitter import Tensor
from ...dialect.made_ops import function_of, operation_of
from ...dialect.mlir import Module, Operation, ir
from ...dialect.op import Op
from ...dialect.ops.slicing import DynamicSlice
from ...dialect.register import decode_attributes
from ...dialect.types import RefType, TensorType
from ..graph_writers.walk import ModuleWriter
from .context import stablehlo
from .writers import elementwise, indexing, products, reductions, shapes
from .writers.table import WRITERS as WRITERS
from .writers.table import Builder

FAMILIES = (elementwise, shapes, products, reductions, indexing)
"""The modules that fill the table."""


class Writing(ModuleWriter, Builder):
    """Writes one function."""

    def __init__(self, module: Module, checks: bool) -> None:
        super().__init__(module, checks)
        stablehlo()
        self._written: list[int] = []
        """The arguments that are cells."""

    def of(
        self,
        symbol: str,
        given: Mapping[int, np.ndarray[Any, Any]],
        results: Callable[[list[Tensor], list[Tensor]], list[Tensor]],
    ) -> Module:
        """The module of a function, in which some arguments are known.

        `results` makes what it returns of what the function returns and of all arguments, as they are then; those that
        are written follow.
        """
        entry = self.entry(symbol)
        (block,) = entry.regions[0].blocks
        types = [type_from_mlir(argument.type) for argument in block.arguments]
        tensors = [found.tensor if isinstance(found, RefType) else found for found in types]
        open_ = [place for place in range(len(types)) if place not in given]
        module = ir.Module.create()
        inputs = [type_to_mlir(tensors[place]) for place in open_]
        with ir.InsertionPoint(module.body):
            function = function_of("main", inputs, location=entry.location)
        body = function.regions[0].blocks.append(
            *inputs, arg_locs=[block.arguments[place].location for place in open_]
        )
        with ir.InsertionPoint(body):
            own = iter(map(self.value, body.arguments))
            arguments = [
                self.array(given[place]) if place in given else next(own) for place in range(len(types))
            ]
            outputs, cells = self.run(symbol, arguments)
            self._written = list(cells)
            made = results(outputs, [cells.get(place, tensor) for place, tensor in enumerate(arguments)])
            made += [value for place, value in cells.items() if place in open_]
            operation_of("func.return", [value.handle for value in made], location=entry.location)
        kinds = ir.FunctionType.get(inputs, [value.handle.type for value in made])
        function.attributes["function_type"] = ir.TypeAttr.get(kinds)
        return module

    def is_written(self, place: int) -> bool:
        """Whether the function writes one of its arguments."""
        return place in self._written

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value of which more is known, or less."""
        if value.type == wanted:
            return value
        if wanted.is_static:
            return self.make("reshape", [value], wanted)
        return self.make("dynamic_reshape", [value, self.shape_of(self.extents(value))], wanted)

    def stand_in(self, wanted: TensorType) -> Tensor:
        """What stands for a result that cannot be written."""
        return self.make("custom_call", [], wanted, call_target_name=ir.StringAttr.get("refused"))

    def of_weft(self, op_class: type[Op], op: Operation) -> Sequence[Tensor]:
        """Write an op of weft; that of a part is not told its size by its attributes."""
        if op_class is not DynamicSlice:
            return super().of_weft(op_class, op)
        grouped = op_class.group_operands(self._operands(op))
        return [indexing.dynamic_slice(self, self._size(op), *grouped, **decode_attributes(op_class, op))]

    def _size(self, op: Operation) -> TensorType:
        """The type of a part of a tensor, as it or its uses tell it."""
        found = self.tensor_type_of(op.results[0].type)
        for use in op.results[0].uses:
            if use.owner.name == "tensor.cast" and not found.is_static:
                found = self.tensor_type_of(use.owner.results[0].type)
        return found
