"""Instructions of PTX that LLVM has no name for, or is not to look into."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value, ir
from ...nests.emit import create


def instruction(
    text: str, constraints: str, type: Type, operands: Sequence[Value], has_side_effects: bool = False
) -> Value:
    """What an instruction makes of operands; `$0` is its result, and constraints are those of LLVM."""
    attributes: dict[str, ir.Attribute] = {
        "asm_string": ir.StringAttr.get(text),
        "constraints": ir.StringAttr.get(constraints),
    }
    if has_side_effects:
        attributes["has_side_effects"] = ir.UnitAttr.get()
    return create("llvm.inline_asm", [type], operands, attributes)
