"""The weft dialect in MLIR: an IRDL op for every op class, with its verifier, traits and memory effects."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from .attributes import (
    attribute_from_mlir,
    attribute_to_mlir,
    return_complex_elements,
    type_from_mlir,
    type_to_mlir,
)
from .errors import InternalError, WeftError, WeftTypeError, WeftValueError
from .made_ops import operation_of
from .mlir import Attribute, Location, Operation, Type, Value, ir, load_dialects
from .op import MOST, OPS, SPECIAL, VARIADIC, Effect, Field, FieldKind, Op
from .ops import load_families
from .types import RefType, TensorType, ValueType

load_families()


_OF_CELL = frozenset({Effect.READ, Effect.WRITE})
"""The effects of ops whose first operand is a cell."""

_MOST_REMEMBERED = 10_000
_valid: set[Any] = set()
"""What ops were made of that were found valid: programs have few different ones, verified again and again."""


def _verify(op_class: type[Op], op: Operation) -> bool:
    """Check operands, attributes and results against the op class; the diagnostic is the rule's own message."""
    attributes = op.attributes
    try:
        key = (
            op_class,
            *[operand.type for operand in op.operands],
            *[attributes[f.name] for f in op_class.attribute_fields()],
            None,
            *[result.type for result in op.results],
        )
    except (KeyError, TypeError):  # one is missing, or of a kind that the bindings have no class for
        return _is_valid(op_class, op)
    if key not in _valid:
        if not _is_valid(op_class, op):
            return False
        if len(_valid) >= _MOST_REMEMBERED:
            _valid.clear()
        _valid.add(key)
    return True


def _is_valid(op_class: type[Op], op: Operation) -> bool:
    """Look at all of an op."""
    try:
        attributes = decode_attributes(op_class, op)
        operands = [type_from_mlir(operand.type) for operand in op.operands]
        is_of_cell = not _OF_CELL.isdisjoint(op_class.effects)
        if cell := next((t for t in operands[is_of_cell:] if isinstance(t, RefType)), None):
            raise WeftTypeError(f"takes arrays, not {cell}")
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


def _is_used_well(op_class: type[Op], op: Operation) -> bool:
    """Look at what an op is connected with."""
    try:
        op_class.require_uses(op)
    except WeftError as error:
        op.location.emit_error(f"'weft.{op_class.name}' op {error}")
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


class _NoEffects(ir.MemoryEffectsOpInterface):  # type: ignore[misc]
    @staticmethod
    def get_effects(op: Operation, effects: Any) -> None:
        pass


class _Speculatable(ir.ConditionallySpeculatable):  # type: ignore[misc]
    @staticmethod
    def get_speculatability(op: Operation) -> Any:
        return ir.Speculatability.Speculatable


class _Verified:
    """The trait of ops that have an op class."""

    @staticmethod
    def verify_invariants(op: Any) -> bool:
        op_class = OPS[op.operation.name.removeprefix("weft.")]
        return _verify(op_class, op.operation) and _is_used_well(op_class, op.operation)


def _definition(op_class: type[Op]) -> str:
    """The IRDL of an op; fields keep their names, constraints are left to the verifier."""
    body = _body(op_class.operand_fields(), op_class.attribute_fields(), op_class.results)
    return f"irdl.operation @{op_class.name} {{\n{body}\n}}\n"


@cache
def _body(operand_fields: tuple[Field, ...], attribute_fields: tuple[Field, ...], count: int) -> str:
    """What the IRDL of an op says of its fields and the number of its results; most ops have those of others."""
    results = ["result:"] if count == 1 else [f"result_{i}:" for i in range(count)]
    numbers = itertools.count()
    constraints: list[str] = []

    def any_value() -> str:
        constraints.append(f"%{next(numbers)} = irdl.any")
        return f"%{len(constraints) - 1}"

    # The values of a variadic operand or result have one type: IRDL checks them against one variable.
    is_open = count == VARIADIC
    declared = [f"{f.name}: {'variadic' if f.kind is FieldKind.OPERANDS else ''}" for f in operand_fields]
    operands = [f"{each} {any_value()}" for each in (_several("operand") if is_open else declared)]
    attributes = [f'"{f.name}" = {any_value()}' for f in attribute_fields]
    outputs = [f"{each} {any_value()}" for each in (_several("result") if is_open else results)]
    lines = [
        *constraints,
        f"irdl.operands({', '.join(operands)})" if operands else "",
        f"irdl.attributes {{{', '.join(attributes)}}}" if attributes else "",
        f"irdl.results({', '.join(outputs)})" if outputs else "",
    ]
    return "\n".join(filter(None, lines))


def _function_of_scalars(op_class: type[Op]) -> str:
    """The IRDL of a function of floats, or of the elements of vectors of floats: its result has their type."""
    operands = ", ".join(f"{each.name}: %0" for each in op_class.operand_fields())
    fields = f"%0 = irdl.any\nirdl.operands({operands})\nirdl.results(result: %0)"
    return f"irdl.operation @{op_class.elementary.removeprefix(SPECIAL)} {{\n{fields}\n}}\n"


def _several(name: str) -> list[str]:
    return [f"{name}_{i}: optional" for i in range(MOST)]


_defined: set[str] = set()
"""The ops that MLIR knows."""


def _define_new() -> None:
    """Define the ops of other packages that were imported since the dialect was."""
    with _lock, _context, ir.Location.unknown():
        new = [op_class for name, op_class in OPS.items() if name not in _defined]
        load_dialects(ir.Module.parse(f"irdl.dialect @weft {{\n{''.join(map(_definition, new))}}}"))
        _attach(new)


def _load() -> None:
    """Define the dialect in the current context, with its one type, a mutable cell that holds a tensor, and that of
    special functions.

    It is written as text: the bindings' Python classes for ops, of which nobody needs one, would take 30 ms.
    """
    cell = "irdl.type @ref {\n%0 = irdl.any\nirdl.parameters(tensor: %0)\n}\n"
    operations = "".join(map(_definition, OPS.values()))
    special = [op for op in OPS.values() if op.elementary.startswith(SPECIAL)]
    functions = "".join(map(_function_of_scalars, special))
    load_dialects(
        ir.Module.parse(
            f"irdl.dialect @weft {{\n{cell}{operations}}}\nirdl.dialect @{SPECIAL[:-1]} {{\n{functions}}}"
        )
    )
    for op_class in special:
        _NoEffects.attach(op_class.elementary)
        _Speculatable.attach(op_class.elementary)
    _attach(OPS.values())


def _attach(op_classes: Iterable[type[Op]]) -> None:
    """Tell MLIR of the effects of ops, and who verifies them."""
    for op_class in op_classes:
        _defined.add(op_class.name)
        name = op_class.mlir_name()
        if op_class.is_pure():
            _NoEffects.attach(name)
            _Speculatable.attach(name)
        else:
            _CellEffects.attach(name)
        ir.DynamicOpTrait.attach(name, _Verified)


_MADE_FROM = (
    "affine", "arith", "bufferization", "cf", "complex", "func", "index", "irdl", "linalg", "llvm", "math", "memref",
    "scf", "tensor", "ub", "vector",
)  # fmt: skip
"""The dialects whose ops and types weft makes by itself; parsers and passes load what they need."""

_context: Any = None
_lock = threading.Lock()


def context() -> Any:
    """The process-wide MLIR context with the weft dialect loaded; a new context would cost 20 ms each time."""
    global _context
    if _context is None:
        with _lock:
            if _context is None:
                created = ir.Context(load_on_create_dialects=[])  # all 40 would take 5 ms
                for name in _MADE_FROM:
                    created.get_dialect_descriptor(name)
                created.enable_multithreading(False)
                with created, ir.Location.unknown():
                    _load()
                    return_complex_elements()
                _context = created
    if len(OPS) != len(_defined):
        _define_new()
    return _context


_by_name: dict[str, type[Op] | None] = {}
"""What was looked up: passes ask for the classes of all ops again and again."""


def op_class_of(op: Operation) -> type[Op] | None:
    """The op class of an operation, or None when it is not of the weft dialect."""
    name: str = op.name
    try:
        return _by_name[name]
    except KeyError:
        return op_class_named(name)


def op_class_named(name: str) -> type[Op] | None:
    """The op class of ops that MLIR calls so, or None for those of other dialects."""
    if not name.startswith("weft."):
        return _by_name.setdefault(name, None)
    op_class = OPS.get(name[5:])
    if op_class is not None:
        _by_name[name] = op_class
    return op_class


def decode_attributes(op_class: type[Op], op: Operation) -> dict[str, Any]:
    """The attribute values of an operation by field name."""
    fields = op_class.attribute_fields()
    if not fields:
        return {}
    attributes = op.attributes
    try:
        return {f.name: attribute_from_mlir(f.kind, attributes[f.name]) for f in fields}
    except KeyError:
        missing = [f.name for f in fields if f.name not in attributes]
        raise WeftValueError(f"needs the attribute {' and '.join(missing)}") from None
    except (
        TypeError
    ) as error:  # the bindings have no class for some attributes that can be read: array<ui8: 0>
        if isinstance(error, WeftError):
            raise
        raise WeftValueError(f"has an attribute of a kind that it does not take: {error}") from error


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
        results = _inferred_types(op_class, operands, attributes)
    else:
        results = [type_to_mlir(t) for t in types]
    return operation_of(
        op_class.mlir_name(),
        operands,
        results,
        location=location,
        **{f.name: attribute_to_mlir(f.kind, attributes[f.name]) for f in op_class.attribute_fields()},
        **(segments(operands, results) if op_class.results == VARIADIC else {}),
    )


def segments(operands: Sequence[Value], results: Sequence[Type]) -> dict[str, Attribute]:
    """The attributes that say how many operands and results an op has that may have any number."""
    groups = {"operandSegmentSizes": len(operands), "resultSegmentSizes": len(results)}
    return {
        name: ir.DenseI32ArrayAttr.get([1] * count + [0] * (MOST - count)) for name, count in groups.items()
    }


_inferred: dict[Any, list[Type]] = {}
"""The result types of ops on operands and attributes that were met: programs have few different ones."""


def _inferred_types(op_class: type[Op], operands: list[Value], attributes: dict[str, Any]) -> list[Type]:
    types = [operand.type for operand in operands]
    if op_class.has_elements():
        return _infer(op_class, types, attributes)  # equal numbers may have different dtypes
    named = [(name, tuple(v) if isinstance(v, list) else v) for name, v in attributes.items()]
    key = (op_class, *types, *named)
    found = _inferred.get(key)
    if found is None:
        if len(_inferred) >= _MOST_REMEMBERED:
            _inferred.clear()
        found = _inferred[key] = _infer(op_class, types, attributes)
    return found


def _infer(op_class: type[Op], types: list[Type], attributes: dict[str, Any]) -> list[Type]:
    return [type_to_mlir(t) for t in op_class.result_types(list(map(type_from_mlir, types)), attributes)]


def tensor_type(value: Value) -> TensorType:
    """The tensor type of a value of the weft dialect."""
    value_type = type_from_mlir(value.type)
    if isinstance(value_type, RefType):
        raise InternalError(f"expected a tensor, not {value_type}")
    return value_type
