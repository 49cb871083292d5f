"""Checks in loops ask by one comparison whether an index is in bounds as it is; only the others may be negative.

    place = index < 0 ? index + extent : index               if index >= extent, unsigned, which is hardly ever:
    if place >= extent, unsigned: fail            becomes        place = index + extent
    ... x[place] ...                                             if place >= extent, unsigned: fail
                                                             ... x[index or place] ...

A negative number is a large one where it is read as unsigned. What was five instructions for each index is two.
Behind such a check are indices that need none, as `x[k + 1]` behind one of `k`: they are branched at as well. What a
check found in bounds stays what it is behind it, also where it is known not to be negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Block, Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import made_by
from ....passes.rewriting import operations_in, operations_of, terminator
from ...planning.names import is_kernel_name

_IN_BOUNDS = (2000, 1)
"""How often an index is in bounds as it is, and how often not: LLVM's numbers for what is likely."""
_LESS, _BELOW, _AT_LEAST = 2, 6, 9
"""Comparisons of LLVM's integers by number: slt, ult, uge."""
_MOST_BLOCKS = 64
"""So many blocks are looked at for each check, that time does not grow with their product."""


@dataclass(frozen=True)
class BranchAtNegativeIndices(Pass):
    """Add extents to negative indices behind a branch, where a check in a loop asks whether an index is in bounds."""

    def run(self, module: Module, statistics: Statistics) -> None:
        functions = [op for op in operations_in(module.body) if op.name == "llvm.func"]
        if any(next(_checks_in(function), None) for function in functions):
            _join_equal_arguments(functions)
        for function in functions:
            checks = list(_checks_in(function))
            behind = {block for check in checks for block in _blocks_behind(check.jump.successors[1])}
            for block in _blocks_in_loops(list(function.regions[0].blocks)):
                _unclamp_behind(block)
            changes: list[_Check | _Choice] = [*checks]
            blocks = [block for block in function.regions[0].blocks if block in behind]
            changes += [choice for block in blocks for choice in _choices_in(block)]
            for change in changes:
                change.branch()
                statistics["indices"] += 1


def _checks_in(function: Operation) -> Iterator[_Check]:
    for block in _blocks_in_loops(list(function.regions[0].blocks)):
        check = _check_at_end_of(block)
        if check is not None:
            yield check


def _join_equal_arguments(functions: list[Operation]) -> None:
    """In kernels, use one argument for integers that are one in all calls, as an extent and that of a memref are."""
    kernels = {
        name: function
        for function in functions
        if is_kernel_name(name := function.attributes["sym_name"].value) and len(function.regions[0].blocks)
    }
    first: dict[str, list[list[int]]] = {}
    for function in functions:
        for call in operations_of(function):
            if call.name == "llvm.mlir.addressof":
                kernels.pop(call.attributes["global_name"].value, None)
            elif call.name == "llvm.call" and "callee" in call.attributes:
                operands = list(call.operands)
                places = [operands.index(operand) for operand in operands]
                first.setdefault(call.attributes["callee"].value, []).append(places)
    for name, function in kernels.items():
        arguments = list(function.regions[0].blocks[0].arguments)
        for place, argument in enumerate(arguments):
            firsts = {places[place] for places in first.get(name, ())}
            if len(firsts) == 1 and (same := firsts.pop()) != place and str(argument.type) == "i64":
                argument.replace_all_uses_with(arguments[same])


def _blocks_in_loops(blocks: list[Block]) -> list[Block]:
    """The blocks between one that is jumped back to and one that does so, but for those of loops that never begin.

    What is behind a block that nothing leads to may lead back to it, so that nothing tells what is in front of what.
    """
    positions = {block: position for position, block in enumerate(blocks)}
    reached, waiting = set(blocks[:1]), blocks[:1]
    while waiting:
        more = [block for block in waiting.pop().successors if block not in reached]
        reached.update(more)
        waiting += more
    found: set[int] = set()
    for end, block in enumerate(blocks):
        for target in block.successors:
            found.update(range(positions[target], end + 1))
    return [blocks[position] for position in sorted(found) if blocks[position] in reached]


@dataclass(frozen=True)
class _Check:
    """A jump to where the program fails, unless an index is in bounds."""

    jump: Operation
    index: Value
    extent: Value

    def branch(self) -> None:
        """Jump to where all is well if the index is in bounds as it is, and else add the extent first."""
        failing, passing = self.jump.successors
        condition, *handed = self.jump.operands
        count = self.jump.attributes["operandSegmentSizes"][1]
        failed, passed = handed[:count], handed[count:]
        behind = _blocks_behind(passing)
        wrapping = self.jump.block.create_after()
        place = passing.add_argument(self.index.type, self.jump.location)
        with self.jump.location:
            with ir.InsertionPoint(wrapping):
                added = operation_of("llvm.add", [self.index, self.extent], [self.index.type]).result
                is_outside = _compare(_AT_LEAST, added, self.extent)
                _jump(is_outside, (failing, failed), (passing, [*passed, added]), _IN_BOUNDS[::-1])
            with ir.InsertionPoint(self.jump):
                is_inside = _compare(_BELOW, self.index, self.extent)
                _jump(is_inside, (passing, [*passed, self.index]), (wrapping, []), _IN_BOUNDS)
        self.jump.erase()
        for same in list(_places_of(self.index, self.extent)):
            for clamped in _clamped(same, self.extent):
                _replace_in(behind, clamped, place)
            _replace_in(behind, same, place)
        for chosen, failed_value in _chosen_by(condition):
            # What is told of the failure is chosen in front of the jump, and used where the program fails.
            _replace_in({failing}, chosen, failed_value)


@dataclass(frozen=True)
class _Choice:
    """An index in bounds, with the extent added if it is negative: 0 where it is not, which is never read."""

    place: Operation
    index: Value
    extent: Value

    def branch(self) -> None:
        """Jump to what follows if the index is in bounds as it is, and else add the extent first."""
        if not any(True for _ in self.place.result.uses):
            return  # the check of the same index gives the place
        block, result = self.place.block, self.place.result
        following = operations_in(block)
        following = following[following.index(self.place) + 1 :]
        rest = block.create_after(result.type, arg_locs=[self.place.location])
        wrapping = block.create_after()
        for op in following:
            rest.append(op)
        result.replace_all_uses_with(rest.arguments[0])
        with self.place.location:
            with ir.InsertionPoint(block):
                is_inside = _compare(_BELOW, self.index, self.extent)
                _jump(is_inside, (rest, [self.index]), (wrapping, []), _IN_BOUNDS)
            with ir.InsertionPoint(wrapping):
                added = operation_of("llvm.add", [self.index, self.extent], [result.type]).result
                operands = [_compare(_BELOW, added, self.extent), added, self.place.operands[2]]
                chosen = operation_of("llvm.select", operands, [result.type]).result
                ir.Operation.create("llvm.br", operands=[chosen], successors=[rest])
        self.place.erase()


def _choices_in(block: Block) -> Iterator[_Choice]:
    """The indices of a block that may be negative, and are in bounds in what is done with them."""
    for place in operations_in(block):
        if place.name != "llvm.select" or _constant(place.operands[2]) != 0:
            continue
        comparison, chooser = (
            made_by(place.operands[0], "llvm.icmp"),
            made_by(place.operands[1], "llvm.select"),
        )
        if comparison is None or chooser is None or comparison.attributes["predicate"].value != _BELOW:
            continue
        index, extent = chooser.operands[2], comparison.operands[1]
        if comparison.operands[0] == chooser.result and chooser.result in _places_of(index, extent):
            yield _Choice(place, index, extent)


def _check_at_end_of(block: Block) -> _Check | None:
    """The check of an index that a block ends with."""
    jump = terminator(block)
    if jump.name != "llvm.cond_br":
        return None
    failing, passing = jump.successors
    if terminator(failing).name != "llvm.return" or len(list(passing.predecessors)) != 1:
        return None
    comparison = made_by(jump.operands[0], "llvm.icmp")
    if comparison is None or comparison.attributes["predicate"].value != _AT_LEAST:
        return None
    place, extent = comparison.operands
    chooser = made_by(place, "llvm.select")
    if chooser is None:
        return None
    index = chooser.operands[2]
    return _Check(jump, index, extent) if place in _places_of(index, extent) else None


def _unclamp_behind(block: Block) -> None:
    """Where a block ends with the check of a place, it is in bounds behind it."""
    jump = terminator(block)
    if jump.name != "llvm.cond_br" or len(list(jump.successors[1].predecessors)) != 1:
        return
    comparison = made_by(jump.operands[0], "llvm.icmp")
    if comparison is None or comparison.attributes["predicate"].value != _AT_LEAST:
        return
    place, extent = comparison.operands
    clamped = list(_clamped(place, extent))
    behind = _blocks_behind(jump.successors[1]) if clamped else set()
    for value in clamped:
        _replace_in(behind, value, place)


def _blocks_behind(first: Block) -> set[Block]:
    """Blocks that are reached by way of one alone, with it."""
    found, waiting = {first}, [first]
    while waiting and len(found) < _MOST_BLOCKS:
        for block in waiting.pop().successors:
            if block not in found and all(before in found for before in block.predecessors):
                found.add(block)
                waiting.append(block)
    return found


def _places_of(index: Value, extent: Value) -> Iterator[Value]:
    """What is the index, or the sum with the extent if it is negative."""
    for comparison in _comparisons_of(index, _LESS):
        if _constant(comparison.operands[1]) == 0:
            for chosen, added in _chosen_by(comparison.result):
                if chosen.owner.operands[2] == index and _is_sum(added, index, extent):
                    yield chosen


def _clamped(place: Value, extent: Value) -> Iterator[Value]:
    """What is a place if that is in bounds, and else another one."""
    for comparison in _comparisons_of(place, _BELOW):
        if _is_same(comparison.operands[1], extent):
            yield from (chosen for chosen, inside in _chosen_by(comparison.result) if inside == place)


def _comparisons_of(value: Value, predicate: int) -> list[Operation]:
    """The comparisons that a value is the first operand of."""
    owners = [use.owner.operation for use in value.uses]
    return [
        op
        for op in owners
        if op.name == "llvm.icmp"
        and op.attributes["predicate"].value == predicate
        and op.operands[0] == value
    ]


def _is_sum(added: Value, index: Value, extent: Value) -> bool:
    """Whether a value is the sum of two, also where the first is a sum with a constant, and both constants are one."""
    whole, part = made_by(added, "llvm.add"), made_by(index, "llvm.add")
    if whole is None:
        return False
    if whole.operands[0] == index:
        return _is_same(whole.operands[1], extent)
    if part is None or part.operands[0] != whole.operands[0]:
        return False
    less, more, length = _constant(part.operands[1]), _constant(whole.operands[1]), _constant(extent)
    return less is not None and more is not None and length is not None and less + length == more


def _chosen_by(condition: Value) -> list[tuple[Value, Value]]:
    """What a condition chooses, each with what it is where that holds."""
    owners = [use.owner.operation for use in condition.uses]
    return [
        (op.result, op.operands[1])
        for op in owners
        if op.name == "llvm.select" and op.operands[0] == condition
    ]


def _replace_in(blocks: Set[Block], value: Value, other: Value) -> None:
    for use in list(value.uses):
        if use.owner.operation.block in blocks:
            use.owner.operation.operands[use.operand_number] = other


def _constant(value: Value) -> int | None:
    """The number that an integer is, if it is a constant."""
    constant = made_by(value, "llvm.mlir.constant")
    attribute = None if constant is None else constant.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def _is_same(one: Value, other: Value) -> bool:
    """Whether two integers are one value or constant; those of indices and of numbers are constants of two types."""
    return bool(one == other) or _constant(one) == _constant(other) is not None


def _compare(predicate: int, left: Value, right: Value) -> Value:
    attributes = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)}
    flag = ir.IntegerType.get_signless(1)
    return operation_of("llvm.icmp", [left, right], [flag], **attributes).result


def _jump(
    condition: Value,
    holds: tuple[Block, Sequence[Value]],
    otherwise: tuple[Block, Sequence[Value]],
    weights: Sequence[int],
) -> None:
    """End a block with a jump to one of two, which get values."""
    ir.Operation.create(
        "llvm.cond_br",
        operands=[condition, *holds[1], *otherwise[1]],
        successors=[holds[0], otherwise[0]],
        attributes={
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(holds[1]), len(otherwise[1])]),
            "branch_weights": ir.DenseI32ArrayAttr.get(list(weights)),
        },
    )
