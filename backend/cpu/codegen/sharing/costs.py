"""About how much work a loop is: a static estimate, with what is known only at run time as factors.

The unit is a step: one operation on a number or a vector, 0.1 to 0.25 nanoseconds as measured. Estimates are off by
such factors; they decide whether work is worth sharing, where a factor of ten is at stake.
"""

from __future__ import annotations

from collections.abc import Iterable

from .....dialect.mlir import Block, Operation, Value, ir
from .....dialect.op import FUNCTIONS
from .....dialect.records import dataclass
from .....passes.control_flow.structure import constant_index, producer
from .....passes.rewriting import constant_integer, operations_in
from ....nests.emit import create

_WEIGHTS = {
    "arith.constant": 0.0,
    "arith.divf": 6,
    "arith.divsi": 8,
    "arith.divui": 8,
    "arith.floordivsi": 10,
    "arith.remsi": 8,
    "arith.remui": 8,
    "func.call": 50,
    "math.absf": 1,
    "math.ceil": 1,
    "math.copysign": 1,
    "math.floor": 1,
    "math.fma": 1,
    "math.roundeven": 1,
    "math.sqrt": 6,
    "math.trunc": 1,
    "memref.prefetch": 0,
    "memref.store": 2,
    "vector.broadcast": 0,  # part of the load before it
    "vector.gather": 16,
    "vector.maskedload": 2,
    "vector.maskedstore": 3,
    "vector.reduction": 8,
    "vector.store": 2,
}
_WITH_BODIES = ("scf.for", "scf.if", "scf.while")
_ELEMENTARY = 20
"""The steps of a function such as exp."""

_UNKNOWN_TRIPS = 16

MOST_FACTORS = 4
"""Products of more run-time sizes are cut off."""


@dataclass(frozen=True)
class Term:
    """A number times values of the run."""

    number: float
    values: tuple[Value, ...] = ()

    def __mul__(self, other: Term) -> Term:
        return Term(self.number * other.number, (self.values + other.values)[:MOST_FACTORS])


class Cost:
    """A sum of terms; those without run-time values are one."""

    def __init__(self, steps: float = 0.0, terms: tuple[Term, ...] = ()) -> None:
        self.steps, self.terms = steps, terms

    @property
    def is_static(self) -> bool:
        """Whether nothing about it depends on the run."""
        return not self.terms

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.steps + other.steps, self.terms + other.terms)

    def times(self, trips: Term) -> Cost:
        """So many times as much."""
        own = trips * Term(self.steps)
        terms = tuple(trips * term for term in self.terms if term.number)
        if not own.values:
            return Cost(own.number, terms)
        return Cost(0.0, (*terms, own) if own.number else terms)

    def value(self) -> Value:
        """The steps as a value of index type, computed at the insertion point."""
        total = constant_index(max(1, round(self.steps)))
        for term in self.terms:
            product = constant_index(max(1, round(term.number)))
            for factor in term.values:
                product = create("arith.muli", [product.type], [product, factor])
            if term.number < 0.5:
                product = create(
                    "arith.divui", [product.type], [product, constant_index(round(1 / term.number))]
                )
            total = create("arith.addi", [product.type], [total, product])
        # Even if it is too large for its type.
        return create("arith.maxsi", [total.type], [total, constant_index(1)])


def cost_of_iteration(loop: Operation, root: Operation | None = None) -> Cost:
    """The cost of one iteration of an `scf.for`, in values that are known before it.

    Where the loop is inside of another one, `root`, it is the cost of that iteration in all iterations of the other.
    """
    if root is None or root == loop:
        return _Estimate(loop).block(loop)
    return _Estimate(root).block(loop).times(_Estimate(root).trips(root))


def cost_of(loop: Operation) -> Cost:
    """The cost of a whole `scf.for`, in values that are known before it."""
    return cost_of_iteration(loop).times(trips(loop))


def trips(loop: Operation) -> Term:
    """How many iterations an `scf.for` has, in values that are known before it."""
    return _Estimate(loop).trips(loop)


def cost_of_body(function: Operation) -> Cost:
    """The cost of a call of a function, in values that nobody knows: only whether it is static tells something."""
    return _Estimate(function).block(function)


class _Estimate:
    """Estimates in terms of what is known before one loop."""

    def __init__(self, around: Operation) -> None:
        self._around = around

    def block(self, op: Operation) -> Cost:
        """All that an operation holds, once."""
        return self._blocks([block for region in op.regions for block in region])

    def _blocks(self, blocks: Iterable[Block]) -> Cost:
        steps, total = 0.0, Cost()
        for block in blocks:
            for op in operations_in(block):
                name = op.name
                known = _WEIGHTS.get(name)
                if known is not None:
                    steps += known
                elif name in _WITH_BODIES:
                    total += self._with_body(op)
                else:
                    steps += _weight(op, name)
        return total + Cost(steps)

    def _with_body(self, op: Operation) -> Cost:
        if op.name == "scf.for":
            return self.block(op).times(self.trips(op)) + Cost(1)
        if op.name == "scf.if":
            # Of two ways the last is the frequent one: what is rare is long, such as large angles.
            *_, last = op.regions
            return self._blocks(last) + Cost(2)
        return self.block(op).times(Term(_UNKNOWN_TRIPS))

    def trips(self, loop: Operation) -> Term:
        """The iterations of a loop."""
        start, stop, step = list(loop.operands)[:3]
        by = constant_integer(step) or 1
        first = constant_integer(start)
        if first is None:
            # A loop over a tile, or over what whole tiles leave.
            length = self._distance(start, stop)
            return Term(1.0) if length is None else Term(max(1.0, length.number / by), length.values)
        last = constant_integer(stop)
        if last is not None:
            return Term(float(max(0, -((first - last) // by))))
        return self._extent(stop) * Term(1 / by)

    def _distance(self, start: Value, stop: Value) -> Term | None:
        """How far a bound is from another at most, if it is computed from that."""
        op = producer(stop)
        if op is not None and op.name == "arith.minsi":
            found = [self._distance(start, operand) for operand in op.operands]
            return next((distance for distance in found if distance is not None), None)
        if op is not None and op.name == "arith.addi" and op.operands[0] == start:
            return self._extent(op.operands[1])
        return None

    def _extent(self, value: Value) -> Term:
        """About what a positive value is."""
        number = constant_integer(value)
        if number is not None:
            return Term(float(number))
        if not self._is_inside(value):
            return Term(1.0, (value,))
        op = producer(value)
        if op is None:
            return Term(_UNKNOWN_TRIPS)
        if op.name == "arith.minsi":
            numbers = [n for n in map(constant_integer, op.operands) if n is not None]
            return Term(float(numbers[0])) if numbers else self._extent(op.operands[0])
        if op.name == "arith.subi":
            return self._distance(op.operands[1], op.operands[0]) or self._extent(op.operands[0])
        if op.name == "arith.addi":
            return self._extent(op.operands[0])
        if op.name == "arith.muli":
            return self._extent(op.operands[0]) * self._extent(op.operands[1])
        if op.name in ("arith.divui", "arith.divsi", "arith.floordivsi"):
            return self._extent(op.operands[0]) * Term(
                1 / (constant_integer(op.operands[1]) or _UNKNOWN_TRIPS)
            )
        return Term(_UNKNOWN_TRIPS)

    def _is_inside(self, value: Value) -> bool:
        """Whether a value is computed in the loop whose cost is asked for."""
        owner = value.owner
        op = owner.owner.operation if isinstance(owner, ir.Block) else owner.operation.parent
        while op is not None:
            if op == self._around:
                return True
            op = op.operation.parent
        return False


def _weight(op: Operation, name: str) -> float:
    if name.startswith(FUNCTIONS):
        return _ELEMENTARY
    # Positions are computed by what loads and stores.
    return 0 if len(op.results) and isinstance(op.results[0].type, ir.IndexType) else 1
