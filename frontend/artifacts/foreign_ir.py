"""What IR from outside must keep to beyond what MLIR verifies: passes rely on it, and the bindings abort without it.

Names are texts, sizes are asked of axes that exist, and what passes note at ops for those that follow has the form in
which they note it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ...dialect.mlir import Attribute, Module, Operation, ir
from ...passes.preconditions import refuse, require_axis
from ...passes.rewriting import operations_of

PREFIX = "weft."
"""How the names of these attributes begin."""


def _are_layouts(given: Attribute) -> bool:
    """Whether an attribute tells of arguments, the axis and panel by which they are packed, and the order of axes."""
    return isinstance(given, ir.ArrayAttr) and all(
        isinstance(entry, ir.DenseI64ArrayAttr) and len(entry) > 3 for entry in given
    )


def _is(kind: Any) -> Callable[[Attribute], bool]:
    return lambda given: isinstance(given, kind)


@cache
def notes() -> Mapping[str, Callable[[Attribute], bool]]:
    """The attributes by which passes tell others something, and whether one has their form."""
    from ...backend.cpu.codegen.loops.streaming import STREAMS  # which IR without notes need not wait for
    from ...backend.cpu.lowering.argument_table import BY_TABLE
    from ...backend.cpu.lowering.inlining import INLINE, LOOPS
    from ...backend.nests.emit import PARALLEL
    from ...backend.planning.packed_layout import CONSTANT_ARGUMENTS, PACKED_ARGUMENTS
    from ...backend.planning.plan_attributes import PLAN, SCRATCH, SITES, are_sites, is_plan
    from ...passes.lowering.accumulators import ROUNDED, STOPS

    return {
        **dict.fromkeys((STREAMS, BY_TABLE, PARALLEL, ROUNDED, SCRATCH, STOPS), _is(ir.UnitAttr)),
        INLINE: _is(ir.BoolAttr),
        LOOPS: _is(ir.StringAttr),
        CONSTANT_ARGUMENTS: _is(ir.DenseI64ArrayAttr),
        PACKED_ARGUMENTS: _are_layouts,
        PLAN: is_plan,
        SITES: are_sites,
    }


def require_known_form(module: Module) -> None:
    """Refuse what passes cannot read, with a diagnostic at the op.

    Raises `PassError`.
    """
    for operation in (module.operation, *operations_of(module.operation)):
        noted = [name for name in operation.attributes if name.startswith(PREFIX)]
        if noted:
            _require_known_notes(module, operation, noted)
        require_axis(operation)


def _require_known_notes(module: Module, operation: Operation, names: Sequence[str]) -> None:
    from ...backend.planning.plan_attributes import PLAN, SITES

    for name in names:
        if name in notes() and not notes()[name](operation.attributes[name]):
            refuse(operation, f"{name} is not of the form in which passes note it")
    if PLAN in names and SITES not in module.operation.attributes:
        refuse(operation, f"a function with {PLAN} needs a module with {SITES}")


_STRING = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"')
_ESCAPES = re.compile(r"\\[^0-9a-fA-F]|((?:\\[89a-fA-F][0-9a-fA-F])+)")


def place_that_is_no_text(text: str) -> int | None:
    """Where in MLIR's syntax a name or string begins to be none: bytes that are no UTF-8 are written as `\\E9`.

    >>> place_that_is_no_text('"a.b"() {c = "\\\\C3\\\\A9"}')
    >>> place_that_is_no_text('"a.\\\\E9"()')
    3
    """
    for string in _STRING.finditer(text) if "\\" in text else ():
        for escapes in _ESCAPES.finditer(string[0]) if string[0][0] == '"' else ():
            try:
                bytes.fromhex((escapes[1] or "").replace("\\", "")).decode("utf-8")
            except UnicodeDecodeError:
                return string.start() + escapes.start()
    return None
