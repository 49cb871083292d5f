"""Types and attributes across the border between Python values and MLIR."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .dtypes import by_mlir, element_type, is_bfloat16
from .errors import WeftTypeError, WeftValueError
from .mlir import Attribute, Type, ir
from .op import FieldKind
from .types import RefType, TensorType, ValueType

MAKES_ROOM = "weft.makes_room"
"""On branches that give arrays more rows if a list is to have more items: nobody looks at how many these are."""

STAYS = "weft.stays"
"""On functions that are called as often as not to be put in the places of their calls."""

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def element_to_mlir(dtype: np.dtype[Any]) -> Type:
    """The MLIR element type of a dtype in the weft dialect."""
    return ir.Type.parse(element_type(dtype).mlir)


@cache
def type_to_mlir(value_type: ValueType) -> Type:
    """The MLIR type of a weft value (cached: there is one context in a process)."""
    if isinstance(value_type, RefType):
        return ir.Type.parse(f"!weft.ref<{type_to_mlir(value_type.tensor)}>")
    extents = "".join("?x" if extent is None else f"{extent}x" for extent in value_type.shape)
    return ir.Type.parse(f"tensor<{extents}{element_type(value_type.dtype).mlir}>")


@cache
def type_from_mlir(mlir_type: Type) -> ValueType:
    """The weft type of an MLIR type, or `WeftTypeError` where the dialect has none for it."""
    if isinstance(mlir_type, ir.RankedTensorType):
        row = by_mlir(str(mlir_type.element_type))
        if row is not None:
            shape = tuple(None if extent == _DYNAMIC else extent for extent in mlir_type.shape)
            return TensorType(shape, row.dtype)
    text = str(mlir_type)
    if text.startswith("!weft.ref<"):
        inner = type_from_mlir(ir.Type.parse(text[len("!weft.ref<") : -1]))
        if isinstance(inner, TensorType):
            return RefType(inner)
    raise WeftTypeError(f"{text} is not a type of the weft dialect")


def elements_to_mlir(array: np.ndarray[Any, Any]) -> Attribute:
    """A dense attribute that holds the array."""
    mlir_type = type_to_mlir(TensorType(array.shape, array.dtype))
    contiguous = np.ascontiguousarray(array).reshape(-1)
    if contiguous.size and contiguous.tobytes() == contiguous[:1].tobytes() * contiguous.size:
        contiguous = contiguous[:1]  # a single element makes a splat
    if is_bfloat16(contiguous.dtype):
        contiguous = contiguous.view(np.uint16)
    return ir.DenseElementsAttr.get(contiguous, type=mlir_type)


def return_complex_elements() -> None:
    """Teach the bindings to return dense attributes of complex numbers.

    Without this, `op.attributes[...]` raises for them and `NamedAttribute.attr` ends the process. A context must
    be current.
    """

    classes: dict[Type, Callable[[Attribute], Attribute]] = {}

    def caster(attribute: Attribute) -> Attribute:
        kind = attribute.type
        found = classes.get(kind)
        if found is None:
            element = kind.element_type
            integers = isinstance(element, (ir.IntegerType, ir.IndexType))
            numbers = ir.DenseIntElementsAttr if integers else ir.DenseFPElementsAttr
            found = classes[kind] = ir.DenseElementsAttr if isinstance(element, ir.ComplexType) else numbers
        return found(attribute)

    dense = ir.DenseElementsAttr.get(np.zeros(1, np.int64))
    ir.register_type_caster(dense.typeid, replace=True)(caster)


_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def elements_from_mlir(attribute: Attribute) -> np.ndarray[Any, Any]:
    """The array that a dense attribute holds, read-only."""
    mlir_type = type_from_mlir(attribute.type)
    if not isinstance(mlir_type, TensorType) or not mlir_type.is_static:
        raise WeftTypeError(f"{attribute.type} cannot be the type of a constant")
    array: np.ndarray[Any, Any]
    if is_bfloat16(mlir_type.dtype) or mlir_type.dtype.kind == "c":
        array = _elements_from_text(str(attribute), mlir_type)
    else:
        array = np.array(attribute, dtype=mlir_type.dtype)
    array.flags.writeable = False
    return array


def _elements_from_text(text: str, tensor: TensorType) -> np.ndarray[Any, Any]:
    """Read the printed form of the element types that the bindings do not expose as a buffer: bfloat16, complex."""
    body = text[text.index("<") + 1 : text.rindex("> : ")]
    if body.startswith('"0x'):
        flat = np.frombuffer(bytes.fromhex(body[3:-1]), dtype=tensor.dtype)
    else:
        real = np.dtype(np.float32) if tensor.dtype == np.complex64 else np.dtype(np.float64)
        scalar = tensor.dtype if is_bfloat16(tensor.dtype) else real
        bits = np.dtype(f"u{scalar.itemsize}")
        numbers = [
            np.array(int(token, 16), bits).view(scalar)
            if token.startswith("0x")
            else np.array(float(token)).astype(scalar)
            for token in _NUMBER.findall(body)
        ]
        flat = np.array(numbers, dtype=scalar).view(tensor.dtype)
    shape = tuple(extent or 0 for extent in tensor.shape)
    return np.full(shape, flat[0]) if flat.size == 1 else flat.reshape(shape).copy()


_I64 = 64

_ENCODE: dict[FieldKind, Callable[[Any], Attribute]] = {
    FieldKind.INT: lambda value: ir.IntegerAttr.get(ir.IntegerType.get_signless(_I64), int(value)),
    FieldKind.INTS: lambda value: ir.DenseI64ArrayAttr.get([int(v) for v in value]),
    FieldKind.FLOAT: lambda value: ir.FloatAttr.get(
        ir.F64Type.get(), float(value), loc=ir.Location.unknown()
    ),
    FieldKind.BOOL: lambda value: ir.BoolAttr.get(bool(value)),
    FieldKind.STRING: lambda value: ir.StringAttr.get(value),
    FieldKind.STRINGS: lambda value: ir.ArrayAttr.get([ir.StringAttr.get(v) for v in value]),
    FieldKind.DTYPE: lambda value: ir.TypeAttr.get(element_to_mlir(value)),
    FieldKind.ELEMENTS: elements_to_mlir,
}


def _dtype_of(mlir_type: Type) -> np.dtype[Any]:
    row = by_mlir(str(mlir_type))
    if row is None:
        raise WeftTypeError(f"{mlir_type} is not the type of an element")
    return row.dtype


def _integer_of(attribute: Attribute) -> int:
    if isinstance(attribute, ir.BoolAttr):  # an integer of one bit to MLIR
        raise ValueError("a bool")
    value: int = ir.IntegerAttr(attribute).value
    return value


_DECODE: dict[FieldKind, Callable[[Attribute], Any]] = {
    FieldKind.INT: _integer_of,
    FieldKind.INTS: lambda attribute: tuple(ir.DenseI64ArrayAttr(attribute)),
    FieldKind.FLOAT: lambda attribute: ir.FloatAttr(attribute).value,
    FieldKind.BOOL: lambda attribute: ir.BoolAttr(attribute).value,
    FieldKind.STRING: lambda attribute: ir.StringAttr(attribute).value,
    FieldKind.STRINGS: lambda attribute: tuple(ir.StringAttr(a).value for a in ir.ArrayAttr(attribute)),
    FieldKind.DTYPE: lambda attribute: _dtype_of(ir.TypeAttr(attribute).value),
    FieldKind.ELEMENTS: lambda attribute: elements_from_mlir(ir.DenseElementsAttr(attribute)),
}


_MOST_REMEMBERED = 10_000
_encoded: dict[tuple[FieldKind, Any], Attribute] = {}
_decoded: dict[tuple[FieldKind, Attribute], Any] = {}
"""What was met: programs have few different attributes, and passes ask again and again for the bounds of slices."""

_NOT_REMEMBERED = (FieldKind.ELEMENTS, FieldKind.FLOAT)
"""Elements may be many; 0.0 and -0.0 are equal."""


def attribute_to_mlir(kind: FieldKind, value: Any) -> Attribute:
    """Encode an attribute value of a field."""
    if kind in _NOT_REMEMBERED:
        return _ENCODE[kind](value)
    key = (kind, tuple(value) if value.__hash__ is None else value)
    found = _encoded.get(key)
    if found is None:
        if len(_encoded) >= _MOST_REMEMBERED:
            _encoded.clear()
        found = _encoded[key] = _ENCODE[kind](value)
    return found


def attribute_from_mlir(kind: FieldKind, attribute: Attribute) -> Any:
    """Decode an attribute of a field; a wrong kind of attribute is a `WeftValueError`."""
    if kind in _NOT_REMEMBERED:
        return _decode(kind, attribute)
    key = (kind, attribute)
    found = _decoded.get(key)
    if found is None:
        if len(_decoded) >= _MOST_REMEMBERED:
            _decoded.clear()
        found = _decoded[key] = _decode(kind, attribute)
    return found


def _decode(kind: FieldKind, attribute: Attribute) -> Any:
    try:
        return _DECODE[kind](attribute)
    except (ValueError, KeyError, RuntimeError) as error:  # the last where a text is not UTF-8
        raise WeftValueError(f"expected {kind.value}, not {attribute}") from error
