"""Instructions of AVX-512 that the vector operations of MLIR do not have, as intrinsic functions of LLVM."""

from __future__ import annotations

from collections.abc import Callable

from ...dialect.mlir import Type, Value, ir
from .. import target
from ..nests.emit import create, scalar
from .number import Number


def has_instructions(x: Number) -> bool:
    """Whether the machine has AVX-512 and a number is a vector of whole registers, or of half or a quarter of one."""
    if not target.current().exponent_instructions or not isinstance(x.type, ir.VectorType):
        return False
    bits = x.bits * int(x.type.shape[0])
    return bits in (128, 256) or bits % 512 == 0


def has_tables(x: Number) -> bool:
    """Whether functions of a number look up tables: with AVX-512, and in kernels that a machine with it launches.

    These give its bits.
    """
    machine = target.current()
    if machine.gpu is None:
        return has_instructions(x)
    return target.named(machine.host).exponent_instructions


def is_below_a_register(x: Number) -> bool:
    """Whether the machine has AVX-512, but a number is a scalar or a vector too short for its instructions."""
    if not target.current().exponent_instructions:
        return False
    return not isinstance(x.type, ir.VectorType) or x.bits * int(x.type.shape[0]) < 128


def filled_up(x: Number) -> Number:
    """A register that begins with a scalar or short vector; the first element is in the other lanes."""
    type = ir.VectorType.get([128 // x.bits], x.element)
    if not isinstance(x.type, ir.VectorType):
        return Number(create("vector.broadcast", [type], [x.value]))
    lanes = [lane if lane < int(x.type.shape[0]) else 0 for lane in range(128 // x.bits)]
    return Number(create("vector.shuffle", [type], [x.value, x.value], _lanes(lanes)))


def first_lanes(x: Number, like: Number) -> Number:
    """What `filled_up` filled up."""
    if isinstance(like.type, ir.VectorType):
        lanes = list(range(int(like.type.shape[0])))
        return Number(create("vector.shuffle", [like.type], [x.value, x.value], _lanes(lanes)))
    position = {"static_position": ir.DenseI64ArrayAttr.get([0])}
    return Number(create("vector.extract", [like.type], [x.value], position))


def _lanes(lanes: list[int]) -> dict[str, ir.Attribute]:
    return {"mask": ir.DenseI64ArrayAttr.get(lanes)}


def by_registers(form: Callable[..., Number], *operands: Number) -> Number:
    """Apply a form that takes vectors of one register to longer ones, piece by piece."""
    type = operands[0].type
    lanes, whole = 512 // operands[0].bits, int(type.shape[0])
    if whole <= lanes:
        return form(*operands)
    piece = ir.VectorType.get([lanes], type.element_type)
    stride = {"strides": _indices(1)}
    result = operands[0].constant(0.0).value
    for start in range(0, whole, lanes):
        place = {"offsets": _indices(start), **stride}
        parts = [
            Number(
                create(
                    "vector.extract_strided_slice", [piece], [x.value], {**place, "sizes": _indices(lanes)}
                )
            )
            for x in operands
        ]
        result = create("vector.insert_strided_slice", [type], [form(*parts).value, result], place)
    return Number(result)


def _indices(number: int) -> ir.Attribute:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, number)])


def resized(x: Number, lanes: int) -> Number:
    """The first lanes of a vector, or zeros behind them."""
    type, length = ir.VectorType.get([lanes], x.element), int(x.type.shape[0])
    place = {"offsets": _indices(0), "strides": _indices(1)}
    if lanes < length:
        size = {"sizes": _indices(lanes)}
        return Number(create("vector.extract_strided_slice", [type], [x.value], {**place, **size}))
    zeros = create("arith.constant", [type], [], {"value": ir.Attribute.parse(f"dense<0.0> : {type}")})
    return Number(create("vector.insert_strided_slice", [type], [x.value, zeros], place))


def instruction(name: str, x: Number, operands: list[Value]) -> Number:
    """An intrinsic of AVX-512 on one register, with a mask that is all ones; those with "mask." round as usual."""
    lanes = int(x.type.shape[0])
    bits = lanes * x.bits
    operands = [*operands, integer(-1, max(8, lanes))]
    if bits == 512 and name.startswith("mask."):
        operands.append(integer(4, 32))
    symbol = f"llvm.x86.avx512.{name}.{'ps' if x.bits == 32 else 'pd'}.{bits}"
    return Number(call_intrinsic(symbol, x.type, operands))


def call_intrinsic(symbol: str, type: Type, operands: list[Value]) -> Value:
    """Call an intrinsic function of LLVM."""
    attributes = {
        "intrin": ir.StringAttr.get(symbol),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
    }
    return create("llvm.call_intrinsic", [type], operands, attributes)


def integer(number: int, width: int) -> Value:
    """A constant operand."""
    return scalar(ir.IntegerType.get_signless(width), number)
