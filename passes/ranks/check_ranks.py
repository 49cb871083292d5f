"""See to it that ranks do the same together, and that gradients are those of the whole function.

A collective under a condition that ranks may differ in is refused: some would wait for ever. Where a value that is the
same on all ranks meets others, it is a value of each rank from there on, `weft.vary`, whose cotangent is summed:

    %w = weft.replicated %p                     %w = weft.replicated %p
    %y = weft.multiply %w, %x                   %v = weft.vary %w
                                                %y = weft.multiply %v, %x

Only what derivatives are asked by is looked at: elsewhere this changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.collectives import place_of
from ...dialect.errors import DifferentiationError, DivergenceError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.casts import Cast
from ...dialect.ops.differentiation import Gradient, Independent, Pairs, Request
from ...dialect.ops.distributed import AllReduce, Local, OfRanks, Replicated, Together, Vary
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import FOR, IF, WHILE, body
from ..differentiation.activity import Activity
from ..rewriting import defined_functions, operations_of, symbols_of, terminator
from .sameness import OTHERS, Samenesses, over_of


@dataclass(frozen=True)
class CheckRanks(Pass):
    """Let ranks do the same together, and sum gradients by what they share."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at each function, with what is known of values when all of it was followed."""
        known = Samenesses(module)
        waiting = _functions_that_wait(module)
        for function in defined_functions(module):
            operation = function.operation
            known.follow_function(operation)
            for op in operations_of(operation):
                if _waits(op, waiting):
                    _require_all_come(op, known)
            _Gradients(operation, known, statistics).run()


def _waits(operation: Operation, functions: set[str]) -> bool:
    """Whether an op waits for other ranks."""
    op_class = op_class_of(operation)
    if op_class is not None:
        return issubclass(op_class, Together)
    return operation.name == "func.call" and operation.attributes["callee"].value in functions


def _functions_that_wait(module: Module) -> set[str]:
    """The functions that do something together with other ranks, or call one that does."""
    functions, found = symbols_of(module), set[str]()
    while True:
        more = {
            name
            for name, function in functions.items()
            if name not in found and any(_waits(op, found) for op in operations_of(function))
        }
        if not more:
            return found
        found |= more


def _require_all_come(operation: Operation, known: Samenesses) -> None:
    """Raise DivergenceError for a collective that some ranks may not come to."""
    op_class = op_class_of(operation)
    axes = known.everywhere if op_class is None else known.axes(over_of(op_class, operation))
    inner, around = operation, operation.parent
    while around is not None and around.name != "func.func":
        for condition in _conditions(around.operation, inner):
            if known.of(condition).varies & axes:
                what = "a loop" if around.name in (FOR, WHILE) else "a branch"
                line = place_of(str(around.location)).rpartition(":")[2]
                name = "a function" if op_class is None else op_class.name.replace("_rank", "")
                raise DivergenceError(
                    f"{name} of all ranks is in {what} (line {line}) that depends on what ranks may have different "
                    "ones of: those that come here would wait for the others for ever. Decide by something that is "
                    "the same on all ranks, weft.distributed.all_reduce(condition, 'any') or "
                    "weft.distributed.replicated(value)",
                    str(operation.location),
                )
        inner, around = around.operation, around.operation.parent


def _conditions(around: Operation, inner: Operation) -> list[Value]:
    """The values that decide whether, and how often, what is inside of an op happens."""
    if around.name == IF:
        return [around.operands[0]]
    if around.name == FOR:
        return list(around.operands)[:3]
    return [terminator(body(around)).operands[0]] if around.name == WHILE else []


class _Reached(Activity):
    """What depends on values without that the program says whether it is the same on all ranks."""

    def _simple(self, operation: Operation) -> None:
        if op_class_of(operation) not in (Local, Replicated, Vary):
            super()._simple(operation)


def _rules(gradient: Operation) -> list[Value]:
    """The values whose cotangent a gradient is in rules of custom gradients, if it is nothing else."""
    found: list[Value] = []
    pending = [gradient.results[0]]
    while pending:
        value = pending.pop()
        for use in value.uses:
            op_class = op_class_of(use.owner)
            if op_class is Cast:
                pending.append(use.owner.results[0])
            elif op_class is Pairs and use.operand_number == 1:
                found.append(use.owner.operands[0])
            else:
                return []
    return found


class _Gradients:
    """Places `weft.vary` in a function, where derivatives are asked for."""

    def __init__(self, function: Operation, known: Samenesses, statistics: Statistics) -> None:
        self._known, self._statistics = known, statistics
        self._operations = operations_of(function)
        self._made: dict[tuple[Value, str], Value] = {}

    def run(self) -> None:
        """Refuse what is not known, then see where values that are the same meet others."""
        independent = [op.results[0] for op in self._operations if op_class_of(op) is Independent]
        if not independent:
            return
        top = [op for op in self._operations if op.parent.name == "func.func"]
        asked = Activity(
            op.operands[2] for op in self._operations if op_class_of(op) is Gradient and not _rules(op)
        )
        asked.follow(top)
        for operation in self._operations:
            if op_class_of(operation) is Gradient:
                rules = _rules(operation)
                if not rules or any(value in asked for value in rules):
                    self._require_known(operation, top)
            elif op_class_of(operation) is AllReduce:
                self._require_not_summed(operation)
        active = Activity(independent)
        active.follow(top)
        for operation in self._operations:
            self._vary_operands(operation, active)

    def _require_known(self, gradient: Operation, top: Iterable[Operation]) -> None:
        """Raise DifferentiationError where nothing says whether what is differentiated by is the same everywhere."""
        x = gradient.operands[2]
        owner = x.owner
        if isinstance(owner, ir.Block) or op_class_of(owner.operation) is not Independent:
            return
        if self._known.of(x).is_said:
            return
        reached = _Reached([x])
        reached.follow(top)
        for operation in self._operations:
            op_class = op_class_of(operation)
            if op_class is None or not issubclass(op_class, Together) or not op_class.results:
                continue
            if operation.operands[0] in reached:
                raise DifferentiationError(
                    f"the gradient goes through {op_class.name} ({place_of(str(operation.location))}), and it is not "
                    "known whether that by which is differentiated is the same on all ranks. Say it in the compiled "
                    "function, or in what is differentiated: weft.distributed.replicated(parameters), whose gradient "
                    "is summed over the ranks, or weft.distributed.local(x) where each rank has its own",
                    str(gradient.location),
                )

    def _require_not_summed(self, operation: Operation) -> None:
        """Raise DivergenceError where a gradient is summed a second time."""
        attributes = decode_attributes(AllReduce, operation)
        if attributes["reduction"] == "sum" and self._known.of(operation.operands[0]).is_summed:
            raise DifferentiationError(
                "all_reduce of a gradient by what is the same on all ranks, which is summed over the ranks already: "
                "this gives as many times the gradient as there are ranks. Leave all_reduce out",
                str(operation.location),
            )

    def _vary_operands(self, operation: Operation, active: Activity) -> None:
        op_class = op_class_of(operation)
        if op_class is not None and issubclass(op_class, (Independent, OfRanks, Request)):
            return
        for number, wanted in self._targets(operation):
            value = operation.operands[number]
            missing = wanted - self._known.of(value).varies
            if missing and value in active and self._known.of(value).is_said:
                operation.operands[number] = self._varying(value, missing, operation)

    def _targets(self, operation: Operation) -> list[tuple[int, frozenset[str]]]:
        """The axes along which operands are to vary, by their numbers."""
        known, operands = self._known, list(operation.operands)
        op_class = op_class_of(operation)
        if op_class is not None and issubclass(op_class, Together):
            return (
                [(0, known.of(operands[0]).varies | known.axes(over_of(op_class, operation)))]
                if operands
                else []
            )
        if operation.name == FOR:
            return [
                (n, known.of(a).varies) for n, a in enumerate(body(operation).arguments, start=2) if n > 2
            ]
        if operation.name == WHILE:
            return [(n, known.of(a).varies) for n, a in enumerate(body(operation).arguments)]
        if operation.name in ("scf.yield", "scf.condition"):
            return self._targets_of_terminator(operation)
        if not len(operation.results) or len(operation.regions) or operation.name == "func.call":
            return []
        united = frozenset[str]().union(*(known.of(operand).varies for operand in operands))
        return [(number, united) for number in range(len(operands))]

    def _targets_of_terminator(self, operation: Operation) -> list[tuple[int, frozenset[str]]]:
        around = operation.parent.operation
        first = int(operation.name == "scf.condition")
        targets: list[Value] = list(around.results)
        if around.name == FOR:
            targets = list(body(around).arguments)[1:]
        elif around.name == WHILE:
            targets = list(body(around, 1 if first else 0).arguments)
        return [(number, self._known.of(value).varies) for number, value in enumerate(targets, start=first)]

    def _varying(self, value: Value, axes: frozenset[str], user: Operation) -> Value:
        """A value of each rank, made in front of what uses it first, in the block of the one that is the same on all.

        Not right behind that: the tangent that it is to have may be made in between.
        """
        if axes == self._known.everywhere:
            over = ""
        elif OTHERS not in axes:
            over = ",".join(sorted(axes))
        else:
            raise DifferentiationError(
                "a value that is the same along some axes of the mesh meets one that is not, along axes that have no "
                "name here: say over which it varies, weft.distributed.vary(x, over=...)",
                str(user.location),
            )
        key = value, over
        if key not in self._made:
            owner = value.owner
            block = owner if isinstance(owner, ir.Block) else owner.operation.block
            while user.block != block:
                user = user.parent.operation
            with ir.InsertionPoint(user), user.location:
                self._made[key] = create(Vary, [value], {"over": over}).results[0]
            self._statistics["values that vary"] += 1
        return self._made[key]
