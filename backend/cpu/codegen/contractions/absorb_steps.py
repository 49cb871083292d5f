"""Compute along with products of a matrix and a vector what is made of each of them: one kernel with several results.

    %u = call @kernel_0(%A, %x, ...)                       u = A @ x - b
    %e = call @kernel_1(%u, ...)                           what else reads u
    %w = call @kernel_2(%u, ...)             ->            %u, %w = call @kernel_4(%A, %x, ...)
    %v = call @kernel_3(%A, %w, ...)                       v = w @ A

Where `u` has several uses, what is made of it is a kernel of its own. It would stand between the products of one matrix
from both sides, which are joined where nothing does (`join_products.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .....dialect.mlir import Block, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.control_flow.structure import is_used
from .....passes.rewriting import operations_in, operations_of
from ....planning.outlining.outline import clone

GENERIC, STORE = "linalg.generic", "bufferization.materialize_in_destination"

_BODY = {"arith.constant", "func.return", "tensor.empty", GENERIC, STORE}


@dataclass(frozen=True)
class Step:
    """A kernel that makes a vector element by element."""

    kernel: Block
    generic: Operation
    """Makes what the kernel stores."""

    @property
    def body(self) -> Block:
        """What is done with each element."""
        return _body(self.generic)

    @property
    def read(self) -> dict[Value, None]:
        """The arguments of the kernel of which something is read, in order."""
        return dict.fromkeys(argument for argument in self.kernel.arguments if argument in self._used())

    def _used(self) -> set[Value]:
        pairs = zip(self.generic.operands, self.body.arguments, strict=True)
        used = {operand for operand, argument in pairs if is_used(argument)}
        return used.union(*(set(op.operands) for op in operations_of(self.generic)))


def step_of(kernel: Operation) -> Step | None:
    """What a kernel computes, if each element of its result is made of one of each vector it reads, and of numbers."""
    block = kernel.regions[0].blocks[0]
    operations = operations_in(block)
    generics = [op for op in operations if op.name == GENERIC]
    if {op.name for op in operations} - _BODY or len(generics) != 1 or len(generics[0].results) != 1:
        return None
    step = Step(block, generics[0])
    identity, *others = reversed([each.value for each in step.generic.attributes["indexing_maps"]])
    if identity != ir.AffineMap.get_identity(1) or any(m != identity and len(m.results) for m in others):
        return None
    if not all("parallel" in str(kind) for kind in step.generic.attributes["iterator_types"]):
        return None
    pairs = zip(step.generic.operands, step.body.arguments, strict=True)
    is_read = all(isinstance(operand.owner, ir.Block) for operand, argument in pairs if is_used(argument))
    return step if is_read and not _uses_places(step.generic) else None


def write_with_step(
    products: Block, step: Step, made: Mapping[Value, int], arguments: Mapping[Value, Value]
) -> list[Value]:
    """Write the body of a kernel of products with a step at the insertion point; returns the results, the step's last.

    `made` has the arguments of the step that are results of the products, by number; `arguments` what all others are.
    """
    mapping = dict(arguments)
    *operations, last = operations_in(products)
    results = [value.owner.operation.operands[0] for value in last.operands]
    before = next((op for op in operations if op.name == GENERIC), None)
    for op in operations:
        if op.name not in (GENERIC, STORE):
            clone(op, mapping)
    for op in operations_in(step.kernel):
        if op.name == "arith.constant":
            clone(op, mapping)
    merged = _Merged(mapping)
    if before is None:
        merged.read(results[0], None, ir.AffineMap.get_identity(1))
        first = results[0].owner.operation.operands[2].owner.operation.operands[1]
    else:
        inputs = len(before.operands) - len(before.results)
        for operand, argument, map in list(_operands(before))[:inputs]:
            merged.read(operand, argument, map)
        first = before.operands[inputs]
    known: dict[Value, int] = {}
    for operand, argument, map in _operands(step.generic):
        if operand in made:
            known[argument] = made[operand]
        elif is_used(argument):
            merged.read(operand, argument, map)
    sizes = list(mapping[first].owner.operation.operands)
    return merged.write(
        [*(value.type for value in results), step.generic.results[0].type], sizes, before, step, known
    )


class _Merged:
    """An op that does what was done with each product, and the step."""

    def __init__(self, mapping: dict[Value, Value]) -> None:
        self._mapping = mapping
        self._inputs: list[Value] = []
        self._arguments: list[Value | None] = []
        self._maps: list[ir.AffineMap] = []

    def read(self, operand: Value, argument: Value | None, map: ir.AffineMap) -> None:
        """Read an operand in the place of an argument of one of the bodies."""
        self._inputs.append(self._mapping[operand])
        self._arguments.append(argument)
        self._maps.append(map)

    def write(
        self,
        types: list[ir.Type],
        sizes: list[Value],
        before: Operation | None,
        step: Step,
        known: Mapping[Value, int],
    ) -> list[Value]:
        """Write it for results of some types; `known` are the arguments of the step that are made before it."""
        empties = [_empty(type, sizes) for type in types]
        maps = [*self._maps, *([ir.AffineMap.get_identity(1)] * len(types))]
        attributes = {
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map) for map in maps]),
            "iterator_types": step.generic.attributes["iterator_types"],
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(self._inputs), len(types)]),
        }
        operands = [*self._inputs, *empties]
        generic = ir.Operation.create(GENERIC, types, operands, attributes, regions=1)
        elements = [ir.ShapedType(value.type).element_type for value in operands]
        block = generic.regions[0].blocks.append(*elements, arg_locs=[generic.location] * len(elements))
        for old, new in zip(self._arguments, block.arguments, strict=False):
            if old is not None:
                self._mapping[old] = new
        with ir.InsertionPoint(block):
            results = [block.arguments[0]] if before is None else self._copy(_body(before))
            self._mapping.update({argument: results[number] for argument, number in known.items()})
            ir.Operation.create("linalg.yield", [], [*results, *self._copy(step.body)])
        return list(generic.results)

    def _copy(self, body: Block) -> list[Value]:
        *operations, last = operations_in(body)
        for op in operations:
            clone(op, self._mapping)
        return [self._mapping.get(value, value) for value in last.operands]


def _empty(type: ir.Type, sizes: list[Value]) -> Value:
    made: Value = ir.Operation.create("tensor.empty", [type], sizes).results[0]
    return made


def _operands(generic: Operation) -> Iterator[tuple[Value, Value, ir.AffineMap]]:
    """The operands with the arguments of the body that stand for their elements, and where those are."""
    maps = [each.value for each in generic.attributes["indexing_maps"]]
    return zip(generic.operands, _body(generic).arguments, maps, strict=True)


def _body(generic: Operation) -> Block:
    return generic.regions[0].blocks[0]


def _uses_places(generic: Operation) -> bool:
    return any(op.name in ("linalg.index", "tensor.extract") for op in operations_of(generic))
