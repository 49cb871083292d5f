"""What a loop over time does: which rows its statements update, of which rows they read, and how to shift them.

A statement computes rows of a tensor that the loop carries, element by element, of rows of such tensors which are
further down or up. Statements of later steps may come before those of earlier ones where they work on rows further
up: a statement j is shifted by `within[j]` rows, and each step by `step` rows more, so that

* what a statement reads is computed, if it lies at most as far down as the shift between the two, and
* what a statement writes over has been read, if it was read at most as far up.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

from .....dialect.mlir import Operation, Value, ir
from .....dialect.records import NamedTuple, dataclass
from .....passes.control_flow.structure import body, used_inside, yielded
from .....passes.rewriting import constant_integer, operations_in
from ....planning.outlining.slices import Slice
from .elementwise import ARITHMETIC, is_elementwise


class Read(NamedTuple):
    """A tensor of those that a loop carries, and how many rows further down a statement reads it."""

    place: int
    down: int


@dataclass(frozen=True, eq=False)
class Statement:
    """An update of rows of a tensor that a loop carries."""

    insert: Operation
    generic: Operation | None
    """What computes the rows; None where they depend on nothing that the loop carries: then it is one row."""
    place: int
    first: int
    end: int
    reads: tuple[Read, ...]


@dataclass(frozen=True, eq=False)
class Steps:
    """A loop over time."""

    loop: Operation
    statements: tuple[Statement, ...]
    others: tuple[Operation, ...]
    """The ops of the body that depend on nothing that the loop carries, in order."""

    @property
    def carried(self) -> list[Value]:
        """The tensors that the loop carries, as an iteration finds them."""
        return list(body(self.loop).arguments)[1:]


class Shifts(NamedTuple):
    """By how many rows further up statements work."""

    within: tuple[int, ...]
    step: int


def shifts_of(statements: Sequence[Statement]) -> Shifts:
    """The least shifts that keep what statements read: those of a step, and what each step adds."""
    within: list[int] = []
    for number, later in enumerate(statements):
        bounds = (
            within[place] + reach
            for place, earlier in enumerate(statements[:number])
            if (reach := _reach(earlier, later)) is not None
        )
        within.append(max(bounds, default=0))
    around = (
        within[i] + reach - within[j]
        for (i, earlier), (j, later) in itertools.product(enumerate(statements), repeat=2)
        if (reach := _reach(earlier, later)) is not None
    )
    return Shifts(tuple(within), max(0, *around))


def _reach(earlier: Statement, later: Statement) -> int | None:
    """By how many rows a statement must be shifted against one that it follows; None where it need not."""
    found = [read.down for read in later.reads if read.place == earlier.place]
    found += [-read.down for read in earlier.reads if read.place == later.place]
    if earlier.place == later.place:
        found.append(0)
    return max(found, default=None)


def steps_of(loop: Operation) -> Steps | None:
    """A loop over time; None for other loops."""
    block = body(loop)
    carried = list(block.arguments)[1:]
    if not all(map(has_rows, carried)) or constant_integer(loop.operands[2]) != 1:
        return None
    finder = _Finder(carried)
    if not all(finder.takes(operation) for operation in operations_in(block)[:-1]):
        return None
    if yielded(block) != finder.current or all(found.generic is None for found in finder.statements):
        return None
    return Steps(loop, tuple(finder.statements), tuple(finder.others))


def has_rows(value: Value) -> bool:
    """Whether a value is a tensor of known extents, and not a number."""
    type = value.type
    return isinstance(type, ir.RankedTensorType) and type.has_static_shape and type.rank > 0


class _Finder:
    """Reads the body of a loop, op by op."""

    def __init__(self, carried: list[Value]) -> None:
        self.current = list(carried)
        """What the tensors that the loop carries are at the op that is looked at."""
        self.statements: list[Statement] = []
        self.others: list[Operation] = []
        self._parts: dict[Value, tuple[int, Slice]] = {}
        """Slices of tensors as they are when the slices are read."""
        self._whole: set[Value] = set(carried)
        self._computed: dict[Value, tuple[Operation, tuple[Read, ...]]] = {}
        self._known: set[Value] = set(carried)
        """All that depends on what the loop carries."""

    def takes(self, operation: Operation) -> bool:
        """Whether an op is one of those that such loops have; notes what it does."""
        if self._known.isdisjoint(used_inside(operation)):
            self.others.append(operation)
            return _is_pure(operation)
        self._known.update(operation.results)
        if operation.name == "tensor.extract_slice":
            return self._takes_slice(operation)
        if operation.name == "linalg.generic":
            return self._takes_generic(operation)
        return operation.name == "tensor.insert_slice" and self._takes_update(operation)

    def _takes_slice(self, operation: Operation) -> bool:
        source = operation.operands[0]
        part = Slice.of(operation)
        if source not in self.current or not _is_plain(part):
            return False
        self._parts[operation.results[0]] = (self.current.index(source), part)
        return True

    def _takes_generic(self, operation: Operation) -> bool:
        reads = self._reads(operation)
        if reads is None or not is_elementwise(operation, _ARITHMETIC):
            return False
        self._computed[operation.results[0]] = (operation, reads)
        return True

    def _reads(self, operation: Operation) -> tuple[Read, ...] | None:
        """What an op reads of the tensors that the loop carries, rows from those of its own first row on."""
        row, rows = ir.AffineExpr.get_dim(0), operation.results[0].type.shape[0]
        found: list[Read] = []
        for operand, mapped in zip(operation.operands, operation.attributes["indexing_maps"], strict=True):
            first, *others = mapped.value.results or (None,)
            if any(_depends_on_rows(e) and e != row for e in mapped.value.results):
                return None
            if operand in self._parts or operand in self._whole:
                is_row = first == row or (rows == 1 and first == ir.AffineExpr.get_constant(0))
                if not is_row or row in others or operand.type.shape[0] != rows:
                    return None
                if operand in self._whole and operand not in self.current:
                    return None
                place, down = self._place(operand)
                found.append(Read(place, down))
            elif operand in self._computed:
                return None
        return tuple(found)

    def _place(self, operand: Value) -> tuple[int, int]:
        if operand not in self._parts:
            return self.current.index(operand), 0
        place, part = self._parts[operand]
        return place, int(part.offsets[0])

    def _takes_update(self, operation: Operation) -> bool:
        update, whole = list(operation.operands)[:2]
        part = Slice.of(operation)
        if whole not in self.current or not _is_plain(part) or len(operation.operands) > 2:
            return False
        place = self.current.index(whole)
        first, rows = int(part.offsets[0]), int(part.sizes[0])
        generic, reads = self._computed.get(update, (None, ()))
        if generic is None and (rows != 1 or update in self._parts or update in self._whole):
            return False
        reads = tuple(Read(read.place, read.down - first) for read in reads)
        if generic is not None and not self._is_new(generic, operation):
            return False
        self.statements.append(Statement(operation, generic, place, first, first + rows, reads))
        self.current[place] = operation.results[0]
        self._whole.add(operation.results[0])
        return True

    def _is_new(self, generic: Operation, insert: Operation) -> bool:
        """Whether what an op read is still so, and its result is used for one update alone.

        Of the tensor that is updated it may have read what is replaced, each element for its own.
        """
        if [use.owner.operation for use in generic.results[0].uses] != [insert]:
            return False
        maps = [mapped.value for mapped in generic.attributes["indexing_maps"]]
        for operand, mapped in zip(generic.operands, maps, strict=True):
            source = operand.owner.operation.operands[0] if operand in self._parts else operand
            if operand not in self._parts and operand not in self._whole:
                continue
            if source not in self.current:
                return False
            offsets = self._parts[operand][1].offsets if operand in self._parts else [0] * operand.type.rank
            if source == insert.operands[1] and (offsets != Slice.of(insert).offsets or mapped != maps[-1]):
                return False
        return True


def _is_plain(part: Slice) -> bool:
    """Whether a slice has known bounds, no gaps, and all axes of what it is a slice of."""
    bounds = (*part.offsets, *part.sizes, *part.strides)
    return (
        all(isinstance(bound, int) for bound in bounds)
        and all(stride == 1 for stride in part.strides)
        and len(part.kept) == len(part.sizes)
    )


_ARITHMETIC = (*ARITHMETIC, "complex.")
MOST_ELEMENTS = 4096
"""What may be computed anew for each band of rows."""


def _is_pure(operation: Operation) -> bool:
    """Whether an op that depends on nothing that the loop carries may run as often as it likes."""
    if operation.name == "tensor.empty":
        return True
    types = [result.type for result in operation.results]
    if any(isinstance(type, ir.RankedTensorType) and not _is_small(type) for type in types):
        return False
    if operation.name.startswith((*_ARITHMETIC, "linalg.generic", "linalg.fill")):
        return True
    return operation.name in {
        *("tensor.extract", "tensor.extract_slice", "tensor.from_elements"),
        *("tensor.expand_shape", "tensor.collapse_shape"),
    }


def _is_small(type: ir.RankedTensorType) -> bool:
    return bool(type.has_static_shape) and math.prod(type.shape) <= MOST_ELEMENTS


def _depends_on_rows(expression: ir.AffineExpr) -> bool:
    """Whether the first loop is in an expression."""
    return re.search(r"\bd0\b", str(expression)) is not None
