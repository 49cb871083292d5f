"""The scalar body of a loop nest, written for vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from .....dialect.mlir import Block, Operation, Type, Value, ir
from .....dialect.op import FUNCTIONS
from .....dialect.records import dataclass, replace
from .....passes.rewriting import operations_in
from ....functions.math_expansion import is_expanded
from ....nests.emit import create
from ..vectors.code import broadcast
from ..vectors.integer_division import IntegerDivisor, divide, has_reciprocal, is_integer_division
from ..vectors.invariant_division import InvariantDivisor, is_worthwhile
from ..vectors.split_division import SplitDivisor, split_divisor
from ..vectors.temporaries import element_bytes

MATH_WEIGHT = 24
"""How many operations an elementary function counts as."""

DIVISION_WEIGHT = 11
"""How many operations a division by a reciprocal counts as, beyond itself."""

# Lanes beyond the end hold zeros, and dividing integers by zero is an error even in a lane nobody uses. By floats it is
# none.
_DIVISIONS = ("arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv")
_SCALARS = (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type, ir.IntegerType, ir.IndexType)


def is_vectorisable(body: Block, others: Callable[[Operation], bool] = lambda _: False) -> bool:
    """Whether every operation of a body has a vector form that is as good as the scalar one, or is one of `others`."""
    *operations, terminator = operations_in(body)
    values = [*body.arguments, *terminator.operands]
    return all(_has_vector_form(op) or others(op) for op in operations) and all(
        isinstance(v.type, _SCALARS) for v in values
    )


def without_vector_form(body: Block) -> str | None:
    """What in a body has no vector form, in words; None where all has one."""
    for op in operations_in(body):
        if op.name in ("memref.load", "tensor.extract"):
            return "it reads elements at places that are computed"
        types = [value.type for value in [*op.operands, *op.results]]
        if any(isinstance(type, ir.ComplexType) for type in types):
            return "complex numbers have no vector form"
        if op.name != "linalg.yield" and not _has_vector_form(op):
            if list(op.regions):
                return "what it does depends on the elements"
            return f"there is no vector form of {op.name.partition('.')[2]}"
    return None


def _has_vector_form(op: Operation) -> bool:
    if op.name == "linalg.index":
        return True
    if not op.name.startswith(("arith.", *FUNCTIONS)) or list(op.regions) or len(op.results) != 1:
        return False
    if op.name.startswith(_DIVISIONS) and not op.name.endswith("f") and not is_integer_division(op):
        return False
    types = [value.type for value in [*op.operands, *op.results]]
    return all(isinstance(type, _SCALARS) for type in types)


Divisor: TypeAlias = "InvariantDivisor | IntegerDivisor | SplitDivisor"
_NONE: Mapping[Value, Divisor] = MappingProxyType({})


@dataclass(frozen=True)
class SplitBody:
    """The operations of a body: those that are the same along a vector, and those that are not."""

    invariant: list[Operation]
    varying: list[Operation]
    outputs: list[Value]
    arguments: frozenset[Value]
    """The arguments that vary."""

    @staticmethod
    def of(body: Block, arguments: Sequence[Value], inner: int) -> SplitBody:
        """Split a body by which of its arguments vary along the loop `inner`."""
        *operations, terminator = operations_in(body)
        varies = set(arguments)
        invariant: list[Operation] = []
        varying: list[Operation] = []
        for op in operations:
            along = op.name == "linalg.index" and op.attributes["dim"].value == inner
            if along or any(operand in varies for operand in op.operands):
                varies.update(op.results)
                varying.append(op)
            else:
                invariant.append(op)
        return SplitBody(invariant, varying, list(terminator.operands), frozenset(arguments))

    def without(self, operations: Sequence[Operation], outputs: Sequence[Value]) -> SplitBody:
        """The same body without its last operations, which yields their operands."""
        varying = [op for op in self.varying if op not in operations]
        return replace(self, varying=varying, outputs=list(outputs))

    @property
    def vectors(self) -> set[Value]:
        """All values that are held in vectors."""
        written = [op for op in self.varying if not is_only_narrowed(op)]
        values = {operand for op in written for operand in op.operands if narrowed_index(op) is None}
        values = {value for value in values if not isinstance(value.type, ir.MemRefType)}
        return values.union(self.outputs, *(op.results for op in written))

    @property
    def widest(self) -> int:
        """The size of the largest elements of vectors in bytes."""
        return max(_bytes(value.type) for value in self.vectors)

    @property
    def divisors(self) -> dict[Value, Operation]:
        """Numbers that are the same along a vector, with an operation that divides others by them at a cost."""
        results = {result for op in self.varying for result in op.results}
        others = sum(op.name != "arith.divf" for op in self.varying)
        found = [op for op in self.varying if is_worthwhile(op, others) or has_reciprocal(op)]
        return {
            op.operands[1]: op
            for op in found
            if op.operands[1] not in results and op.operands[1] not in self.arguments
        }

    @property
    def weight(self) -> int:
        """About how many instructions a vector takes."""
        return sum(map(_weight, self.varying)) + DIVISION_WEIGHT * len(self.divisors)


def body_weight(body: Block) -> int:
    """About how many instructions a body takes."""
    return sum(map(_weight, operations_in(body)))


def computes_functions(body: Block) -> bool:
    """Whether a body computes functions that take many instructions."""
    return any(map(is_expanded, operations_in(body)))


def _weight(op: Operation) -> int:
    return MATH_WEIGHT if is_expanded(op) else 1


def widest_element(body: Block) -> int:
    """The size of the largest values of a body in bytes."""
    types = [argument.type for argument in body.arguments]
    types += [result.type for op in operations_in(body) for result in op.results]
    return max(map(_bytes, types))


def _bytes(type: Type) -> int:
    return 8 if isinstance(type, ir.IndexType) else element_bytes(type)


def vectorise_body(body: Block, known: dict[Value, Value], lanes: int) -> list[Value]:
    """Write a body for vectors at the insertion point; returns what it yields.

    `known` has the vectors for the block arguments.
    """
    *operations, terminator = operations_in(body)
    return vectorise(operations, list(terminator.operands), known, lanes)


def vectorise(
    operations: Sequence[Operation],
    outputs: Sequence[Value],
    known: dict[Value, Value],
    lanes: int,
    index: Callable[[int, Type], Value] | None = None,
    divisors: Mapping[Value, Divisor] = _NONE,
    read: Callable[[Operation, Mapping[Value, Value]], Value] | None = None,
) -> list[Value]:
    """Write operations for vectors at the insertion point; returns the vectors of some values.

    `known` has the vectors of what comes from elsewhere; `index` gives the positions in a loop dimension, `divisors`
    those numbers with reciprocals, and `read` what loads at vectors of places give.
    """
    for op in operations:
        dim = narrowed_index(op)
        if op.name == "linalg.index" or dim is not None:
            assert index is not None
            if not is_only_narrowed(op):
                dim = op.attributes["dim"].value if dim is None else dim
                known[op.results[0]] = index(dim, op.results[0].type)
        elif op.name == "arith.divf" and op.operands[1] in divisors:
            dividend = _vector_value(op.operands[0], known, lanes)
            divisor = divisors[op.operands[1]]
            assert isinstance(divisor, InvariantDivisor | SplitDivisor)
            known[op.results[0]] = divisor.quotient(dividend)
        elif op.name == "memref.load":
            assert read is not None
            known[op.results[0]] = read(op, known)
        elif is_integer_division(op):
            x, y = (_vector_value(operand, known, lanes) for operand in op.operands)
            by = divisors.get(op.operands[1])
            known[op.results[0]] = divide(op, x, y, by if isinstance(by, IntegerDivisor) else None)
        else:
            known[op.results[0]] = _vector_operation(op, known, lanes)
    return [_vector_value(value, known, lanes) for value in outputs]


def prepared_divisor(op: Operation, scalar: Value, lanes: int) -> Divisor:
    """What an operation divides by, for vectors."""
    type = vector_of(scalar.type, lanes)
    if is_integer_division(op):
        return IntegerDivisor.of(scalar, type, op.name.endswith("si"))
    parts = split_divisor(op)
    if parts is not None:
        return SplitDivisor.of(scalar, parts, type)
    return InvariantDivisor.of(scalar, type)


def narrowed_index(op: Operation) -> int | None:
    """The dimension whose positions an operation makes 32-bit integers of: vectors count in those by themselves."""
    if op.name != "arith.index_cast" or op.results[0].type != ir.IntegerType.get_signless(32):
        return None
    source = op.operands[0].owner
    if isinstance(source, ir.Block) or source.operation.name != "linalg.index":
        return None
    return int(source.operation.attributes["dim"].value)


def is_only_narrowed(op: Operation) -> bool:
    """Whether an operation gives positions that are only used as 32-bit integers."""
    if op.name != "linalg.index":
        return False
    return all(narrowed_index(use.owner.operation) is not None for use in op.results[0].uses)


def _vector_operation(op: Operation, known: dict[Value, Value], lanes: int) -> Value:
    attributes = {name: op.attributes[name] for name in op.attributes}
    scalar = op.results[0].type
    if op.name == "arith.constant":
        return broadcast(create(op.name, [scalar], [], attributes), vector_of(scalar, lanes))
    operands = [_vector_value(operand, known, lanes) for operand in op.operands]
    return create(op.name, [vector_of(scalar, lanes)], operands, attributes)


def _vector_value(value: Value, known: dict[Value, Value], lanes: int) -> Value:
    if value not in known:
        known[value] = broadcast(value, vector_of(value.type, lanes))
    return known[value]


def vector_of(scalar: Type, lanes: int) -> Type:
    """The vector type with elements of a scalar type."""
    return ir.VectorType.get([lanes], scalar)
