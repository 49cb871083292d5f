"""The walk over a function of the weft dialect, at stage "optimized", that writes it in another format.

Formats have values only: what is read of a cell is the value that it has at that point, and branches and loops hand on
the values of the cells that they write.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...dialect.attributes import type_from_mlir
from ...dialect.emitter import Tensor
from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.state import WriteRef
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import RefType, TensorType
from ...passes.rewriting import operations_of
from . import elementwise, indexing, products, reductions, shapes, special
from .scalars import SCALAR_WRITERS, dtype_of
from .table import GraphBuilder, Unsaid

FAMILIES = (elementwise, special, shapes, products, reductions, indexing)
"""The modules that fill the table of ops that are written in others."""

_ENDS = ("func.return", "scf.yield", "scf.condition")


class ModuleWriter(GraphBuilder):
    """Writes one function of a module."""

    def __init__(self, module: Module, checks: bool) -> None:
        super().__init__()
        self._functions = {
            view.operation.attributes["sym_name"].value: view.operation
            for view in module.body.operations
            if view.operation.name == "func.func"
        }
        self._checks = checks
        self._values: dict[Value, Tensor] = {}
        self._cells: dict[Value, Tensor] = {}
        self._open: list[str] = []
        """The functions that are being written."""
        self.refused: list[tuple[str, str]] = []
        """What cannot be said: the location of an op, and why."""

    def entry(self, symbol: str) -> Operation:
        """A function of the module."""
        return self._functions[symbol]

    def run(self, symbol: str, arguments: Sequence[Tensor]) -> tuple[list[Tensor], dict[int, Tensor]]:
        """Write the ops of a function for some arguments.

        Returns what it returns, and what becomes of those arguments that are cells, by their places.
        """
        (block,) = self.entry(symbol).regions[0].blocks
        cells = {}
        for place, (argument, tensor) in enumerate(zip(block.arguments, arguments, strict=True)):
            if isinstance(type_from_mlir(argument.type), RefType):
                self._cells[argument] = tensor
                cells[place] = argument
            else:
                self._values[argument] = tensor
        self._open.append(symbol)
        outputs = self._block(block)
        return outputs, {place: self._cells[cell] for place, cell in cells.items()}

    @abstractmethod
    def stand_in(self, wanted: TensorType) -> Tensor:
        """Something of a type, for the result of an op that is refused."""

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

    def _refuse(self, op: Operation, why: str) -> list[Tensor]:
        """Note why an op cannot be written; something of its types stands for its results."""
        self.refused.append((str(op.location), f"{op.name} {why}"))
        return [self.stand_in(self.tensor_type_of(result.type)) for result in op.results]

    def tensor_type_of(self, given: Any) -> TensorType:
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
            return self.of_weft(op_class, op)
        known = _STRUCTURE.get(op.name)
        if known is not None:
            return known(self, op)
        writer = SCALAR_WRITERS.get(op.name)
        if writer is None:
            raise Unsaid(f"is none of {self.language}")
        return [writer(self, op, *self._operands(op))]

    def _operands(self, op: Operation) -> list[Tensor]:
        return [self._values[operand] for operand in op.operands]

    def of_weft(self, op_class: type[Op], op: Operation) -> Sequence[Tensor]:
        """Write an op of weft."""
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
        return self.emit(op_class, self._operands(op), decode_attributes(op_class, op))

    # Structure

    def _extract(self, op: Operation) -> Sequence[Tensor]:
        x, *places = self._operands(op)
        if not places:
            return [x]
        return [self.gather(x, *places, axes=tuple(range(x.rank)), position=0)]

    def _from_elements(self, op: Operation) -> Sequence[Tensor]:
        wanted = self.tensor_type_of(op.results[0].type)
        parts = self._operands(op)
        if not wanted.rank:
            return parts
        line = self.joined([self.reshape(part, shape=(1,)) for part in parts], 0)
        return [self.reshaped(line, list(wanted.shape))]  # type: ignore[arg-type]  # which is static

    def _cast(self, op: Operation) -> Sequence[Tensor]:
        return self._operands(op)

    def _call(self, op: Operation) -> Sequence[Tensor]:
        symbol = op.attributes["callee"].value
        function = self._functions[symbol]
        if not function.regions[0].blocks:
            raise Unsaid("calls Python")
        (block,) = function.regions[0].blocks
        if symbol in self._open or any(operand in self._cells for operand in op.operands):
            raise Unsaid(f"calls {symbol}, which calls itself: write a loop")
        self._values.update(zip(block.arguments, self._operands(op), strict=True))
        self._open.append(symbol)
        found = self._block(block)
        self._open.pop()
        return found

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
        types = [self.tensor_type_of(result.type) for result in op.results]
        types += [self._cells[cell].type for cell in cells]

        def side(number: int) -> Callable[[], list[Tensor]]:
            def body() -> list[Tensor]:
                self._cells = dict(before)
                blocks = list(op.regions[number].blocks)
                found = self._block(blocks[0]) if blocks else []
                return self._ends([*found, *(self._cells[cell] for cell in cells)], types)

            return body

        (condition,) = self._operands(op)
        made = self.branches(condition, types, [side(0), side(1)])
        self._cells = before
        return self._results(cells, made)

    def _results(self, cells: Sequence[Value], made: list[Tensor]) -> list[Tensor]:
        """The results of an op, behind which are the values of cells."""
        count = len(made) - len(cells)
        self._cells.update(zip(cells, made[count:], strict=True))
        return made[:count]

    def _for(self, op: Operation) -> Sequence[Tensor]:
        low, high, step, *initial = self._operands(op)
        (block,) = op.regions[0].blocks
        counter, *carried = block.arguments
        cells = self._written_in(op)
        types = [self.tensor_type_of(argument.type) for argument in carried]
        types += [self._cells[cell].type for cell in cells]

        def body(number: Tensor, values: Sequence[Tensor]) -> list[Tensor]:
            self._values[counter] = number
            self._enter(carried, cells, values)
            return self._ends([*self._block(block), *(self._cells[cell] for cell in cells)], types)

        start = self._ends([*initial, *(self._cells[cell] for cell in cells)], types)
        before = dict(self._cells)
        made = self.counted([low, high, step], start, types, body)
        self._cells = before
        return self._results(cells, made)

    def _enter(self, arguments: Sequence[Value], cells: Sequence[Value], values: Sequence[Tensor]) -> None:
        """Let the arguments of a block and cells have values."""
        count = len(arguments)
        self._values.update(zip(arguments, values[:count], strict=True))
        self._cells.update(zip(cells, values[count:], strict=True))

    def _while(self, op: Operation) -> Sequence[Tensor]:
        first, second = (region.blocks[0] for region in op.regions)
        cells = self._written_in(op)
        of_cells = [self._cells[cell].type for cell in cells]
        types = (
            [*(self.tensor_type_of(argument.type) for argument in first.arguments), *of_cells],
            [*(self.tensor_type_of(argument.type) for argument in second.arguments), *of_cells],
        )

        def test(values: Sequence[Tensor]) -> list[Tensor]:
            self._enter(list(first.arguments), cells, values)
            goes_on, *passed = self._block(first)
            return [goes_on, *self._ends([*passed, *(self._cells[cell] for cell in cells)], types[1])]

        def body(values: Sequence[Tensor]) -> list[Tensor]:
            self._enter(list(second.arguments), cells, values)
            return self._ends([*self._block(second), *(self._cells[cell] for cell in cells)], types[0])

        start = self._ends([*self._operands(op), *(self._cells[cell] for cell in cells)], types[0])
        before = dict(self._cells)
        made = self.repeated(start, types, test, body)
        self._cells = before
        return self._results(cells, made)


_STRUCTURE: Mapping[str, Callable[[ModuleWriter, Operation], Sequence[Tensor]]] = {
    "tensor.extract": ModuleWriter._extract,
    "tensor.from_elements": ModuleWriter._from_elements,
    "tensor.cast": ModuleWriter._cast,
    "func.call": ModuleWriter._call,
    "scf.if": ModuleWriter._if,
    "scf.for": ModuleWriter._for,
    "scf.while": ModuleWriter._while,
}
"""What is written by its structure."""
