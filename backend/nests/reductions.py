"""Freedom for reductions: only their combiners may be reassociated, all other arithmetic stays exact."""

from __future__ import annotations

from ...dialect.mlir import Attribute, Operation, Type, Value, ir
from ...dialect.records import dataclass
from ...passes.lowering.accumulators import ROUNDED
from .emit import create
from .nest import LoopNest


@dataclass(frozen=True)
class Kind:
    """How lanes are combined, and the number that changes nothing."""

    name: str
    floating: float = 0.0
    integer: str = "zero"

    def attribute(self) -> ir.Attribute:
        """The kind as attribute of vector.reduction."""
        return ir.Attribute.parse(f"#vector.kind<{self.name}>")

    def neutral(self, type: Type) -> float | int:
        """The neutral number in a type."""
        if not isinstance(type, ir.IntegerType):
            return self.floating
        highest = (1 << (type.width - 1)) - 1
        numbers: dict[str, int] = {
            "zero": 0,
            "one": 1,
            "ones": -1,
            "highest": highest,
            "lowest": -highest - 1,
        }
        return numbers[self.integer]


_INFINITY = float("inf")

KINDS = {
    "arith.addf": Kind("add"),
    "arith.mulf": Kind("mul", 1.0),
    "arith.maximumf": Kind("maximumf", -_INFINITY),
    "arith.minimumf": Kind("minimumf", _INFINITY),
    "arith.maxnumf": Kind("maxnumf", -_INFINITY),
    "arith.minnumf": Kind("minnumf", _INFINITY),
    "arith.addi": Kind("add"),
    "arith.muli": Kind("mul", integer="one"),
    "arith.maxsi": Kind("maxsi", integer="lowest"),
    "arith.minsi": Kind("minsi", integer="highest"),
    "arith.maxui": Kind("maxui"),
    "arith.minui": Kind("minui", integer="ones"),
    "arith.andi": Kind("and", integer="ones"),
    "arith.ori": Kind("or"),
    "arith.xori": Kind("xor"),
}
"""Combiners whose order of application is free."""

_SUMS = {"arith.addf", "arith.mulf"}
_EXTREMES = {"arith.maximumf", "arith.minimumf"}


def combiners(nest: LoopNest) -> list[Operation | None]:
    """For every output, the operation that combines it with something that does not depend on it."""
    *_, terminator = nest.body.operations
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    pairs = zip(terminator.operation.operands, arguments, strict=True)
    return [_combiner(value, argument) for value, argument in pairs]


def widened_sum(combiner: Operation) -> Operation | None:
    """The `arith.extf` that widens what a sum adds from f32, where that may be added in f32 first.

    That may be where the sum is rounded to f32 in the end, which the lowering of sums marks.
    """
    if combiner.name != "arith.addf" or ROUNDED not in combiner.attributes:
        return None
    for operand in combiner.operands:
        widening = None if isinstance(operand.owner, ir.Block) else operand.owner.operation
        if widening is not None and widening.name == "arith.extf" and len(list(operand.uses)) == 1:
            return widening if isinstance(widening.operands[0].type, ir.F32Type) else None
    return None


def combine(combiner: Operation, left: Value, right: Value) -> Value:
    """The same combination of other values."""
    attributes = {name: combiner.attributes[name] for name in combiner.attributes if name != ROUNDED}
    return create(combiner.name, [left.type], [left, right], attributes)


def relax_combiners(nest: LoopNest) -> None:
    """Give reductions the freedom they need to be vectorised.

    Floating sums and products get `reassoc`, and a product that only feeds the sum may be contracted with it;
    maxima and minima ignore the sign of zero, as NumPy does, and still propagate NaN.
    """
    if all(nest.parallel):
        return
    for combiner in combiners(nest):
        if combiner is None:
            continue
        if combiner.name == "arith.addf":
            _set_fastmath(combiner, "reassoc,contract")
            _allow_contraction(combiner)
        elif combiner.name in _SUMS:
            _set_fastmath(combiner, "reassoc")
        elif combiner.name in _EXTREMES:
            _set_fastmath(combiner, "nsz")


def _combiner(value: Value, accumulator: Value) -> Operation | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in KINDS:
        return None
    uses = list(accumulator.uses)
    if len(uses) != 1 or uses[0].owner.operation != owner.operation:
        return None
    return owner.operation


def _allow_contraction(combiner: Operation) -> None:
    for operand in combiner.operands:
        if not isinstance(operand.owner, ir.Block):
            product = operand.owner.operation
            if product.name == "arith.mulf" and len(list(operand.uses)) == 1:
                _set_fastmath(product, "contract")


def _set_fastmath(operation: Operation, flags: str) -> None:
    operation.attributes["fastmath"] = _fastmath(flags)


def _fastmath(flags: str) -> Attribute:
    return ir.Attribute.parse(f"#arith.fastmath<{flags}>")
