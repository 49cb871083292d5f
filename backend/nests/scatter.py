"""Recognise scatters: loops that write at places which are computed, and touch what they write nowhere else.

    for i: for j: if place(i) is inside: out[place(i), j] = f(out[place(i), j], x[i, j])

Which iterations meet is known only when they run. Those that write at the same place have to keep their order.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, is_defined_inside, operations_in, operations_of
from ..planning.names import EXIT
from .independence import base
from .iterations import linear

_PURE = ("arith.", "complex.", "index.", *FUNCTIONS)


@dataclass
class Scatter:
    """Loops and branches in each other, the innermost of which stores an element."""

    levels: list[Operation]
    """Outermost first: `scf.for` whose bounds are known before all of them, and `scf.if` without another way."""
    work: list[list[Operation]]
    """For each level what it computes before the next one; for the last one, before it stores."""
    store: Operation
    before: Operation | None
    """The load of the element that is overwritten, if there is one."""

    @property
    def loops(self) -> list[Operation]:
        """The levels that are loops."""
        return [level for level in self.levels if level.name == "scf.for"]

    @property
    def owners(self) -> list[Operation]:
        """The loops that tell alone where is written, another place for each of their iterations; none if not so."""
        found: list[Operation] = []
        outermost = self.levels[0]
        for place in list(self.store.operands)[2:]:
            if not is_defined_inside(place, outermost):
                continue
            forms = [(loop, linear(place, loop)) for loop in self.loops]
            owner = next((loop for loop, form in forms if form is not None and form.factor), None)
            form = None if owner is None else linear(place, owner)
            if owner is None or form is None or any(is_defined_inside(v, outermost) for v in form.terms):
                return []
            found.append(owner)
        return [loop for loop in self.loops if loop in found]

    @property
    def update(self) -> tuple[Operation, Value] | None:
        """What joins the old element and another number, if that alone is done; and the number."""
        value = self.store.operands[0]
        if self.before is None or isinstance(value.owner, ir.Block):
            return None
        old, join = self.before.results[0], value.owner.operation
        uses = [use.owner.operation for use in old.uses]
        others = [operand for operand in join.operands if operand != old]
        if uses != [join] or len(others) != 1 or len(join.operands) != 2 or len(list(value.uses)) != 1:
            return None
        return join, others[0]


def match_scatter(loop: Operation, *, may_raise: bool = False) -> Scatter | None:
    """See a loop as a scatter, or say that it is none; it may raise exceptions only where that is asked for."""
    levels: list[Operation] = []
    work: list[list[Operation]] = []
    level = loop
    while True:
        if not _is_level(level, loop):
            return None
        levels.append(level)
        *ops, _ = operations_in(level.regions[0].blocks[0])
        if not ops:
            return None
        *computed, last = ops
        work.append(computed)
        if not all(_only_computes(op) or (may_raise and is_check(op)) for op in computed):
            return None
        if last.name == "memref.store":
            break
        level = last
    found = Scatter(levels, work, last, None)
    return found if _touches_one_place(found, loop) and _places_vary(found) else None


def _only_computes(op: Operation) -> bool:
    return not op.regions and (op.name == "memref.load" or op.name.startswith(_PURE))


def is_check(op: Operation) -> bool:
    """Whether an operation raises an exception under a condition, and does nothing else but to note which."""
    if op.name != "scf.if" or op.results or any(len(operations_in(b)) > 1 for b in op.regions[1].blocks):
        return False
    ops = operations_in(op.regions[0].blocks[0])[:-1]  # without what ends the branch
    if not ops or ops[-1].name != "func.call":
        return False
    is_exit = ir.FlatSymbolRefAttr(ops[-1].attributes["callee"]).value == EXIT
    return is_exit and all(inner.name == "memref.store" or _only_computes(inner) for inner in ops[:-1])


def _is_level(op: Operation, outermost: Operation) -> bool:
    """Whether an operation is a loop with bounds from outside, or a branch with one way."""
    if op.results:
        return False
    if op.name == "scf.if":
        other = list(op.regions[1].blocks)
        return not other or len(operations_in(other[0])) == 1
    bounds = list(op.operands)[:3]
    return (
        op.name == "scf.for"
        and constant_integer(bounds[2]) is not None
        and not any(is_defined_inside(bound, outermost) for bound in bounds)
    )


def _touches_one_place(found: Scatter, loop: Operation) -> bool:
    """Whether all that is read of the written memory is the element that is overwritten, right before."""
    _, target, *places = found.store.operands
    if is_defined_inside(target, loop):
        return False
    for op in operations_of(loop):
        if op.name == "memref.store" and op != found.store and base(op.operands[1]) == base(target):
            return False
        if op.name != "memref.load" or base(op.operands[0]) != base(target):
            continue
        if list(op.operands) != [target, *places] or op not in found.work[-1] or found.before is not None:
            return False
        found.before = op
    return True


def _places_vary(found: Scatter) -> bool:
    """Whether it depends on the innermost loop where is written."""
    pending, seen = list(found.store.operands)[2:], set[Value]()
    innermost = found.loops[-1].regions[0].blocks[0].arguments[0]
    while pending:
        value = pending.pop()
        if value == innermost:
            return True
        if value not in seen and not isinstance(value.owner, ir.Block):
            pending += value.owner.operation.operands
        seen.add(value)
    return False
