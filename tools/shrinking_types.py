"""How the types of IR are made smaller: extents and element types, each in all of the IR at once, so that it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType

from ..dialect.mlir import Module, ir
from ..passes.rewriting import operations_in

_SHAPED = re.compile(r"(?<=<)(?:(?:\d+|\?)x)+")
"""The extents of a type: of an array, a buffer or a vector."""

_INDEX = re.compile(r"(?<=arith\.constant )\d+(?= : index)")

_SMALLEST = 4
"""Extents up to this one are left alone but for those of one element, as there is little to gain."""

SIMPLER: Mapping[str, str] = MappingProxyType(
    {
        "complex<f64>": "f64",
        "complex<f32>": "f32",
        "bf16": "f32",
        "f8E4M3FN": "f32",
        "f8E5M2": "f32",
        "ui8": "i8",
        "ui16": "i16",
        "ui32": "i32",
        "ui64": "i64",
    }
)
"""Element types, and what is tried in their place."""


def shrink_extents(module: Module, wanted: Set[int]) -> int:
    """Extents, which become 1, 2, or half of what they are in all types, and in constants for loops or not."""
    places = list(_smaller_extents(str(module)))
    for number in wanted:
        _become(module, _with_extent(str(module), *places[number]))
    return len(places)


def _smaller_extents(text: str) -> Iterator[tuple[int, int, bool]]:
    extents = {
        int(each) for match in _SHAPED.finditer(text) for each in match[0].split("x") if each.isdecimal()
    }
    for extent in sorted(extents):
        for smaller in sorted({1, 2, extent // 2} if extent > _SMALLEST else {1}):
            if smaller < extent:
                yield extent, smaller, False
                yield extent, smaller, True


def _with_extent(text: str, old: int, new: int, has_constants: bool) -> str:
    number = re.compile(rf"(?<!\d){old}(?=x)")
    text = _SHAPED.sub(lambda match: number.sub(str(new), match[0]), text)
    return (
        _INDEX.sub(lambda match: str(new) if match[0] == str(old) else match[0], text)
        if has_constants
        else text
    )


def total_of_extents(text: str) -> int:
    """All extents in the types of a text, added up."""
    return sum(int(each) for match in _SHAPED.finditer(text) for each in re.findall(r"\d+", match[0]))


def simplify_element_types(module: Module, wanted: Set[int]) -> int:
    """Element types of which there are simpler ones."""
    text = str(module)
    places = [name for name in SIMPLER if re.search(_of_type(name), text)]
    for number in wanted:
        name = places[number]
        _become(module, re.sub(_of_type(name), SIMPLER[name], str(module)))
    return len(places)


def _of_type(name: str) -> str:
    return rf"(?<![\w.%@\"]){re.escape(name)}(?!\w)|(?<=x){re.escape(name)}(?!\w)"


def _become(module: Module, text: str) -> None:
    """Put what a text says in place of what a module holds; raises `MLIRError` where it is not valid."""
    other = ir.Module.parse(text, module.context)
    for operation in operations_in(module.body):
        operation.erase()
    for operation in operations_in(other.body):
        module.body.append(operation)
