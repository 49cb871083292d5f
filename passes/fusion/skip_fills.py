"""Do not fill tensors of which loops write each row before anything reads it.

    x = np.zeros((n, m))                   x = memory as it is
    x[0] = first                           x[0] = first
    for i in range(1, n):         becomes  for i in range(1, n):
        x[i] = f(x[i - 1])                     x[i] = f(x[i - 1])

What is written is known row by row along one axis: updates add rows to it, an iteration finds what those before it
wrote, and all rows behind a loop are those that its iterations wrote. What NumPy's `empty` gives is arbitrary, weft's
is zeros: so these are filled, too, unless it is proved that nobody can tell.
"""

from __future__ import annotations

from typing import TypeAlias

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.creation import Constant, Empty
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo, Dim
from ...dialect.ops.slicing import Slice, SliceUpdate, slice_of
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ...dialect.sizes import Size, symbol, terms_of
from ..base import Pass, Statistics
from ..control_flow.linear import is_at_most_zero, is_exact, linear
from ..control_flow.structure import (
    FOR,
    body,
    producer,
    scalar_constant,
    terminator,
    yielded,
)
from ..rewriting import defined_functions, is_defined_inside, operations_of, type_of

Rows: TypeAlias = "tuple[Size, Size]"
"""The rows from the first one up to the second, which is not among them."""
Written: TypeAlias = tuple[Rows, ...]
"""Rows of a tensor that were written, whatever else was; each of them, as far as there is such a row."""

_MOST_RANGES = 4
"""How many ranges of rows are kept apart: others are taken for not written."""


@dataclass(frozen=True)
class SkipFills(Pass):
    """Replace equal elements from which a loop or an update starts by `weft.empty`, where nobody reads them.

    Rows are those of any one axis, of a known extent; they are written by `weft.slice_update`, or by a `weft.scatter`
    at an index that goes up or down by one with each iteration of an `scf.for`.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at each use of equal elements."""
        for function in defined_functions(module):
            for operation in operations_of(function.operation):
                if _is_fill(operation):
                    statistics["fills skipped"] += _skip(operation)


def _is_fill(operation: Operation) -> bool:
    """Whether an op makes a tensor of known extents with equal elements."""
    op_class = op_class_of(operation)
    if op_class is BroadcastTo:
        scalar = not type_of(operation.operands[0]).rank
    else:
        scalar = op_class is Constant and operation.attributes["value"].is_splat
    return scalar and type_of(operation.results[0]).is_static and type_of(operation.results[0]).rank > 0


def _skip(fill: Operation) -> int:
    """Replace a fill for those of its users that overwrite it; how many these are."""
    skipped = 0
    found = type_of(fill.results[0])
    for user, index in _uses(fill.results[0]):
        if not _starts(user, index):
            continue
        if any(
            _is_hidden(_Use(user, index, ()), _Axis(axis, found.shape[axis] or 0))
            for axis in range(found.rank)
        ):
            with ir.InsertionPoint(user):
                empty = create(
                    Empty, [], {"shape": found.shape, "dtype": found.dtype}, location=fill.location
                )
            user.operands[index] = empty.results[0]
            skipped += 1
    if skipped and not _uses(fill.results[0]):
        fill.erase()
    return skipped


def _starts(user: Operation, index: int) -> bool:
    """Whether an op makes something new of an operand: a loop that carries it, or an update."""
    return user.name == FOR or (op_class_of(user) in (Scatter, SliceUpdate) and index == 0)


def _uses(value: Value) -> list[tuple[Operation, int]]:
    return [(use.owner.operation, use.operand_number) for use in value.uses]


@dataclass(frozen=True)
class _Use:
    """A use of a tensor of which some rows are written."""

    user: Operation
    index: int
    written: Written
    loops: tuple[tuple[Operation, int], ...] = ()
    """Where the loops around it hand on what they carry: the ends of their bodies, and the operands of these."""


def _is_hidden(first: _Use, rows: _Axis) -> bool:
    """Whether an op, and all that follows from it, reads rows of its operand only that are written."""
    pending = [first]
    while pending:
        use = pending.pop()
        if (use.user, use.index) in use.loops or rows.has_all(use.written):
            continue
        following = rows.behind(use)
        if following is None:
            return False
        for value, written, loops in following:
            pending += [_Use(user, index, written, loops) for user, index in _uses(value)]
    return True


_Following: TypeAlias = "list[tuple[Value, Written, tuple[tuple[Operation, int], ...]]]"
"""Tensors that are made of one, what is written of them, and the loops around."""


@dataclass(frozen=True)
class _Axis:
    """The rows of a tensor along one axis."""

    axis: int
    extent: int

    def has_all(self, written: Written) -> bool:
        """Whether all rows are written."""
        return _holds(written, (0, self.extent))

    def behind(self, use: _Use) -> _Following | None:
        """What an op makes of a tensor; None where it may read rows that are not written."""
        op_class = op_class_of(use.user)
        if op_class is Dim:
            return []
        if use.user.name == FOR:
            return self._behind_loop(use)
        rows = self._rows_of(use.user) if use.index == 0 else None
        if rows is None:
            return None
        if op_class in (Scatter, SliceUpdate):
            return [(use.user.results[0], self._with_update(use.written, use.user), use.loops)]
        return [] if _holds(use.written, rows) else None

    def _rows_of(self, operation: Operation) -> Rows | None:
        """The rows that an op reads of a tensor, or has in its update; None where they are not known."""
        op_class = op_class_of(operation)
        if op_class is None or op_class not in (Slice, SliceUpdate, Gather, Scatter):
            return None
        attributes = decode_attributes(op_class, operation)
        if op_class in (Slice, SliceUpdate):
            bounds = slice_of(*(attributes[name][self.axis] for name in ("start", "stop", "step")))
            taken = range(*bounds.indices(self.extent))
            return (taken.start, taken.stop) if taken.step == 1 else None
        if self.axis not in attributes["axes"]:
            return None
        index = operation.operands[(1 if op_class is Gather else 2) + attributes["axes"].index(self.axis)]
        place = linear(index)
        if type_of(index).rank or not is_exact(place) or not self._is_inside(place):
            return None
        return place, place + 1

    def _is_inside(self, place: Size) -> bool:
        return is_at_most_zero(-place) and is_at_most_zero(place - self.extent + 1)

    def _with_update(self, written: Written, update: Operation) -> Written:
        """The rows that are written behind an update, where those in front of it are known."""
        rows = self._rows_of(update)
        return _with(written, rows) if rows is not None and self._is_whole(update) else written

    def _is_whole(self, update: Operation) -> bool:
        """Whether an update replaces all of each row that it replaces anything of."""
        if op_class_of(update) is Scatter:
            attributes = decode_attributes(Scatter, update)
            return bool(attributes["axes"] == (self.axis,) and attributes["mode"] == "set")
        shapes = [type_of(value).shape for value in list(update.operands)[:2]]
        others = [shape[: self.axis] + shape[self.axis + 1 :] for shape in shapes]
        return others[0] == others[1]

    # Loops

    def _behind_loop(self, use: _Use) -> _Following | None:
        """What a loop carries: by induction, as iterations find what those before them wrote."""
        loop, place = use.user, use.index - _BOUNDS
        if place < 0 or scalar_constant(loop.operands[2]) != 1:
            return None
        block = body(loop)
        carried, updates = block.arguments[place + 1], []
        last = yielded(block)[place]
        while last != carried:
            made = producer(last)
            if made is None or op_class_of(made) not in (Scatter, SliceUpdate):
                return None
            updates.append(made)
            last = made.operands[0]
        before, behind = self._written_in(loop, updates, use.written)
        inside = (*use.loops, (terminator(block), place))
        return [(carried, before, inside), (loop.results[place], behind, use.loops)]

    def _written_in(
        self, loop: Operation, updates: list[Operation], written: Written
    ) -> tuple[Written, Written]:
        """What is written where an iteration begins, and behind the loop."""
        counter = symbol(body(loop).arguments[0])
        start, stop = (linear(bound) for bound in list(loop.operands)[:2])
        for update in updates if is_exact(start) and is_exact(stop) else ():
            if op_class_of(update) is not Scatter or not self._with_update((), update):
                continue
            row = linear(update.operands[2])
            for pace, offset in ((1, row - counter), (-1, row + counter)):
                if not _depends_on(offset, loop):
                    first, end = offset + pace * start, offset + pace * stop
                    now, later = ((first, at) if pace == 1 else (at + 1, first + 1) for at in (row, end))
                    return _with(written, now), _with(written, later)
        return written, written


_BOUNDS = 3
"""The operands of a loop in front of what it carries."""


def _holds(written: Written, rows: Rows) -> bool:
    """Whether some rows are written."""
    first, end = rows
    return any(is_at_most_zero(lower - first) and is_at_most_zero(end - upper) for lower, upper in written)


def _with(written: Written, rows: Rows) -> Written:
    """Rows that are written, and some more: one range with those that they follow or that follow them."""
    first, end = rows
    if _holds(written, rows):
        return written
    for place, (lower, upper) in enumerate(written):
        others = written[:place] + written[place + 1 :]
        if is_at_most_zero(lower - first) and is_at_most_zero(first - upper):
            return (*others, (lower, end))
        if is_at_most_zero(end - upper) and is_at_most_zero(lower - end):
            return (*others, (first, upper))
    return (*written, rows)[:_MOST_RANGES]


def _depends_on(size: Size, loop: Operation) -> bool:
    return any(is_defined_inside(value, loop) for product in terms_of(size) for value in product)
