"""Merge a branch into an earlier one that decides it: what is known as jump threading."""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.mlir import Block, Module, Operation, Value
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from .facts import facts_of, values_that_decide
from .merging import Merge, choices_of, size_of
from .speculation import is_pure
from .structure import IF, body, control_ops, functions_with_control_flow, has_else, operations_in, tensor_of

_MERGES_PER_BRANCH = 8
_MAX_CANDIDATES = 8
"""How many earlier branches are tried for a branch, so that the time is in proportion to the program."""
_MAX_BETWEEN = 128
"""How many ops there may be between two branches, with those inside of them, for the same reason."""


@dataclass(frozen=True)
class ThreadBranches(Pass):
    """Move an `scf.if` into the branches of an earlier one that makes its condition known in one of them.

    An early return or a break leaves a status, 1 in one branch and 0 in the other, that later code tests:

        s = if c {yield 1} else {yield 0};  if s == 0 {rest}     becomes     if c {} else {rest}

    So do two branches on one condition. Between the two there may be pure ops only. Where one branch of the
    first decides and the other does not, the part that is chosen is copied: up to `max-copied` ops.
    """

    max_copied: int = 12
    """Of how many ops there may be copies after a merge."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Merge until nothing can be, inner blocks first; the bound on merges is not met by code that shrinks."""
        for function in functions_with_control_flow(module):
            # A block stands where its last branch does, behind the blocks inside of all of them: merging branches
            # of a block may erase these.
            counts: dict[Block, int] = {}
            for branch in control_ops(function, IF):
                counts[branch.block] = counts.pop(branch.block, 0) + 1
            merges_left = _MERGES_PER_BRANCH * sum(counts.values())
            pending = [block for block, count in reversed(counts.items()) if count > 1]
            while pending and merges_left > 0:
                branches = _Branches(pending.pop(), self.max_copied)
                if merged := branches.merge(merges_left):
                    merges_left -= merged
                    statistics["branches merged"] += merged
                    pending += branches.changed_blocks()


class _Branches:
    """The branches of one block, by the values that they tell something about or depend on."""

    def __init__(self, block: Block, max_copied: int) -> None:
        self._max_copied = max_copied
        self._operations = operations_in(block)
        self._places: dict[int, int] = {}
        """Where an op is, by its identity; what is not in the block any more has no place."""
        self._telling: dict[Value, list[Operation]] = {}
        """The branches in which something is known about a value, or whose result it is."""
        self._asking: dict[Value, list[Operation]] = {}
        """The branches whose conditions depend on a value, as far as they were looked at."""
        self._sizes: dict[int, int] = {}
        """How many ops an op is, with those inside it, by its identity."""
        self._made: list[Operation] = []
        self._gone: list[Operation] = []
        """What was replaced: kept, so that identities stay their own."""
        self._number(0)

    def _number(self, start: int) -> None:
        for place in range(start, len(self._operations)):
            self._places[id(self._operations[place])] = place

    def merge(self, most: int) -> int:
        """Merge every branch into the nearest one before it that decides it; returns how many merges there were.

        The last one first, so that what follows an exit moves as a whole.
        """
        pending = [operation for operation in self._operations if operation.name == IF]
        for branch in pending if len(pending) > 1 else ():
            self._note(branch)
        count = 0
        while pending and count < most:
            second = pending.pop()
            merge = self._merge_of(second) if id(second) in self._places else None
            if merge is not None:
                pending += self._apply(merge)
                count += 1
        return count

    def changed_blocks(self) -> list[Block]:
        """The blocks of the branches that were made: what met there may be merged, too."""
        made = [branch for branch in self._made if id(branch) in self._places]
        return [body(branch, region) for branch in made for region in range(2 if has_else(branch) else 1)]

    def _note(self, branch: Operation) -> list[Value]:
        """Note what a branch tells about; returns these values."""
        told = {branch.operands[0]: None, **dict.fromkeys(branch.results)}
        condition = tensor_of(branch.operands[0])
        for holds in (True, False) if condition is not None else ():
            told.update(dict.fromkeys(facts_of(condition, holds)))
        for value in told:
            self._telling.setdefault(value, []).append(branch)
        return list(told)

    def _merge_of(self, second: Operation) -> Merge | None:
        place = self._places[id(second)]
        asked = values_that_decide(second.operands[0])
        for value in asked:
            self._asking.setdefault(value, []).append(second)
        telling = (branch for value in asked for branch in self._telling.get(value, ()))
        earlier = {self._places.get(id(branch), place) for branch in telling}
        end, passed = place, 0
        for start in sorted((at for at in earlier if at < place), reverse=True)[:_MAX_CANDIDATES]:
            if end - start > _MAX_BETWEEN or not all(map(is_pure, self._operations[start + 1 : end])):
                break
            passed += sum(map(self._size, self._operations[start + 1 : end]))
            if passed > _MAX_BETWEEN:
                break
            end = start + 1
            first = self._operations[start]
            choices = choices_of(first, second)
            if choices != (None, None):
                merge = Merge(first, self._operations[start + 1 : place], second, choices)
                if merge.is_small(self._max_copied):
                    return merge
        return None

    def _size(self, operation: Operation) -> int:
        found = self._sizes.get(id(operation))
        if found is None:
            found = self._sizes[id(operation)] = size_of(operation)
        return found

    def _apply(self, merge: Merge) -> list[Operation]:
        """Merge; returns the branches to look at again, the last one at the end."""
        start, end = self._places[id(merge.first)], self._places[id(merge.second)]
        replaced = [*merge.first.results, *merge.second.results]
        asking = self._asking_after(end, replaced)
        gone = self._operations[start : end + 1]
        put = merge.apply()
        self._operations[start : end + 1] = put
        self._gone += gone
        for operation in gone:
            del self._places[id(operation)]
        self._number(start)
        made = next(op for op in put if op.name == IF and not any(op is old for old in merge.between))
        self._made.append(made)
        asking += self._asking_after(self._places[id(made)], self._note(made))
        again = {self._places[id(branch)]: branch for branch in asking}
        return [made, *(again[place] for place in sorted(again))]

    def _asking_after(self, place: int, values: Iterable[Value]) -> list[Operation]:
        found = (branch for value in values for branch in self._asking.get(value, ()))
        return [branch for branch in found if self._places.get(id(branch), -1) > place]
