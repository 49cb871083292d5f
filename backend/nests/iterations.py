"""Loops whose iterations need nothing of each other: what each writes, no other one touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, is_defined_inside, operations_in, operations_of
from ..planning.names import EXIT
from .independence import base

_ACCESSES = {"memref.load": 0, "memref.store": 1}
"""The operations that touch memory, and which of their operands is the memref; indices follow."""
_HARMLESS = (
    "arith.",
    "complex.",
    *FUNCTIONS,
    "index.",
    "scf.",
    "tensor.",
    "affine.apply",
    "memref.dim",
    "memref.get_global",
)
_BELOW = 6
"""The predicate of `arith.cmpi ult`."""
_LOCAL = ("memref.alloc", "memref.alloca", "memref.dealloc")


@dataclass
class Linear:
    """A sum: a multiple of the position of a loop, multiples of values from outside of it, and a number."""

    factor: int = 0
    terms: dict[Value, int] = field(default_factory=dict)
    number: int = 0

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """This and a multiple of another."""
        terms = dict(self.terms)
        for value, count in other.terms.items():
            terms[value] = terms.get(value, 0) + times * count
        terms = {value: count for value, count in terms.items() if count}
        return Linear(self.factor + times * other.factor, terms, self.number + times * other.number)


def are_independent(loop: Operation, record: Value | None = None) -> bool:
    """Whether the iterations of an `scf.for` may run in any order, or at the same time.

    What an iteration writes, no other one may touch: along some axis, the two go with the loop in the same way, or are
    at different places whatever the iterations are, as in the row before.
    With the `record` of errors of a kernel, iterations may also raise: that the first does is left to the caller.
    """
    if loop.name != "scf.for" or loop.results:
        return False
    return shares_nothing_else(loop, (), record)


def shares_nothing_else(loop: Operation, loaded: Sequence[Value], record: Value | None = None) -> bool:
    """Whether no iteration touches what another one writes, but for some numbers that are loaded."""
    for op in operations_of(loop):
        is_known = op.name in _ACCESSES or op.name in _LOCAL or op.name.startswith(_HARMLESS)
        if not is_known and not (record is not None and _is_exit(op)):
            return False
    pairs = _pairs_with_writes(_accesses_in(loop, record, loaded))
    return all(_is_own(one, other) or _is_apart(one, other) for one, other in pairs)


def is_of_last(load: Operation, store: Operation, loop: Operation) -> bool:
    """Whether a load has what the only store to its memory has stored an iteration before."""
    (memref, *places), (target, *others) = list(load.operands), list(store.operands)[1:]
    step = constant_integer(loop.operands[2])
    written = [access.memref for access in _accesses_in(loop, None) if access.writes]
    if memref != target or step is None or sum(base(each) == base(target) for each in written) != 1:
        return False
    pairs = [(linear(place, loop), linear(other, loop)) for place, other in zip(places, others, strict=True)]
    found = [(one, other) for one, other in pairs if one is not None and other is not None]
    return (
        len(found) == len(pairs)
        and any(other.factor for _, other in found)
        and all(one == Linear(o.factor, o.terms, o.number - o.factor * step) for one, o in found)
    )


def reads_nothing_it_writes(
    loop: Operation, loaded: Sequence[Value] = (), record: Value | None = None
) -> bool:
    """Whether no iteration of a loop reads what it writes, so that it does the same when it is done again.

    Some numbers that are `loaded` do not count.
    """
    pairs = _pairs_with_writes(_accesses_in(loop, record, loaded))
    return all((one.writes and other.writes) or _is_apart(one, other) for one, other in pairs)


def loads_before_stores(loop: Operation, loaded: Sequence[Value]) -> set[Operation] | None:
    """The loads of an iteration from memory that it writes to later, but for some numbers that are loaded.

    None where some are behind that, or in a branch or a loop inside.
    """
    found, written = set[Operation](), set[Value]()
    all_written = {base(access.memref) for access in _accesses_in(loop, None) if access.writes}
    for op in operations_in(loop.regions[0].blocks[0]):
        for inner in [op, *operations_of(op)]:
            if inner.name == "memref.store":
                written.add(base(inner.operands[1]))
            elif inner.name == "memref.load" and base(inner.operands[0]) in all_written:
                if any(value in loaded for value in inner.results):
                    continue
                if inner != op or base(inner.operands[0]) in written:
                    return None
                found.add(inner)
    return found


@dataclass
class _Access:
    """A load or a store in a loop."""

    memref: Value
    places: list[Linear | None]
    writes: bool


def _accesses_in(loop: Operation, record: Value | None, loaded: Sequence[Value] = ()) -> list[_Access]:
    """The accesses to memory that iterations share, but for the record of errors and some numbers."""
    found = []
    for op in operations_of(loop):
        if op.name in _ACCESSES and not any(value in loaded for value in op.results):
            memref, *indices = list(op.operands)[_ACCESSES[op.name] :]
            memory = base(memref)
            if not _is_local(memory, loop) and (record is None or memory != record):
                places = [linear(index, loop) for index in indices]
                found.append(_Access(memref, places, op.name == "memref.store"))
    return found


def _pairs_with_writes(accesses: list[_Access]) -> Iterator[tuple[_Access, _Access]]:
    """Accesses to the same memory, the first of which writes; a write is also one with itself."""
    for one in accesses:
        if one.writes:
            yield from ((one, other) for other in accesses if base(one.memref) == base(other.memref))


def _is_exit(op: Operation) -> bool:
    return op.name == "func.call" and bool(op.attributes["callee"].value == EXIT)


def _is_local(memory: Value, loop: Operation) -> bool:
    """Whether memory belongs to an iteration."""
    return not isinstance(memory.owner, ir.Block) and is_defined_inside(memory, loop)


def _is_own(one: _Access, other: _Access) -> bool:
    """Whether two accesses of different iterations are never at the same place, as both go along with the loop."""
    return one.memref == other.memref and any(
        place is not None and place.factor != 0 and place == its
        for place, its in zip(one.places, other.places, strict=True)
    )


def _is_apart(one: _Access, other: _Access) -> bool:
    """Whether two accesses, of the same iteration or of two, are never at the same place along some axis."""
    return one.memref == other.memref and any(
        place is not None and its is not None and _differ(place, its)
        for place, its in zip(one.places, other.places, strict=True)
    )


def _differ(place: Linear, other: Linear) -> bool:
    """Whether two places that do not depend on the iteration are so many elements apart."""
    return place.factor == other.factor == 0 and place.terms == other.terms and place.number != other.number


def linear(value: Value, loop: Operation) -> Linear | None:
    """A number as a sum in the position of a loop; None where it is another function of what the loop computes."""
    if value == loop.regions[0].blocks[0].arguments[0]:
        return Linear(1)
    number = constant_integer(value)
    if number is not None:
        return Linear(number=number)
    known = None if isinstance(value.owner, ir.Block) else _linear_result(value, loop)
    if known is None and not is_defined_inside(value, loop):
        return Linear(terms={value: 1})
    return known


def _linear_result(value: Value, loop: Operation) -> Linear | None:
    """What an operation makes, as a sum of what it is made of."""
    op = value.owner.operation
    if op.name == "arith.index_cast" and _is_word(op.operands[0].type) and _is_word(value.type):
        return linear(op.operands[0], loop)
    if op.name == "arith.select":
        chosen = 1 if _is_clamp(op) else constant_integer(op.operands[0])
        return None if chosen is None else linear(op.operands[1 if chosen else 2], loop)
    if op.name in ("arith.addi", "arith.subi", "arith.muli"):
        left, right = (linear(operand, loop) for operand in op.operands)
        return None if left is None or right is None else _combined(op.name, left, right)
    return None


def _combined(name: str, left: Linear, right: Linear) -> Linear | None:
    if name != "arith.muli":
        return left.plus(right, 1 if name == "arith.addi" else -1)
    for factor, other in ((left, right), (right, left)):
        if not factor.factor and not factor.terms:
            return Linear().plus(other, factor.number)
    return None


def clamps_in(loop: Operation) -> bool:
    """Whether a loop looks whether indices are in bounds."""
    return any(op.name == "arith.select" and _is_clamp(op) for op in operations_of(loop))


def _is_clamp(select: Operation) -> bool:
    """Whether an index is taken as it is unless it is out of bounds, which a check before has excluded.

    Only clamps compare indices without sign: what programs compare are integers.
    """
    condition, index, otherwise = select.operands
    compare = None if isinstance(condition.owner, ir.Block) else condition.owner.operation
    return (
        isinstance(index.type, ir.IndexType)
        and constant_integer(otherwise) == 0
        and compare is not None
        and compare.name == "arith.cmpi"
        and compare.attributes["predicate"].value == _BELOW
        and compare.operands[0] == index
    )


def _is_word(type: ir.Type) -> bool:
    """Whether a type holds all indices."""
    return isinstance(type, ir.IndexType) or str(type) == "i64"


def perfect_nest(loop: Operation, record: Value | None = None) -> Iterator[Operation]:
    """A loop with independent iterations, and those that are all that is in it, as long as theirs are, too."""
    yield loop
    while True:
        *ops, _ = operations_in(loop.regions[0].blocks[0])
        inner = [op for op in ops if op.name == "scf.for"]
        others = [op for op in ops if op.name != "scf.for"]
        if len(inner) != 1 or not all(op.name.startswith("arith.") for op in others):
            return
        (following,) = inner
        if any(is_defined_inside(bound, loop) for bound in list(following.operands)[:3]):
            return
        if constant_integer(following.operands[2]) is None or not are_independent(following, record):
            return
        loop = following
        yield loop
