"""Compute what a product of a matrix with a vector reads where it is read.

    %scaled = linalg.generic ins(%matrix) { mulf %a }              %sums = linalg.generic ins(%matrix, %vector)
    %sums = linalg.contract ins(%scaled, %vector)          ->              { mulf %a, mulf, addf }

A product that reads every element of a factor once gains nothing from tiles and copies of it. As a `linalg.generic` it
is fused with what computes that factor, element by element (`weft-fuse-elementwise`), and the factor is not written to
memory. Products of matrices, which read all elements many times, stay as they are.
"""

from __future__ import annotations

import math

from ...dialect.made_ops import operation_of
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import defined_functions, operations_of

SMALLEST = 1024
"""Factors with fewer elements are in the nearest cache; small products have a schedule of their own."""


@dataclass(frozen=True)
class GeneralizeProducts(Pass):
    """Let products that read a computed factor once be fused with what computes it."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in defined_functions(module):
            for operation in operations_of(function.operation):
                if operation.name == "linalg.contract" and _reads_computed_factor(operation):
                    _generalize(operation)
                    statistics["products generalized"] += 1


def _reads_computed_factor(product: Operation) -> bool:
    if not product.results:
        return False  # it works on memory
    maps = [attribute.value for attribute in product.attributes["indexing_maps"]]
    factors = list(product.operands)[:2]
    return any(
        map.is_permutation and _is_large(factor) and _is_computed(factor)
        for map, factor in zip(maps[:2], factors, strict=True)
    )


def _is_large(factor: Value) -> bool:
    """Whether a factor may have many elements, real ones: those of complex numbers are parts of a contraction."""
    type = ir.RankedTensorType(factor.type)
    if isinstance(type.element_type, ir.ComplexType):
        return False
    return not type.has_static_shape or math.prod(type.shape) >= SMALLEST


def _is_computed(factor: Value) -> bool:
    """Whether a factor is computed element by element, for this product alone, in its block."""
    if isinstance(factor.owner, ir.Block):
        return False
    maker = factor.owner.operation
    (user, *others) = [use.owner.operation for use in factor.uses]
    if others or maker.name != "linalg.generic" or len(maker.results) != 1 or maker.block != user.block:
        return False
    return all("parallel" in str(kind) for kind in maker.attributes["iterator_types"])


def _generalize(product: Operation) -> None:
    """Replace a product by the `linalg.generic` with its body."""
    maps = product.attributes["indexing_maps"]
    result = maps[2].value
    kept = {expression.position for expression in result.results}
    kinds = ("parallel" if loop in kept else "reduction" for loop in range(result.n_dims))
    iterators = ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds])
    attributes = {
        "indexing_maps": maps,
        "iterator_types": iterators,
        "operandSegmentSizes": product.attributes["operandSegmentSizes"],
    }
    with ir.InsertionPoint(product), product.location:
        generic = operation_of(
            "linalg.generic",
            product.operands,
            [found.type for found in product.results],
            regions=1,
            **attributes,
        )
    product.regions[0].blocks[0].append_to(generic.regions[0])
    for old, new in zip(product.results, generic.results, strict=True):
        old.replace_all_uses_with(new)
    product.erase()
