"""What the threads of a block write for each other, and the barriers that it takes.

Accesses are noted in the order in which the block makes them. An access of another thread to the same memory, one of
the two a write, waits behind a barrier; what a thread does with elements of its own needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.rewriting import constant_integer, is_defined_inside, operations_of
from ...nests.collapse import is_identity_layout
from ...nests.independence import base, handed_on
from .captures import is_pure

ALL, ONE = "all", "one"
"""Who accesses memory: every thread the same, or the first thread. Shared loops have a spread in this place."""


@dataclass(frozen=True)
class Spread:
    """How the iterations of loops are shared by threads: those of equal loops go to the same threads."""

    loops: tuple[Hashable, ...]
    outer: frozenset[Value]
    """The values of which bounds are made."""


@dataclass(frozen=True)
class _Number:
    """An index that is known."""

    number: int


Place: TypeAlias = "tuple[Hashable, ...]"
"""Names of a memref and of indices."""


@dataclass(frozen=True)
class Access:
    """An access to memory, by some threads."""

    memory: frozenset[Hashable]
    """What it may be."""
    who: Hashable
    writes: bool
    place: Place | None = None
    """Where, as a function of the iteration; None where that is not told."""
    outer: frozenset[Value] = frozenset()
    """The values that the place depends on, besides."""
    column: Place | None = None
    """The last axes of the memory, if it goes along them with the iteration alone: who has another one is elsewhere."""

    def meets(self, later: Access, around: Operation | None = None) -> bool:
        """Whether a later access has to wait for it; with a loop around, whether one of the next iteration has to."""
        if not (self.writes or later.writes) or not self.memory & later.memory:
            return False
        if self.who == later.who == ONE:
            return False
        spread = self.who.outer if isinstance(self.who, Spread) else frozenset[Value]()
        if around is not None and any(is_defined_inside(value, around) for value in spread):
            return True
        if self.who == later.who and self.column is not None and self.column == later.column:
            return False
        if around is not None and any(is_defined_inside(value, around) for value in self.outer):
            return True
        is_same = isinstance(self.who, Spread) and self.who == later.who and self.place == later.place
        return not (is_same and self.place is not None) and not _are_apart(self.place, later.place)


def _are_apart(one: Place | None, other: Place | None) -> bool:
    """Whether two places of the same memref differ by a number along some axis."""
    if one is None or other is None or one[0] != other[0]:
        return False
    pairs = zip(one[1:], other[1:], strict=True)
    return any(isinstance(a, _Number) and isinstance(b, _Number) and a != b for a, b in pairs)


def column_of(memref: Value, place: Place | None, spread: int) -> Place | None:
    """The last axes of all memory that a memref may be, with their extents, if the spread goes along all of them."""
    if place is None or not spread:
        return None
    indices = place[len(place) - spread :]
    is_spread = set(indices) == {("position", number) for number in range(spread)}
    extents = tuple(memref.type.shape[len(memref.type.shape) - spread :])
    return (*indices, *extents) if is_spread and _has_columns(memref, extents) else None


def _has_columns(memref: Value, extents: tuple[int, ...]) -> bool:
    """Whether a memref has whole rows of all memory that it may be, along axes of these extents."""
    pending, seen = [memref], {memref}
    while pending:
        value = pending.pop()
        shape = tuple(value.type.shape)
        if shape[len(shape) - len(extents) :] != extents or ir.ShapedType.get_dynamic_size() in extents:
            return False
        made = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if made is not None and made.name == "memref.subview" and _is_of_rows(made, len(extents)):
            following = [made.operands[0]]
        elif made is not None and base(value) != value:
            return False
        else:
            following = handed_on(value)
            if not following and not is_identity_layout(value.type):
                return False
        if any(not isinstance(other.type, ir.MemRefType) or not other.type.rank for other in following):
            return False
        pending += [other for other in following if other not in seen]
        seen.update(following)
    return True


def _is_of_rows(subview: Operation, axes: int) -> bool:
    """Whether a view has all of the last axes."""
    offsets, sizes, strides = (
        list(subview.attributes[f"static_{name}"])[-axes:] for name in ("offsets", "sizes", "strides")
    )
    shape = list(subview.operands[0].type.shape)[-axes:]
    return offsets == [0] * axes and sizes == shape and strides == [1] * axes


class Places:
    """Names for places: equal ones for values that are the same function of the position in a spread."""

    def __init__(self) -> None:
        self._names: dict[Hashable, int] = {}
        self._outer: list[frozenset[Value]] = []

    def of(self, values: Iterable[Value], positions: Sequence[Value] = ()) -> tuple[Place, frozenset[Value]]:
        """The place of a memref and indices, or of other values; and what it depends on."""
        known: dict[Value, Hashable] = {p: ("position", number) for number, p in enumerate(positions)}
        names = tuple(self._named(value, known) for value in values)
        return names, self._outer_of(names)

    def of_expressions(
        self, memref: Value, expressions: Sequence[Any], parallel: Sequence[int]
    ) -> tuple[Place | None, frozenset[Value]]:
        """The place of an access of a nest; None where it goes along with other dimensions, or with several."""
        names = [self._named(memref, {})]
        for expression in expressions:
            if isinstance(expression, ir.AffineDimExpr) and expression.position in parallel:
                names.append(("position", parallel.index(expression.position)))
            elif isinstance(expression, ir.AffineConstantExpr):
                names.append(_Number(int(expression.value)))
            else:
                return None, frozenset()
        return tuple(names), self._outer_of(names)

    def _outer_of(self, names: Iterable[Hashable]) -> frozenset[Value]:
        return frozenset[Value]().union(*(self._outer[name] for name in names if isinstance(name, int)))

    def _named(self, value: Value, known: dict[Value, Hashable]) -> Hashable:
        if value not in known:
            number = constant_integer(value)
            known[value] = self._computed(value, known) if number is None else _Number(number)
        return known[value]

    def _computed(self, value: Value, known: dict[Value, Hashable]) -> int:
        """The number of what computes a value; equal ones have the same."""
        if isinstance(value.owner, ir.Block) or not is_pure(value.owner.operation):
            what, outer = ("value", value), frozenset([value])
        else:
            op = value.owner.operation
            operands = [self._named(operand, known) for operand in op.operands]
            what, outer = (op.name, *op.attributes.items(), *operands, value.type), self._outer_of(operands)
        if what not in self._names:
            self._names[what] = len(self._names)
            self._outer.append(outer)
        return self._names[what]


class Order:
    """The accesses since the last barrier, and where the next one goes."""

    def __init__(self, write_barrier: Callable[[], None]) -> None:
        self._write_barrier = write_barrier
        self._pending: dict[Access, None] = {}
        self._leading: dict[Access, None] = {}
        """Those before the first barrier of what is being written."""
        self._has_barrier = False
        """Whether there is one, whatever way is taken."""

    def touch(self, accesses: Iterable[Access]) -> None:
        """Threads access memory, behind a barrier where it needs one."""
        new = dict.fromkeys(accesses)
        if any(one.meets(other) for one in self._pending for other in new):
            self.barrier()
        if not self._has_barrier:
            self._leading |= new
        self._pending |= new

    def barrier(self) -> None:
        """Wait for all threads."""
        self._write_barrier()
        self.note_barrier()

    def note_barrier(self) -> None:
        """There is a barrier already."""
        self._pending, self._has_barrier = {}, True

    @contextmanager
    def loop(self, around: Operation) -> Iterator[Callable[[], None]]:
        """Write the body of a loop that may run not at all; what is given is called at its end, inside of it."""
        before, outer_leading, outer_barrier = dict(self._pending), self._leading, self._has_barrier
        self._leading, self._has_barrier = {}, False

        def end() -> None:
            if any(one.meets(other, around) for one in self._pending for other in self._leading):
                self.barrier()

        yield end
        self._pending = before | self._pending
        self._leading = outer_leading if outer_barrier else outer_leading | self._leading
        self._has_barrier = outer_barrier

    @contextmanager
    def condition(self, around: Operation) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
        """Write both parts of a `while`: what is given is called between them, and at the end of the second."""
        outer_leading, outer_barrier = self._leading, self._has_barrier
        self._leading, self._has_barrier = {}, False
        left: list[tuple[dict[Access, None], bool]] = []

        def between() -> None:
            left.append((dict(self._pending), self._has_barrier))

        def end() -> None:
            if any(one.meets(other, around) for one in self._pending for other in self._leading):
                self.barrier()

        yield between, end
        (pending, had_barrier), again = left[0], self._pending
        self._pending = pending if had_barrier else pending | again
        self._leading = outer_leading if outer_barrier else outer_leading | self._leading
        self._has_barrier = outer_barrier or had_barrier

    @contextmanager
    def ways(self) -> Iterator[Callable[[], None]]:
        """Write the ways of a branch: what is given is called before each of them."""
        before, outer_leading, outer_barrier = dict(self._pending), self._leading, self._has_barrier
        done: list[tuple[dict[Access, None], dict[Access, None], bool]] = []
        started = False

        def start() -> None:
            nonlocal started
            if started:
                done.append((self._pending, self._leading, self._has_barrier))
            started = True
            self._pending, self._leading, self._has_barrier = dict(before), {}, False

        yield start
        done.append((self._pending, self._leading, self._has_barrier))
        self._pending = {access: None for pending, _, _ in done for access in pending}
        inner = {access: None for _, leading, _ in done for access in leading}
        self._leading = outer_leading if outer_barrier else outer_leading | inner
        self._has_barrier = outer_barrier or all(barrier for _, _, barrier in done)


def accesses_in(ops: Iterable[Operation]) -> Iterator[tuple[Value, list[Value] | None, bool]]:
    """What operations, and those in them, access: memrefs, indices where there are such, and whether they write."""
    for op in (inner for outer in ops for inner in (outer, *operations_of(outer))):
        if op.name == "memref.load":
            yield op.operands[0], list(op.operands)[1:], False
        elif op.name == "memref.store":
            yield op.operands[1], list(op.operands)[2:], True
        elif op.name == "linalg.generic":
            inputs = next(iter(op.attributes["operandSegmentSizes"]))
            for number, operand in enumerate(op.operands):
                if isinstance(operand.type, ir.MemRefType):
                    yield operand, None, False
                    if number >= inputs:
                        yield operand, None, True
