"""What ops use from outside of themselves."""

from __future__ import annotations

from ...dialect.mlir import Operation, Type, Value, ir
from ...passes.rewriting import blocks_of, operations_in

_OPEN_BODIES = frozenset({"linalg.generic", "linalg.map", "linalg.reduce"})


def says_all(op: Operation) -> bool:
    """Whether the name, attributes and types of an op say all that its regions hold, if it has any.

    Conversions of narrow floats are expanded where they are, also in the bodies of named ops, which then use constants
    from outside.
    """
    if not op.regions:
        return True
    name = op.name
    if not name.startswith("linalg.") or name in _OPEN_BODIES:
        return False
    return not any(isinstance(_element_type(operand), _NARROW_FLOATS) for operand in op.operands)


_NARROW_FLOATS = (ir.BF16Type, ir.F16Type)


def _element_type(value: Value) -> Type:
    kind = value.type
    return kind.element_type if isinstance(kind, ir.ShapedType) else kind


def captured_values(op: Operation) -> list[Value]:
    """The values from outside that an op or its regions use, in order of their first use."""
    return Captures().of(op)


class Captures:
    """The values that ops use from outside; in a function that stays what it is each op is looked at once."""

    def __init__(self) -> None:
        self._known: dict[Operation, list[Value]] = {}

    def of(self, op: Operation) -> list[Value]:
        """The values from outside that an op or its regions use, in order of their first use."""
        if says_all(op):
            return list(dict.fromkeys(op.operands))
        found = self._known.get(op)
        if found is None:
            found = self._known[op] = self._find(op)
        return found

    def _find(self, op: Operation) -> list[Value]:
        used = dict.fromkeys(op.operands)
        for block in blocks_of(op):
            defined = set(block.arguments)
            for inner in operations_in(block):
                used.update(dict.fromkeys(value for value in self.of(inner) if value not in defined))
                defined.update(inner.results)
        return list(used)
