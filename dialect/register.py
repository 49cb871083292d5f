"""The weft dialect in MLIR: an IRDL op for every op class, with its verifier, traits and memory effects."""

from __future__ import annotations

import threading
from types import new_class
from typing import Any

from .attributes import (
    attribute_from_mlir,
    attribute_to_mlir,
    return_complex_elements,
    type_from_mlir,
    type_to_mlir,
)
from .errors import InternalError, WeftError, WeftValueError
from .mlir import Location, Operation, Type, Value, dialect, ir
from .op import OPS, Effect, FieldKind, Op
from .ops import load_families
from .types import RefType, TensorType, ValueType

load_families()

_ext = dialect("ext")


# The registered dialect, and its one type: a mutable cell that holds a tensor. The classes are made by hand because
# ext wants evaluated annotations.
Weft: Any = new_class("Weft", (_ext.Dialect,), {"name": "weft"})
type(Weft.Type)("Ref", (Weft.Type,), {"__annotations__": {"tensor": Any}}, name="ref")


def _verify(op_class: type[Op], op: Operation) -> bool:
    """Check operands, attributes and results against the op class; the diagnostic is the rule's own message."""
    try:
        attributes = decode_attributes(op_class, op)
        operands = [type_from_mlir(operand.type) for operand in op.operands]
        expected = op_class.result_types(operands, attributes)
        actual = [type_from_mlir(result.type) for result in op.results]
    except WeftError as error:
        op.location.emit_error(f"'weft.{op_class.name}' op {error}")
        return False
    if len(actual) != len(expected) or not all(map(_compatible, expected, actual)):
        rule, given = (", ".join(map(str, types)) or "nothing" for types in (expected, actual))
        op.location.emit_error(f"'weft.{op_class.name}' op returns {rule}, not {given}")
        return False
    return True


def _compatible(expected: ValueType, actual: ValueType) -> bool:
    """Whether the annotated result type is the inferred one, up to dimensions known on one side only."""
    if isinstance(expected, RefType) or isinstance(actual, RefType):
        return expected == actual
    return (
        expected.dtype == actual.dtype
        and expected.rank == actual.rank
        and all(e is None or a is None or e == a for e, a in zip(expected.shape, actual.shape, strict=True))
    )


class _CellEffects(ir.MemoryEffectsOpInterface):  # type: ignore[misc]
    """Effects of the ops on cells: on the operand that holds the cell, or on everything for control effects."""

    @staticmethod
    def get_effects(op: Operation, effects: Any) -> None:
        declared = OPS[op.name.removeprefix("weft.")].effects
        for effect in declared:
            if effect is Effect.ALLOCATE:
                effects.append(ir.MemoryEffect.Allocate, op.results[0])
            elif effect is Effect.READ:
                effects.append(ir.MemoryEffect.Read, op.op_operands[0])
            elif effect is Effect.WRITE:
                effects.append(ir.MemoryEffect.Write, op.op_operands[0])
            else:
                # An op that may end the call is ordered against all reads and writes.
                effects.append(ir.MemoryEffect.Read)
                effects.append(ir.MemoryEffect.Write)


class _CellTrait:
    @staticmethod
    def attach(op_name: str) -> None:
        _CellEffects.attach(op_name)


def _define(op_class: type[Op]) -> None:
    """Make the IRDL-backed class of an op; fields keep their names, constraints are left to the verifier."""
    annotations: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for field in op_class.fields:
        if field.kind is FieldKind.OPERAND:
            annotations[field.name] = _ext.Operand[Any]
        elif field.kind is FieldKind.OPERANDS:
            annotations[field.name] = _ext.Sequence[_ext.Operand[Any]]
        else:
            annotations[field.name] = Any
            defaults[field.name] = _ext.attribute()
    for index in range(op_class.results):
        annotations["result" if op_class.results == 1 else f"result_{index}"] = _ext.Result[Any]

    def verify_invariants(op: Any) -> bool:
        return _verify(op_class, op.operation)

    body = {
        "__annotations__": annotations,
        "__doc__": op_class.__doc__,
        "verify_invariants": staticmethod(verify_invariants),
        **defaults,
    }
    trait = _ext.Pure if op_class.is_pure() else _CellTrait
    metaclass = type(Weft.Operation)
    metaclass(f"{op_class.__name__}Op", (Weft.Operation,), body, name=op_class.name, traits=[trait])


for _op_class in OPS.values():
    _define(_op_class)

_context: Any = None
_lock = threading.Lock()


def context() -> Any:
    """The process-wide MLIR context with the weft dialect loaded; a new context would cost 20 ms each time."""
    global _context
    if _context is None:
        with _lock:
            if _context is None:
                created = ir.Context()
                created.enable_multithreading(False)
                with created, ir.Location.unknown():
                    Weft.load()
                    return_complex_elements()
                _context = created
    return _context


def op_class_of(op: Operation) -> type[Op] | None:
    """The op class of an operation, or None when it is not of the weft dialect."""
    name: str = op.name
    return OPS.get(name[5:]) if name.startswith("weft.") else None


def decode_attributes(op_class: type[Op], op: Operation) -> dict[str, Any]:
    """The attribute values of an operation by field name."""
    attributes = op.attributes
    fields = op_class.attribute_fields()
    if missing := [f.name for f in fields if f.name not in attributes]:
        raise WeftValueError(f"needs the attribute {' and '.join(missing)}")
    return {f.name: attribute_from_mlir(f.kind, attributes[f.name]) for f in fields}


def create(
    op_class: type[Op],
    operands: list[Value],
    attributes: dict[str, Any],
    *,
    types: tuple[ValueType, ...] | None = None,
    location: Location | None = None,
) -> Operation:
    """Build an op at the current insertion point; result types are inferred unless given (refined)."""
    if types is None:
        types = op_class.result_types([type_from_mlir(operand.type) for operand in operands], attributes)
    return ir.Operation.create(
        f"weft.{op_class.name}",
        results=[type_to_mlir(t) for t in types],
        operands=operands,
        attributes={
            f.name: attribute_to_mlir(f.kind, attributes[f.name]) for f in op_class.attribute_fields()
        },
        loc=location,
    )


def tensor_type(value: Value) -> TensorType:
    """The tensor type of a value of the weft dialect."""
    value_type = type_from_mlir(value.type)
    if isinstance(value_type, RefType):
        raise InternalError(f"expected a tensor, not {value_type}")
    return value_type


__all__ = ["Type", "context", "create", "decode_attributes", "op_class_of", "tensor_type"]
