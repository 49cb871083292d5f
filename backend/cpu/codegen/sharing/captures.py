"""What code needs that moves into a function of its own: some of it is passed, the rest is computed there again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .....dialect.made_ops import function_of
from .....dialect.mlir import Operation, Type, Value, ir
from .....passes.control_flow.structure import copy_of

_COPIED = {
    "affine.apply",
    "memref.cast",
    "memref.collapse_shape",
    "memref.dim",
    "memref.expand_shape",
    "memref.get_global",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.view",
    "ub.poison",
    "vector.broadcast",
    "vector.create_mask",
    "vector.step",
}
_ALLOCATIONS = {"memref.alloc", "memref.alloca"}


def is_pure(op: Operation) -> bool:
    """Whether an operation can as well be computed elsewhere: arithmetic, and views of memory."""
    return op.name.startswith("arith.") or op.name in _COPIED


class Captures:
    """Values that code uses: constants, views and what is cheap is copied, numbers and memory are passed."""

    def __init__(self, values: Iterable[Value]) -> None:
        self._copied: dict[Operation, None] = {}
        self.passed: dict[Value, None] = {}
        for value in values:
            self._need(value)

    def _need(self, value: Value) -> None:
        op = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if op is None or not is_pure(op):
            self.passed[value] = None
        elif op not in self._copied:
            for operand in op.operands:
                self._need(operand)
            self._copied[op] = None

    def are_apart(self) -> bool:
        """Whether the memory that is passed is known to be different pieces: the function will be told so."""
        return all(_is_own_memory(v) for v in self.passed if isinstance(v.type, ir.MemRefType))

    @property
    def types(self) -> list[Type]:
        """The types of what is passed."""
        return [value.type for value in self.passed]

    def enter(self, arguments: Sequence[Value]) -> dict[Value, Value]:
        """Compute the rest at the insertion point; returns what all values are there."""
        known = dict(zip(self.passed, arguments, strict=True))
        for op in self._copied:
            copy_of(op, known)
        return known


def _is_own_memory(memref: Value) -> bool:
    owner = memref.owner
    if isinstance(owner, ir.Block):
        return bool(owner.owner.operation.name == "func.func")
    return owner.operation.name in _ALLOCATIONS


def make_function(name: str, types: Sequence[Type], has_body: bool = True) -> Operation:
    """A function without results at the insertion point; one without a body is defined elsewhere."""
    function = function_of(name, types, private=not has_body)
    if has_body:
        function.regions[0].blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    return function
