"""A function of the weft dialect, at stage "optimized", as a module of StableHLO.

Arguments that are written become results: what is read of a cell is the value that it has at that point, and branches
and loops hand on the values of the cells that they write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.emitter import Tensor
from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.slicing import DynamicSlice
from ...dialect.ops.state import WriteRef
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import RefType, TensorType
from ...passes.rewriting import operations_of
from .context import stablehlo
from .writers import elementwise, indexing, products, reductions, scalars, shapes, special
from .writers.scalars import SCALAR_WRITERS, dtype_of
from .writers.table import WRITERS, Builder, Unsaid

FAMILIES = (elementwise, special, shapes, products, reductions, indexing, scalars)
"""The modules that fill the table."""

_ENDS = ("func.return", "scf.yield", "scf.condition")


class Writing(Builder):
    """Writes one function."""

    def __init__(self, module: Module, checks: bool) -> None:
        super().__init__()
        stablehlo()
        self._functions = {
            view.operation.attributes["sym_name"].value: view.operation
            for view in module.body.operations
            if view.operation.name == "func.func"
        }
        self._checks = checks
        self._values: dict[Value, Tensor] = {}
        self._cells: dict[Value, Tensor] = {}
        self._written: list[int] = []
        """The arguments that are cells."""
        self.refused: list[tuple[str, str]] = []
        """What cannot be said: the location of an op, and why."""

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
        entry = self._functions[symbol]
        (block,) = entry.regions[0].blocks
        types = [type_from_mlir(argument.type) for argument in block.arguments]
        tensors = [found.tensor if isinstance(found, RefType) else found for found in types]
        open_ = [place for place in range(len(types)) if place not in given]
        module = ir.Module.create()
        inputs = [type_to_mlir(tensors[place]) for place in open_]
        with ir.InsertionPoint(module.body):
            function = ir.Operation.create(
                "func.func",
                attributes={
                    "sym_name": ir.StringAttr.get("main"),
                    "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, [])),
                },
                regions=1,
                loc=entry.location,
            )
        body = function.regions[0].blocks.append(
            *inputs, arg_locs=[block.arguments[place].location for place in open_]
        )
        with ir.InsertionPoint(body):
            own = iter(map(self.value, body.arguments))
            for place, argument in enumerate(block.arguments):
                tensor = self.array(given[place]) if place in given else next(own)
                (self._cells if isinstance(types[place], RefType) else self._values)[argument] = tensor
            outputs = self._block(block)
            arguments = [self._cells.get(a, self._values.get(a)) for a in block.arguments]
            made = results(outputs, arguments)  # type: ignore[arg-type]
            self._written = [place for place, a in enumerate(block.arguments) if a in self._cells]
            made += [self._cells[block.arguments[place]] for place in self._written if place in open_]
            ir.Operation.create("func.return", operands=[value.handle for value in made], loc=entry.location)
        kinds = ir.FunctionType.get(inputs, [value.handle.type for value in made])
        function.attributes["function_type"] = ir.TypeAttr.get(kinds)
        return module

    def is_written(self, place: int) -> bool:
        """Whether the function writes one of its arguments."""
        return place in self._written

    # Blocks

    def _block(self, block: Block) -> list[Tensor]:
        """Write the ops of a block; what it hands to the op around it."""
        for view in block.operations:
            op = view.operation
            if op.name in _ENDS:
                return [self._values[operand] for operand in op.operands]
            self.location = op.location
            try:
                results = self._op(op)
            except Unsaid as unsaid:
                results = self._refuse(op, str(unsaid))
            except ir.MLIRError:
                types = ", ".join(str(operand.type) for operand in op.operands)
                results = self._refuse(op, f"has no form for {types}")
            self.location = op.location
            for result, value in zip(op.results, results, strict=True):
                if result not in self._cells:
                    self._values[result] = self._declared(value, result)
        return []

    def _declared(self, value: Tensor, result: Value) -> Tensor:
        """A value with all that the type of a result says of its sizes."""
        if not isinstance(result.type, ir.RankedTensorType):
            return value
        wanted = type_from_mlir(result.type)
        assert isinstance(wanted, TensorType)
        shape = tuple(e if e is not None else w for e, w in zip(value.shape, wanted.shape, strict=True))
        return self.refined(value, value.type.with_shape(shape))

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value of which more is known, or less."""
        if value.type == wanted:
            return value
        if wanted.is_static:
            return self.make("reshape", [value], wanted)
        return self.make("dynamic_reshape", [value, self.shape_of(self.extents(value))], wanted)

    def _refuse(self, op: Operation, why: str) -> list[Tensor]:
        """Note why an op cannot be written; something of its types stands for its results."""
        self.refused.append((str(op.location), f"{op.name} {why}"))
        types = [self._tensor(result.type) for result in op.results]
        name = ir.StringAttr.get("refused")
        return [self.make("custom_call", [], found, call_target_name=name) for found in types]

    def _tensor(self, given: Any) -> TensorType:
        """The type of what stands for a value."""
        if not isinstance(given, ir.RankedTensorType):
            return TensorType((), dtype_of(given))
        found = type_from_mlir(given)
        assert isinstance(found, TensorType)
        return found

    # Ops

    def _op(self, op: Operation) -> Sequence[Tensor]:
        op_class = op_class_of(op)
        if op_class is not None:
            return self._of_weft(op_class, op)
        known = _STRUCTURE.get(op.name)
        if known is not None:
            return known(self, op)
        writer = SCALAR_WRITERS.get(op.name)
        if writer is None:
            raise Unsaid("is none of StableHLO")
        return [writer(self, op, *self._operands(op))]

    def _operands(self, op: Operation) -> list[Tensor]:
        return [self._values[operand] for operand in op.operands]

    def _of_weft(self, op_class: type[Op], op: Operation) -> Sequence[Tensor]:
        name = op_class.name
        if name == "read_ref":
            return [self._cells[op.operands[0]]]
        if name == "alloc_ref":
            self._cells[op.results[0]] = self._values[op.operands[0]]
            return [self._values[op.operands[0]]]
        if name == "write_ref":
            cell, value = op.operands
            self._cells[cell] = self._values[value]
            return []
        if name == "raise_if":
            if self._checks:
                error, message = (op.attributes[key].value for key in ("error", "message"))
                raise Unsaid(f"raises {error}, {message!r}: with checks=False, it is left out")
            return []
        attributes, operands = decode_attributes(op_class, op), self._operands(op)
        if op_class is DynamicSlice:
            grouped = op_class.group_operands(operands)
            return [indexing.dynamic_slice(self, self._size(op), *grouped, **attributes)]
        return self.emit(op_class, operands, attributes)

    def _size(self, op: Operation) -> TensorType:
        """The type of a part of a tensor, as it or its uses tell it."""
        found = self._tensor(op.results[0].type)
        for use in op.results[0].uses:
            if use.owner.name == "tensor.cast" and not found.is_static:
                found = self._tensor(use.owner.results[0].type)
        return found

    # Structure

    def _extract(self, op: Operation) -> Sequence[Tensor]:
        x, *places = self._operands(op)
        if not places:
            return [x]
        return [self.gather(x, *places, axes=tuple(range(x.rank)), position=0)]

    def _from_elements(self, op: Operation) -> Sequence[Tensor]:
        wanted = self._tensor(op.results[0].type)
        parts = self._operands(op)
        if not wanted.rank:
            return parts
        line = shapes.joined(self, [self.reshape(part, shape=(1,)) for part in parts], 0)
        return [self.make("reshape", [line], wanted)]

    def _cast(self, op: Operation) -> Sequence[Tensor]:
        return self._operands(op)

    def _call(self, op: Operation) -> Sequence[Tensor]:
        function = self._functions[op.attributes["callee"].value]
        if not function.regions[0].blocks:
            raise Unsaid("calls Python")
        (block,) = function.regions[0].blocks
        for argument, operand in zip(block.arguments, op.operands, strict=True):
            if operand in self._cells:
                raise Unsaid("calls a function that calls itself")
            self._values[argument] = self._values[operand]
        return self._block(block)

    def _written_in(self, op: Operation) -> list[Value]:
        """The cells from outside that the regions of an op write."""
        return list(
            dict.fromkeys(
                inner.operands[0]
                for inner in operations_of(op)
                if op_class_of(inner) is WriteRef and inner.operands[0] in self._cells
            )
        )

    def _ends(self, found: Sequence[Tensor], types: Sequence[TensorType]) -> list[Tensor]:
        return [self.refined(value, wanted) for value, wanted in zip(found, types, strict=True)]

    def _if(self, op: Operation) -> Sequence[Tensor]:
        cells = self._written_in(op)
        before = dict(self._cells)
        types = [self._tensor(result.type) for result in op.results]
        types += [self._cells[cell].type for cell in cells]

        def side(number: int) -> Callable[[], list[Tensor]]:
            def body() -> list[Tensor]:
                self._cells = dict(before)
                blocks = list(op.regions[number].blocks)
                found = self._block(blocks[0]) if blocks else []
                return self._ends([*found, *(self._cells[cell] for cell in cells)], types)

            return body

        made = self.operation("if", self._operands(op), types, [side(0), side(1)])
        self._cells = before
        return self._results(op, cells, list(map(self.value, made.results)))

    def _results(self, op: Operation, cells: Sequence[Value], made: list[Tensor]) -> list[Tensor]:
        """The results of an op, behind which are the values of cells."""
        count = len(made) - len(cells)
        self._cells.update(zip(cells, made[count:], strict=True))
        return made[:count]

    def _for(self, op: Operation) -> Sequence[Tensor]:
        low, high, step, *initial = self._operands(op)
        (block,) = op.regions[0].blocks
        counter, *carried = block.arguments
        cells = self._written_in(op)
        types = [low.type, *(self._tensor(argument.type) for argument in carried)]
        types += [self._cells[cell].type for cell in cells]

        def enter(values: Sequence[Tensor]) -> None:
            self._values.update(zip((counter, *carried), values, strict=False))
            self._cells.update(zip(cells, values[1 + len(carried) :], strict=True))

        def test(*values: Tensor) -> list[Tensor]:
            return [self.one("less", values[0], high)]

        def body(*values: Tensor) -> list[Tensor]:
            enter(values)
            found = self._block(block)
            after = [values[0] + step, *found, *(self._cells[cell] for cell in cells)]
            return self._ends(after, types)

        start = self._ends([low, *initial, *(self._cells[cell] for cell in cells)], types)
        before = dict(self._cells)
        made = self.operation("while", start, types, [test, body], types)
        self._cells = before
        return self._results(op, cells, list(map(self.value, made.results)))[1:]

    def _while(self, op: Operation) -> Sequence[Tensor]:
        first, second = (region.blocks[0] for region in op.regions)
        cells = self._written_in(op)
        types = [self._tensor(argument.type) for argument in first.arguments]
        types += [self._cells[cell].type for cell in cells]
        count = len(list(first.arguments))

        def enter(values: Sequence[Tensor]) -> list[Tensor]:
            """Whether to go on, and what the test hands on."""
            self._values.update(zip(first.arguments, values, strict=False))
            self._cells.update(zip(cells, values[count:], strict=True))
            return self._block(first)

        def test(*values: Tensor) -> list[Tensor]:
            return enter(values)[:1]

        def body(*values: Tensor) -> list[Tensor]:
            _, *passed = enter(values)
            self._values.update(zip(second.arguments, passed, strict=True))
            found = self._block(second)
            return self._ends([*found, *(self._cells[cell] for cell in cells)], types)

        start = self._ends([*self._operands(op), *(self._cells[cell] for cell in cells)], types)
        before = dict(self._cells)
        made = self.operation("while", start, types, [test, body], types)
        self._cells = before
        _, *passed = enter(list(map(self.value, made.results)))  # what the last test handed on
        return passed


_STRUCTURE: Mapping[str, Callable[[Writing, Operation], Sequence[Tensor]]] = {
    "tensor.extract": Writing._extract,
    "tensor.from_elements": Writing._from_elements,
    "tensor.cast": Writing._cast,
    "func.call": Writing._call,
    "scf.if": Writing._if,
    "scf.for": Writing._for,
    "scf.while": Writing._while,
}
"""What is written by its structure."""


__all__ = ["FAMILIES", "WRITERS", "Writing"]
