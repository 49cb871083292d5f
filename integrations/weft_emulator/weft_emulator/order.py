"""The order that a function's instructions are run in: what follows on both ways of a branch comes behind both.

Compilers put what is rarely done, and parts of loops, at the end. Threads that are at the lowest instruction run first,
so that those that parted meet again where their ways do: that needs an order of which every jump but those of loops
goes forward, and in which a loop is not interrupted (a weak topological order, Bourdoncle 1993).
"""

from __future__ import annotations

from collections.abc import Sequence

from .ptx import Function, Instruction

_LAST = ("bra", "brx", "ret", "exit", "trap")
"""Behind these, unless they have a guard, comes nothing."""


class _Piece:
    """Instructions up to a jump, or to where one leads."""

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        self.instructions: list[Instruction] = []

    @property
    def end(self) -> Instruction | None:
        """The jump at its end, if there is one."""
        last = self.instructions[-1] if self.instructions else None
        is_end = last is not None and (
            last.opcode in ("bra", "brx") or (last.opcode in _LAST and not last.guard)
        )
        return last if is_end else None

    @property
    def goes_on(self) -> bool:
        """Whether what follows it may be run next."""
        return self.end is None or bool(self.end.guard)


def in_running_order(function: Function) -> list[Instruction | str]:
    """The labels and instructions of a function in an order in which ways meet as early as they can."""
    pieces = _pieces(function.body)
    number = {label: index for index, piece in enumerate(pieces) for label in piece.labels}
    ways = [_ways(function, piece, index, number, len(pieces)) for index, piece in enumerate(pieces)]
    order = _ordered(0, set(range(len(pieces))), ways)
    order += [index for index in range(len(pieces)) if index not in set(order)]
    jumps = {
        index
        for place, index in enumerate(order)
        if pieces[index].goes_on and index + 1 < len(pieces) and order[place + 1 : place + 2] != [index + 1]
    }
    for index in jumps:
        if not pieces[index + 1].labels:
            pieces[index + 1].labels.append(f"{function.name}:{index + 1}")
    found: list[Instruction | str] = []
    for index in order:
        found += [*pieces[index].labels, *pieces[index].instructions]
        if index in jumps:
            label = pieces[index + 1].labels[0]
            found.append(Instruction(0, f"bra {label}", "bra", (), (label,)))
    return found


def _pieces(body: Sequence[Instruction | str]) -> list[_Piece]:
    pieces = [_Piece([])]
    for item in body:
        if isinstance(item, str):
            if pieces[-1].instructions:
                pieces.append(_Piece([]))
            pieces[-1].labels.append(item)
            continue
        if pieces[-1].end is not None:
            pieces.append(_Piece([]))
        pieces[-1].instructions.append(item)
    return pieces


def _ways(function: Function, piece: _Piece, index: int, number: dict[str, int], count: int) -> list[int]:
    """The pieces that may be run next."""
    found = [index + 1] if piece.goes_on and index + 1 < count else []
    if piece.end is not None and piece.end.opcode == "bra":
        found.append(number[piece.end.operands[-1]])
    elif piece.end is not None and piece.end.opcode == "brx":
        found += [number[label] for label in function.tables[piece.end.operands[1]]]
    return found


def _ordered(start: int, among: set[int], ways: Sequence[Sequence[int]]) -> list[int]:
    """The pieces that can be reached from one, which comes first, each loop in one stretch."""
    order: list[int] = []
    for group in _loops(start, among, ways):
        head = next((i for i in group if i == start), group[0])
        order.append(head)
        rest = set(group) - {head}
        while rest:
            inner = [way for way in ways[head] if way in rest] or [min(rest)]
            part = _ordered(inner[0], rest, ways) if len(inner) == 1 else _from_all(inner, rest, ways)
            order += part
            rest -= set(part)
    return order


def _from_all(starts: Sequence[int], among: set[int], ways: Sequence[Sequence[int]]) -> list[int]:
    """The order from several pieces, by one more in front of them that leads to all."""
    joined = [*ways, list(starts)]
    return _ordered(len(ways), {*among, len(ways)}, joined)[1:]


def _loops(start: int, among: set[int], ways: Sequence[Sequence[int]]) -> list[list[int]]:
    """The pieces that lead to each other, group by group, each group behind those that lead to it (Tarjan 1972).

    The first of a group is where it is entered.
    """
    low: dict[int, int] = {}
    found: dict[int, int] = {}
    stack: list[int] = []
    groups: list[list[int]] = []
    work: list[tuple[int, int]] = [(start, 0)]
    while work:
        piece, turn = work.pop()
        if turn == 0:
            found[piece] = low[piece] = len(found)
            stack.append(piece)
        following = [way for way in ways[piece] if way in among]
        if turn and following[turn - 1] in stack:
            low[piece] = min(low[piece], low[following[turn - 1]])
        if turn < len(following):
            work.append((piece, turn + 1))
            if following[turn] not in found:
                work.append((following[turn], 0))
            continue
        if low[piece] == found[piece]:
            at = stack.index(piece)
            groups.append(stack[at:])
            del stack[at:]
    return groups[::-1]
