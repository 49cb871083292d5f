"""The text of a module for people: arguments bear the names that the program has for them."""

from __future__ import annotations

import re

from .mlir import Operation, ir

_NAMES_PER_TEXT = re.compile(r"[^\w.]+")
"""What a name in MLIR's text cannot hold; runs of it become one underscore."""


def assembly(operation: Operation, enable_debug_info: bool = False) -> str:
    """The text of a module that is used up, with the names of arguments: `%x`, and `%d_a_0` for `d['a'][0]`.

    >>> from weft.dialect.register import context
    >>> with context():
    ...     module = ir.Module.parse('func.func private @f(%arg0: i32 loc("x[0]")) { return }')
    ...     print(assembly(module.operation))
    module {
      func.func private @f(%x_0: i32) {
        return
      }
    }
    <BLANKLINE>
    """
    if not enable_debug_info:  # which shows the names as they are
        for function in operation.regions[0].blocks[0].operations:
            for region in function.regions:
                for block in list(region.blocks)[:1]:
                    simplify_names(block)
    return str(operation.get_asm(enable_debug_info=enable_debug_info, use_name_loc_as_prefix=True))


def simplify_names(block: ir.Block) -> None:
    """Let arguments have names that text can hold."""
    for argument in block.arguments:
        location = argument.location
        if isinstance(location, ir.NameLoc):
            name = _NAMES_PER_TEXT.sub("_", location.name_str).strip("_")
            argument.set_location(ir.Location.name(name or "argument", location.child_loc))
