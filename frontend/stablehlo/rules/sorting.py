"""Sorting by comparators: those that compare keys in order are recognised, others compare all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ....dialect.attributes import elements_from_mlir
from ....dialect.emitter import INT64, Tensor
from ....dialect.mlir import Operation, Value
from ....dialect.records import NamedTuple
from .elementwise import direction_of, total_order
from .table import Builder, number, rule

Expression: TypeAlias = "tuple[Any, ...]"
"""What a value of a comparator is made of: ("argument", number), ("constant", element), or an op and its operands."""


class Key(NamedTuple):
    """An operand by which is sorted."""

    operand: int
    descending: bool
    by_bits: bool
    """Whether -0.0 and 0.0, and NaNs of different bits, are told from each other."""


@rule("sort")
def sort(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """`weft.argsort`, by one key after the other; a comparator that compares in another way is asked of all pairs."""
    axis = number(op, "dimension", -1) % max(operands[0].rank, 1)
    if operands[0].rank == 0:
        return operands
    found = keys(op.regions[0].blocks[0])
    if found is None:
        return _by_pairs(b, op, operands, axis)
    if len(operands) == len(found) == 1 and not found[0].by_bits:
        return [b.sort(operands[0], axis=axis, descending=found[0].descending)]
    order: Tensor | None = None
    for key in reversed(found):
        x = total_order(b, operands[key.operand]) if key.by_bits else operands[key.operand]
        x = x if order is None else b.take_along_axis(x, order, axis=axis)
        places = b.argsort(x, axis=axis, descending=key.descending)
        order = places if order is None else b.take_along_axis(order, places, axis=axis)
    assert order is not None
    return [b.take_along_axis(x, order, axis=axis) for x in operands]


def _by_pairs(b: Builder, op: Operation, operands: Sequence[Tensor], axis: int) -> list[Tensor]:
    """Each element goes to the place that is the number of those before it."""
    rank = operands[0].rank
    pairs: list[Tensor] = []
    swapped: list[Tensor] = []
    square = [*b.extents(operands[0])]
    square.insert(axis, square[axis])
    for x in operands:  # element i along the axis, element j along the one behind it
        one = b.broadcast(b.inserted(x, [axis + 1]), square)
        other = b.broadcast(b.inserted(x, [axis]), square)
        pairs += [one, other]
        swapped += [other, one]
    (before,) = b.applied(op.regions[0], pairs)
    (behind,) = b.applied(op.regions[0], swapped)
    line = b.iota(b.extent(operands[0], axis))
    is_earlier = b.less(
        b.inserted(line, [a for a in range(rank + 1) if a != axis]),
        b.inserted(line, [a for a in range(rank + 1) if a != axis + 1]),
    )
    first = b.logical_or(before, b.logical_and(b.logical_not(behind), is_earlier))
    places = b.sum(b.converted(b.broadcast(first, square), INT64), axes=(axis,), keepdims=False)
    order = b.argsort(places, axis=axis, descending=False)
    return [b.take_along_axis(x, order, axis=axis) for x in operands]


# What comparators compare


def keys(block: Any) -> list[Key] | None:
    """The operands that a comparator compares, the most significant first; None if it does anything else."""
    arguments = {argument: place for place, argument in enumerate(block.arguments)}
    (returned,) = block.operations[len(block.operations) - 1].operands
    return _lexicographic(_expression(returned, arguments, {}))


def _expression(value: Value, arguments: dict[Value, int], known: dict[Value, Expression]) -> Expression:
    if value in arguments:
        return ("argument", arguments[value])
    if value in known:
        return known[value]
    owner = value.owner
    name = getattr(owner, "name", "")
    if name == "stablehlo.constant":
        elements = elements_from_mlir(owner.attributes["value"])
        found: Expression = ("constant", elements[()] if elements.ndim == 0 else None)
    elif not name.startswith("stablehlo.") or len(owner.results) != 1 or len(owner.regions):
        found = ("unknown",)
    else:
        operands = tuple(_expression(operand, arguments, known) for operand in owner.operands)
        found = (name.removeprefix("stablehlo."), *operands)
        if name == "stablehlo.compare":
            is_total = (
                "TOTALORDER" in str(owner.attributes["compare_type"])
                if "compare_type" in owner.attributes
                else False
            )
            found = ("compare", direction_of(owner), is_total, *operands)
    known[value] = found
    return found


def _lexicographic(given: Expression) -> list[Key] | None:
    """The keys of `a0 < b0 or (a0 == b0 and ...)`."""
    if given[0] != "or":
        key = _key(given, ("LT", "GT"))
        return None if key is None else [key]
    first, rest = _key(given[1], ("LT", "GT")), given[2]
    if first is None or rest[0] != "and":
        return None
    same, others = _key(rest[1], ("EQ",)), _lexicographic(rest[2])
    if same is None or others is None or same.operand != first.operand:
        return None
    return [first, *others]


def _key(given: Expression, directions: Sequence[str]) -> Key | None:
    """The key of a comparison of an operand's element with another."""
    if given[0] != "compare" or given[1] not in directions:
        return None
    _, direction, is_total, one, other = given
    sides = [_operand(side) for side in (one, other)]
    (x, is_plain), (y, is_as_plain) = sides
    if x is None or y is None or is_plain != is_as_plain or x // 2 != y // 2 or x == y:
        return None
    return Key(x // 2, (direction == "GT") != (x > y), is_total and is_plain)


def _operand(given: Expression) -> tuple[int | None, bool]:
    """The argument that is compared, and whether it is as it is; else -0.0 counts as 0.0, and NaNs as one."""
    if given[0] == "argument":
        return given[1], True
    if _tests_nan(given):
        inner = given[3]
        if _is_nan(given[2]) and inner[3][0] == "argument":
            argument = inner[3]
            zero = ("constant", 0)
            if inner[2] == zero and inner[1] == ("compare", "EQ", False, argument, zero):
                return argument[1], False
    return None, False


def _tests_nan(given: Expression) -> bool:
    """Whether `select(x != x, ...)` is about the argument that is selected from."""
    if given[0] != "select" or given[1][0] != "compare" or given[1][1:3] != ("NE", False):
        return False
    inner = given[3]
    return bool(given[1][3] == given[1][4] and inner[0] == "select" and given[1][3] == inner[3])


def _is_nan(given: Expression) -> bool:
    return bool(given[0] == "constant" and given[1] is not None and np.isnan(np.float64(given[1])))
