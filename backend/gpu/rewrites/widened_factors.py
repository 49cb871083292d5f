"""Factors of products that were made wider before, as the halves or bytes that they are, which tensor cores take.

    %1 = linalg.generic ... { extf }                                            linalg.contract
    %2 = linalg.contract ins(%1, %3 : tensor<8x8xf32>, ...) ...           ->      ins(%0, %3 : tensor<8x8xbf16>, ...)

NumPy's product of two arrays of bfloat16 is one of float32, which its arrays become before. bfloat16 is made wider on
its bits. Bytes are made wider for sums that shall not wrap. What is transposed on the way is read so by the product.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import indexing_maps, is_unused, new_generic, operations_in, operations_of
from ...nests.emit import create

_FROM_BYTES = (["arith.extsi"], ["arith.extui"])
_ON_BITS = ["arith.bitcast", "arith.extui", "arith.shli", "arith.bitcast"]
"""What makes a bfloat16 a float32."""


@dataclass(frozen=True)
class WidenInProducts(Pass):
    """Multiply halves, or bytes, that were made wider before as what they are."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if op.name == "linalg.contract":
                    statistics["products of halves or bytes"] += _take_narrow(op)


def _take_narrow(contract: Operation) -> bool:
    """Read both factors of a product before they are made wider, if they are of the same halves, or of bytes."""
    makers = [widening(value) for value in list(contract.operands)[:2]]
    first, second = (None if maker is None else maker.operands[0] for maker in makers)
    if first is None or second is None or first.type.element_type != second.type.element_type:
        return False
    conversions = [_conversion(maker) for maker in makers if maker is not None]
    for place, maker in enumerate(makers):
        assert maker is not None
        read_half(contract, place, maker)
    if isinstance(first.type.element_type, ir.IntegerType):
        _say_signs(contract, conversions)
    return True


def _say_signs(contract: Operation, conversions: Sequence[str]) -> None:
    """Say of a product of bytes which of them have signs, as its text has to, too, by which kernels are told apart."""
    if conversions == ["arith.extui"] * 2:
        contract.attributes["cast"] = ir.Attribute.parse("#linalg.type_fn<cast_unsigned>")
    if len(set(conversions)) < 2:
        return
    left, right, total = contract.operands
    maps = indexing_maps(contract)
    result = {ir.AffineDimExpr(expression).position for expression in maps[2].results}
    iterators = ["parallel" if dim in result else "reduction" for dim in range(maps[0].n_dims)]
    with ir.InsertionPoint(contract), contract.location:
        op = new_generic([left, right], [total], maps, iterators)
    block = op.regions[0].blocks[0]
    *factors, before = block.arguments
    with ir.InsertionPoint(block), contract.location:
        wide = [
            create(*each)
            for each in zip(conversions, [[before.type]] * 2, [[f] for f in factors], strict=True)
        ]
        product = create("arith.muli", [before.type], wide)
        ir.Operation.create("linalg.yield", operands=[create("arith.addi", [before.type], [before, product])])
    contract.results[0].replace_all_uses_with(op.results[0])
    contract.erase()


def read_half(contract: Operation, place: int, maker: Operation) -> None:
    """Let a product read a factor as the halves that an operation makes wider."""
    map = contract.attributes["indexing_maps"][place].value
    take_half(contract, place, maker.operands[0], _read_through(map, maker), _conversion(maker))
    if is_unused(maker):
        maker.erase()


def take_half(
    contract: Operation, place: int, half: Value, map: ir.AffineMap, conversion: str = "arith.extf"
) -> None:
    """Let a product make a factor of halves wider, which it reads by a map."""
    block = contract.regions[0].blocks[0]
    maps = list(contract.attributes["indexing_maps"])
    contract.operands[place] = half
    maps[place] = ir.AffineMapAttr.get(map)
    argument = block.arguments[place]
    wide = argument.type
    argument.set_type(half.type.element_type)
    with ir.InsertionPoint.at_block_begin(block), contract.location:
        value = create(conversion, [wide], [argument])
    argument.replace_all_uses_except(value, [value.owner.operation])
    contract.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)


def _read_through(map: ir.AffineMap, maker: Operation) -> ir.AffineMap:
    """Where a product reads the halves, of which it has read what was made of them."""
    order = [
        ir.AffineDimExpr(result).position for result in maker.attributes["indexing_maps"][0].value.results
    ]
    return ir.AffineMap.get(map.n_dims, 0, [map.results[axis] for axis in order])


def widening(value: Value) -> Operation | None:
    """The nest that makes all elements of a tensor of halves or bytes wider, and may transpose it, to a value."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "linalg.generic":
        return None
    op = value.owner.operation
    maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
    rank = value.type.rank
    if len(maps) != 2 or maps[1] != ir.AffineMap.get_identity(rank) or not maps[0].is_permutation:
        return None
    source, block = op.operands[0].type, op.regions[0].blocks[0]
    *ops, terminator = operations_in(block)
    names = [inner.name for inner in ops]
    given = list(block.arguments)[:1]
    for inner in ops:  # a chain from the element to the result
        if not inner.operands or inner.operands[0] not in given:
            return None
        given = list(inner.results)
    if not isinstance(source, ir.RankedTensorType) or terminator.operands[0] not in given:
        return None
    is_half = isinstance(value.type.element_type, ir.F32Type) and (
        (isinstance(source.element_type, ir.BF16Type) and names in (_ON_BITS, ["arith.extf"]))
        or (isinstance(source.element_type, ir.F16Type) and names == ["arith.extf"])
    )
    is_byte = source.element_type == ir.IntegerType.get_signless(8) and names in _FROM_BYTES
    return op if is_half or is_byte else None


def _conversion(maker: Operation) -> str:
    """What makes an element wider."""
    name = str(operations_in(maker.regions[0].blocks[0])[0].name)
    return name if [name] in _FROM_BYTES else "arith.extf"
