"""Loops and index arithmetic, written at the current insertion point: what all kernel schedules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ...dialect.mlir import Operation, Type, Value, ir
from ...passes.index_arithmetic import Extent, IndexArithmetic

Index: TypeAlias = Extent
"""A size or position: a Python int when it is known, else an SSA value of index type."""


class Emitter(IndexArithmetic):
    """Writes into one function; integer constants go to its entry block and are shared."""

    def __init__(self, function: Operation) -> None:
        self.entry = function.regions[0].blocks[0]
        self.index_type = ir.IndexType.get()
        self.stores_past_caches = False
        """Whether the function has such stores, which need a fence."""
        self._constants: dict[Any, Value] = {}
        self._indices: dict[int, Value] = {}

    def entry_point(self) -> Any:
        """The insertion point at the start of the function."""
        return ir.InsertionPoint.at_block_begin(self.entry)

    def constant(self, attribute: Any, type: Type) -> Value:
        """A constant in the entry block; equal ones are the same value."""
        found = self._constants.get(attribute)  # which has the type
        if found is None:
            with self.entry_point():
                found = self._constants[attribute] = create(
                    "arith.constant", [type], [], {"value": attribute}
                )
        return found

    def value(self, index: Index) -> Value:
        """An index as SSA value."""
        if not isinstance(index, int):
            return index
        found = self._indices.get(index)
        if found is None:
            attribute = ir.IntegerAttr.get(self.index_type, index)
            found = self._indices[index] = self.constant(attribute, self.index_type)
        return found

    def splat(self, number: float | int, type: Type) -> Value:
        """A scalar, or vector with equal elements, constant of a float or integer type."""
        vector = isinstance(type, ir.VectorType)
        element = type.element_type if vector else type
        if isinstance(element, ir.IntegerType | ir.IndexType):
            attribute = ir.IntegerAttr.get(element, int(number))
        else:
            attribute = ir.FloatAttr.get(element, float(number))
        return self.constant(ir.DenseElementsAttr.get_splat(type, attribute) if vector else attribute, type)

    def multiply(self, x: Index, y: Index) -> Index:
        """The product of two indices, 0 where one is: no shape is made of it."""
        return (
            0 if any(isinstance(factor, int) and factor == 0 for factor in (x, y)) else super().multiply(x, y)
        )

    def divide(self, left: Index, right: int) -> Index:
        """A non-negative index divided by a positive number, rounded down."""
        if isinstance(left, int):
            return left // right
        return left if right == 1 else self._binary("arith.divui", left, right)

    def divide_up(self, left: Index, right: int) -> Index:
        """The same, rounded up."""
        return self.divide(self.add(left, right - 1), right)

    def affine(self, expression: Any, dims: Sequence[Index]) -> Index:
        """The value of an affine expression without symbols, given its dimensions."""
        if isinstance(expression, ir.AffineDimExpr):
            return dims[expression.position]
        if isinstance(expression, ir.AffineConstantExpr):
            return int(expression.value)
        left, right = self.affine(expression.lhs, dims), self.affine(expression.rhs, dims)
        if isinstance(expression, ir.AffineAddExpr):
            return self.add(left, right)
        if isinstance(expression, ir.AffineMulExpr):
            return self.multiply(left, right)
        if not isinstance(right, int):
            raise ValueError(f"the divisor of {expression} is not a constant")
        quotient = self._floor_divide(left, right)
        if isinstance(expression, ir.AffineModExpr):
            return self.subtract(left, self.multiply(quotient, right))
        if isinstance(expression, ir.AffineFloorDivExpr):
            return quotient
        return self.add(self._floor_divide(self.subtract(left, 1), right), 1)

    def _floor_divide(self, left: Index, right: int) -> Index:
        return left // right if isinstance(left, int) else self._binary("arith.floordivsi", left, right)

    @contextmanager
    def loop(
        self, stop: Index, step: int = 1, start: Index = 0, unroll: bool = True, parallel: bool = False
    ) -> Iterator[Index]:
        """A loop over `range(start, stop, step)`; yields the position. One known to run once is left out.

        `parallel` promises that iterations may run in any order and at the same time; what is allocated inside of the
        loop belongs to one iteration.
        """
        if isinstance(start, int) and isinstance(stop, int) and start < stop <= start + step:
            yield start
            return
        loop = ForLoop(self, start, stop, step, [], unroll)
        if parallel:
            loop.operation.attributes[PARALLEL] = ir.UnitAttr.get()
        with loop.body():
            yield loop.position
            loop.end([])


PARALLEL = "weft.parallel"
"""On loops that may be shared among threads, see sharing/loops.py."""

SHORT_ROWS = "weft.short_rows"
"""On kernels that reduce one row and do nothing else: a call takes as long as a short row."""

_KEEP_ROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"
"""Unrolling loops whose body is wide already costs compile time and brings nothing."""


class ForLoop:
    """An `scf.for` under construction, with carried values; LLVM may unroll it or not."""

    def __init__(
        self,
        emitter: Emitter,
        start: Index,
        stop: Index,
        step: Index,
        carried: Sequence[Value],
        unroll: bool = True,
    ) -> None:
        bounds = [emitter.value(start), emitter.value(stop), emitter.value(step)]
        types = [value.type for value in carried]
        self.operation = ir.Operation.create("scf.for", types, [*bounds, *carried], regions=1)
        if not unroll:
            keep_rolled(self.operation)
        arguments = [emitter.index_type, *types]
        self.block = self.operation.regions[0].blocks.append(
            *arguments, arg_locs=[ir.Location.current] * len(arguments)
        )
        self.position = self.block.arguments[0]
        self.carried = list(self.block.arguments)[1:]

    def body(self) -> Any:
        """The insertion point at the end of the body."""
        return ir.InsertionPoint(self.block)

    def end(self, values: Sequence[Value]) -> None:
        """Finish the body with the values carried to the next iteration."""
        ir.Operation.create("scf.yield", [], list(values))

    @property
    def results(self) -> list[Value]:
        """The carried values after the last iteration."""
        return list(self.operation.results)


def while_loop(
    initial: Sequence[Value],
    test: Callable[..., Sequence[Value]],
    step: Callable[..., Sequence[Value]] | None = None,
    passed: Sequence[Type] | None = None,
    attributes: dict[str, Any] | None = None,
) -> list[Value]:
    """A loop that goes on while a test holds; what the test passes on in the end.

    It tells whether it holds, and what it passes on, of as many values as the loop begins with, unless their types are
    given. The last of these are the next ones, or what a step makes of them.
    """
    types = [value.type for value in initial]
    loop = ir.Operation.create("scf.while", passed or types, list(initial), attributes or {}, regions=2)
    ways = ("scf.condition", types, test), ("scf.yield", passed or types, step)
    for region, (name, own, write) in zip(loop.regions, ways, strict=True):
        block = region.blocks.append(*own, arg_locs=[ir.Location.current] * len(own))
        with ir.InsertionPoint(block):
            values = list(block.arguments)
            create(name, [], values[-len(types) :] if write is None else list(write(*values)))
    return list(loop.results)


def keep_rolled(loop: Operation) -> None:
    """Tell LLVM not to write out the rounds of a loop, all or some."""
    loop.attributes["loop_annotation"] = ir.Attribute.parse(_KEEP_ROLLED)


def create(
    name: str, types: Sequence[Type], operands: Sequence[Value], attributes: dict[str, Any] | None = None
) -> Value:
    """Create an operation without regions; returns its only result, or None when it has none."""
    operation = ir.Operation.create(name, list(types), list(operands), attributes or {})
    return operation.results[0] if types else None


class Branch:
    """An `scf.if` under construction."""

    def __init__(self, condition: Value, types: Sequence[Type]) -> None:
        self.operation = ir.Operation.create("scf.if", list(types), [condition], regions=2)
        self._given: list[Value] = []

    def give(self, values: Sequence[Value]) -> None:
        """Say what the way that is being written results in."""
        self._given = list(values)

    @property
    def results(self) -> list[Value]:
        """What the way that is taken results in."""
        return list(self.operation.results)

    @contextmanager
    def way(self, number: int) -> Iterator[None]:
        """Write one way, 0 if the condition holds."""
        with ir.InsertionPoint(self.operation.regions[number].blocks.append()):
            yield
            create("scf.yield", [], self._given)


@contextmanager
def only_if(condition: Value, types: Sequence[Type] = ()) -> Iterator[Branch]:
    """Write what happens if a condition holds; with results, what happens `otherwise` comes next."""
    branch = Branch(condition, types)
    with branch.way(0):
        yield branch


@contextmanager
def otherwise(branch: Branch) -> Iterator[None]:
    """Write what happens if the condition of an `only_if` does not hold."""
    with branch.way(1):
        yield


def either(condition: Value, type: Type, first: Callable[[], Value], second: Callable[[], Value]) -> Value:
    """What one of two ways gives, of which a condition chooses the one that is gone."""
    branch = ir.Operation.create("scf.if", [type], [condition], regions=2)
    for region, way in zip(branch.regions, (first, second), strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            create("scf.yield", [], [way()])
    return branch.results[0]


def scalar(type: Type, number: float) -> Value:
    """A constant of a float or integer type, where it is needed."""
    of = ir.FloatAttr if isinstance(type, ir.FloatType) else ir.IntegerAttr
    return create("arith.constant", [type], [], {"value": of.get(type, number)})


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_OF_FLOATS = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def compare(predicate: str, left: Value, right: Value) -> Value:
    """A comparison of integers or of floats, by MLIR's name of it; of vectors one for each lane."""
    element, flag = left.type, ir.IntegerType.get_signless(1)
    if isinstance(element, ir.VectorType):
        element, flag = element.element_type, ir.VectorType.get(element.shape, flag)
    is_float = isinstance(element, ir.FloatType)
    number = (_OF_FLOATS if is_float else _PREDICATES).index(predicate)
    attributes = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}
    return create("arith.cmpf" if is_float else "arith.cmpi", [flag], [left, right], attributes)


def load(memref: Value, indices: Sequence[Value]) -> Value:
    """Read one element."""
    return create("memref.load", [memref.type.element_type], [memref, *indices])


def prefetch(memref: Value, indices: Sequence[Value], level: int, writes: bool = False) -> None:
    """Ask for the line of an element, which need not be there; 3 is for the first-level cache, 2 for the second."""
    i1, i32 = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(32)
    attributes = {
        "isWrite": ir.IntegerAttr.get(i1, -1 if writes else 0),
        "localityHint": ir.IntegerAttr.get(i32, level),
        "isDataCache": ir.IntegerAttr.get(i1, -1),
    }
    create("memref.prefetch", [], [memref, *indices], attributes)


def store(value: Value, memref: Value, indices: Sequence[Value]) -> None:
    """Write one element."""
    create("memref.store", [], [value, memref, *indices])
