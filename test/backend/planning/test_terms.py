"""Sizes as terms: what is computed in the same way is equal, and what errors tell to be equal is likely to be."""

from __future__ import annotations

from collections import Counter

import pytest

from weft.backend.planning.terms import TYPICAL_EXTENT, Terms
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.index_arithmetic import SharedConstants

TEXT = """
func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x0 = memref.dim %x, %c0 : memref<?x?xf32>
  %x1 = memref.dim %x, %c1 : memref<?x?xf32>
  %again = memref.dim %x, %c1 : memref<?x?xf32>
  %y0 = memref.dim %y, %c0 : memref<?x?xf32>
  %a = arith.muli %x0, %x1 : index
  %b = arith.muli %x0, %again : index
  %c = arith.muli %y0, %x0 : index
  %four = arith.muli %a, %c4 : index
  %sum = arith.addi %a, %x0 : index
  %half = arith.divui %sum, %c4 : index
  %left = arith.index_cast %x1 : index to i64
  %right = arith.index_cast %y0 : index to i64
  %differ = arith.cmpi ne, %left, %right : i64
  %same = arith.cmpi eq, %left, %right : i64
  %small = arith.constant 4 : i64
  %least = arith.minsi %left, %small : i64
  %error = arith.extui %differ : i1 to i8
  return
}
"""


@pytest.fixture
def sizes():
    """The values of the function by name, and the terms."""
    names = [
        "x0",
        "x1",
        "again",
        "y0",
        "a",
        "b",
        "c",
        "four",
        "sum",
        "half",
        "left",
        "right",
        "differ",
        "same",
        "small",
        "least",
        "error",
    ]
    with context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        (function,) = module.body.operations
        operations = [op.operation for op in function.regions[0].blocks[0].operations]
        with ir.InsertionPoint(operations[-1]):
            yield (
                dict(zip(names, (op.results[0] for op in operations[3:-1]), strict=True)),
                Terms(SharedConstants()),
            )


def test_what_is_computed_in_the_same_way_is_equal(sizes):
    values, terms = sizes
    assert terms.of(values["a"]) == terms.of(values["b"])
    assert terms.of(values["a"]) != terms.of(values["c"])
    assert terms.of(values["differ"]) != terms.of(values["same"])
    assert terms.of(7) == 7


def test_numbers_of_other_types_are_computed_as_such(sizes):
    values, terms = sizes
    assert terms.emit(values["least"]).type == ir.IntegerType.get_signless(64)
    assert values["least"].owner.operation.parent.operation.verify()


def test_guesses_tell_small_from_large(sizes):
    values, terms = sizes
    guesses = [terms.guess(values[name]) for name in ("x0", "a", "four", "sum", "half")]
    extent = TYPICAL_EXTENT
    assert guesses == [extent, extent**2, 4 * extent**2, extent**2 + extent, (extent**2 + extent) // 4]


def test_what_an_error_tells_to_be_equal_is_of_one_kind(sizes):
    values, terms = sizes
    assert terms.kind(values["a"]) != terms.kind(values["c"])
    terms.expect(values["error"])
    assert terms.kind(values["a"]) == terms.kind(values["c"])
    assert terms.kind(values["x0"]) != terms.kind(values["x1"])
    assert terms.of(values["a"]) != terms.of(values["c"])  # only likely


def test_equal_terms_are_computed_once(sizes):
    values, terms = sizes
    block = values["a"].owner.operation.block
    before = Counter(op.operation.name for op in block.operations)
    assert terms.emit(values["a"]) == terms.emit(values["b"])
    made = Counter(op.operation.name for op in block.operations) - before
    assert made == {"arith.constant": 2, "memref.dim": 2, "arith.muli": 1}
