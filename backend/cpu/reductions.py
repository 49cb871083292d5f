"""Freedom for reductions: only their combiners may be reassociated, all other arithmetic stays exact."""

from __future__ import annotations

from ...dialect.mlir import Attribute, Operation, Value, ir
from .loop_nest import LoopNest

_SUMS = {"arith.addf", "arith.mulf"}
_EXTREMES = {"arith.maximumf", "arith.minimumf"}


def relax_combiners(nest: LoopNest) -> None:
    """Let LLVM vectorise the reductions of a nest.

    Floating sums and products get `reassoc`, and a product that only feeds the sum may be contracted with it;
    maxima and minima ignore the sign of zero, as NumPy does, and still propagate NaN.
    """
    if all(nest.parallel):
        return
    *_, terminator = nest.body.operations
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    for value, argument in zip(terminator.operation.operands, arguments, strict=True):
        combiner = _combiner(value, argument)
        if combiner is None:
            continue
        if combiner.name in _SUMS:
            _set_fastmath(combiner, "reassoc,contract" if combiner.name == "arith.addf" else "reassoc")
            if combiner.name == "arith.addf":
                _allow_contraction(combiner, argument)
        elif combiner.name in _EXTREMES:
            _set_fastmath(combiner, "nsz")


def _combiner(value: Value, accumulator: Value) -> Operation | None:
    """The operation that combines the accumulator with something that does not depend on it."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in _SUMS | _EXTREMES:
        return None
    uses = list(accumulator.uses)
    if len(uses) != 1 or uses[0].owner.operation != owner.operation:
        return None
    return owner.operation


def _allow_contraction(combiner: Operation, accumulator: Value) -> None:
    for operand in combiner.operands:
        if operand != accumulator and not isinstance(operand.owner, ir.Block):
            product = operand.owner.operation
            if product.name == "arith.mulf" and len(list(operand.uses)) == 1:
                _set_fastmath(product, "contract")


def _set_fastmath(operation: Operation, flags: str) -> None:
    operation.attributes["fastmath"] = _fastmath(flags)


def _fastmath(flags: str) -> Attribute:
    return ir.Attribute.parse(f"#arith.fastmath<{flags}>")
