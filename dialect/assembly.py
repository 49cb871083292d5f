"""The text of a module for people: arguments bear the names that the program has for them."""

from __future__ import annotations

import re
import unicodedata

from .mlir import Operation, ir

_NAMES_PER_TEXT = re.compile(r"[^\w.]+", re.ASCII)
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
        simplify_names(operation)
    return str(operation.get_asm(enable_debug_info=enable_debug_info, use_name_loc_as_prefix=True))


def simplify_names(module: Operation) -> dict[str, str]:
    """Let arguments of functions have names that text can hold; returns those of them that stand for other letters."""
    arguments = [
        (argument, argument.location)
        for function in module.regions[0].blocks[0].operations
        for region in function.regions
        for block in list(region.blocks)[:1]
        for argument in block.arguments
        if isinstance(argument.location, ir.NameLoc)
    ]
    own = {_name_in_text(location.name_str) for _, location in arguments if location.name_str.isascii()}
    replaced: dict[str, str] = {}
    for argument, location in arguments:
        name = _name_in_text(in_ascii(location.name_str))
        if not location.name_str.isascii():
            while name in own or replaced.get(name, location.name_str) != location.name_str:
                name += "_"
            replaced[name] = location.name_str
        argument.set_location(ir.Location.name(name, location.child_loc))
    return replaced


def _name_in_text(name: str) -> str:
    return _NAMES_PER_TEXT.sub("_", name).strip("_") or "argument"


def in_ascii(name: str) -> str:
    """A name in letters that MLIR's text has for values, where it would write bytes.

    >>> in_ascii("größe"), in_ascii("Δx"), in_ascii("x[0]")
    ('grosse', 'Deltax', 'x[0]')
    """
    if name.isascii():
        return name
    return "".join(map(_letter_in_ascii, unicodedata.normalize("NFKD", name.replace("ß", "ss"))))


def _letter_in_ascii(letter: str) -> str:
    if letter.isascii():
        return letter
    if unicodedata.combining(letter):
        return ""
    name = unicodedata.name(letter, "x").rpartition(" ")[2]
    return name.capitalize() if letter.isupper() else name.lower()
