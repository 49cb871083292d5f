"""Sizes of arrays in words of the program: for those who read what was decided."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import cast

from ...dialect.formulas import ExtentName, named
from ...dialect.mlir import Value, ir
from ...dialect.sizes import Computed, Size, ceildiv, computed, floordiv, symbol
from .shapes import Axis
from .terms import Terms

UNNAMED = symbol("...")
"""What only the data of a program tells."""

_INTEGERS: Mapping[str, Callable[[Size, Size], Size]] = {
    "arith.addi": lambda left, right: left + right,
    "arith.subi": lambda left, right: left - right,
    "arith.muli": lambda left, right: left * right,
    "arith.maxsi": lambda left, right: computed(max, left, right),
    "arith.minsi": lambda left, right: computed(min, left, right),
    "arith.floordivsi": lambda left, right: computed(floordiv, left, right),
    "arith.ceildivsi": lambda left, right: computed(ceildiv, left, right),
}
"""What ops make of integers that are as wide as extents: these wrap around where no extent does."""


def elements_of(views: Sequence[Value], terms: Terms, names: Sequence[str]) -> str:
    """How many elements of which type views have room for, in terms of the sizes of arguments."""

    def name_of(name: Hashable) -> Size:
        if isinstance(name, Axis) and isinstance(name.value.owner, ir.Block):
            number = name.value.arg_number
            if number < len(names) and names[number]:
                return symbol(ExtentName(f"{names[number]}.shape[{name.axis}]"))
        return _number(name) if isinstance(name, Computed) else UNNAMED

    if not views:
        return "as much as sizes ask for"
    given = iter(list(views[0].owner.operation.operands)[2:])
    type = views[0].type
    extents = [
        next(given) if type.is_dynamic_dim(axis) else type.get_dim_size(axis) for axis in range(type.rank)
    ]
    count = math.prod((named(terms.of(extent), name_of) for extent in extents), start=cast("Size", 1))
    return f"{count} elements of {type.element_type}"


def _number(made: Computed) -> Size:
    """What an op of `arith` computes of integers, as a formula."""
    name, how = cast("tuple[str, str]", made.function)
    if name == "arith.constant":
        found = re.search(r"value = (-?\d+)", how)
        return int(found[1]) if found else UNNAMED
    if name == "arith.index_cast":
        return made.operands[0]
    rule = _INTEGERS.get(name)
    return UNNAMED if rule is None else rule(*made.operands)
