"""Write what one rank computes of a program whose arguments are split over a mesh.

    func.func @f(%x: tensor<8x3xf64> {weft.sharding = "[{d}, {}]"}) -> tensor<3xf64>     rank 0 of 2
      %0 = weft.sum %x {axes = [0]}                        %0 = weft.sum %x : tensor<4x3xf64>
                                                           %1 = weft.all_reduce %0 {over = "d", reduction = "sum"}

An op is one mathematical thing here, so that its rule tells what ranks have to send each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.errors import WeftValueError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.records import NamedTuple, dataclass
from ...dialect.types import RefType, TensorType
from ..base import Pass, Statistics
from ..control_flow.structure import body
from ..rewriting import defined_functions, operations_in, settle_signature
from .layouts import Grid, Layout, layout_from, notation
from .messages import Message, Messages
from .partitioner import Cell, Partitioner
from .parts import Part

SHARDING = "weft.sharding"
"""The attribute of arguments and results that says how they are split, in Shardy's notation."""


class Partitioned(NamedTuple):
    """What became of a function."""

    results: tuple[Layout, ...]
    """How its results are split."""
    messages: tuple[Message, ...]
    """What ranks send each other, in program order."""


def partition_function(function: Operation, layouts: Sequence[Layout], grid: Grid) -> Partitioned:
    """Put what a rank computes in the place of a function, in place."""
    old = body(function)
    messages = Messages(grid)
    walk = Partitioner(messages)
    types = []
    for argument, layout in zip(old.arguments, layouts, strict=True):
        given = _array_type(argument)
        if given is None:
            types.append(argument.type)
            continue
        local = walk.local_type(given.tensor if isinstance(given, RefType) else given, layout)
        types.append(type_to_mlir(RefType(local) if isinstance(given, RefType) else local))
    block = ir.Block.create_at_start(
        function.regions[0], types, [argument.location for argument in old.arguments]
    )
    b = OpEmitter(function.location)
    for argument, made, layout in zip(old.arguments, block.arguments, layouts, strict=True):
        given = _array_type(argument)
        if given is None:
            walk.scalars[argument] = made
        elif isinstance(given, RefType):
            walk.cells[argument] = Cell(made, given.tensor.shape, layout)
        else:
            walk.parts[argument] = Part(b.value(made), given.shape, layout)
    *operations, end = operations_in(old)
    with ir.InsertionPoint(block):
        walk.write(operations)
        results = [walk.returned(end, value) for value in end.operands]
        ir.Operation.create("func.return", operands=[part.value.handle for part in results], loc=end.location)
    settle_signature(function)
    _erase(function, old)
    return Partitioned(
        tuple(part.layout for part in results), tuple(message for message in messages.sent if message.kind)
    )


def _array_type(argument: Value) -> TensorType | RefType | None:
    """The type of an argument; None for a number that is no tensor."""
    text = str(argument.type)
    return type_from_mlir(argument.type) if text.startswith(("tensor<", "!weft.ref")) else None


def _erase(function: Operation, old: ir.Block) -> None:
    """Erase the block that was written anew, its last ops first."""
    for operation in reversed(operations_in(old)):
        operation.erase()
    holder = ir.Operation.create("builtin.module", regions=1, loc=function.location)
    old.append_to(holder.regions[0])
    holder.erase()


@dataclass(frozen=True)
class Partition(Pass):
    """Write what one rank computes of functions whose arguments are split."""

    name: ClassVar[str] = "weft-partition"

    mesh: str = "d:2"
    rank: str = "0"

    def grid(self) -> Grid:
        """The mesh that the options tell."""
        axes = [entry.partition(":") for entry in self.mesh.split(",")]
        places = self.rank.split(",")
        if not all(extent.isdecimal() for _, _, extent in axes) or not all(map(str.isdecimal, places)):
            raise WeftValueError(
                f"weft-partition: a mesh is written as d:2,e:3 and a rank as 0,1, not {self.mesh} and {self.rank}"
            )
        if len(places) != len(axes):
            raise WeftValueError(
                f"weft-partition: rank {self.rank} has not one number for each axis of {self.mesh}"
            )
        extents = tuple(int(extent) for _, _, extent in axes)
        if any(int(place) >= extent for place, extent in zip(places, extents, strict=True)):
            raise WeftValueError(f"weft-partition: there is no rank {self.rank} in a mesh {self.mesh}")
        return Grid(tuple(name for name, _, _ in axes), extents, tuple(map(int, places)))

    def run(self, module: Module, statistics: Statistics) -> None:
        """Rewrite each function that has a sharding."""
        grid = self.grid()
        for view in list(defined_functions(module)):
            function = view.operation
            layouts = _layouts_of(function, grid)
            if any(any(layout) for layout in layouts):
                made = partition_function(function, layouts, grid)
                annotate(function, layouts, made.results)
                statistics["functions partitioned"] += 1
                statistics["collectives"] += len(made.messages)


def _layouts_of(function: Operation, grid: Grid) -> list[Layout]:
    """How the arguments of a function are to be split."""
    arguments = body(function).arguments
    given = (
        list(function.attributes["arg_attrs"])
        if "arg_attrs" in function.attributes
        else [None] * len(arguments)
    )
    layouts: list[Layout] = []
    for argument, attributes in zip(arguments, given, strict=True):
        found = _array_type(argument)
        if found is None:
            layouts.append(())
            continue
        tensor = found.tensor if isinstance(found, RefType) else found
        text = attributes[SHARDING].value if attributes is not None and SHARDING in attributes else None
        layouts.append(
            (None,) * tensor.rank
            if text is None
            else layout_from(text, tensor.shape, grid.axes, grid.extents)
        )
    return layouts


def annotate(function: Operation, arguments: Sequence[Layout], results: Sequence[Layout]) -> None:
    """Say how arguments and results are split."""
    for name, layouts in (("arg_attrs", arguments), ("res_attrs", results)):
        if layouts:
            function.attributes[name] = ir.ArrayAttr.get(
                [ir.DictAttr.get({SHARDING: ir.StringAttr.get(notation(layout))}) for layout in layouts]
            )
