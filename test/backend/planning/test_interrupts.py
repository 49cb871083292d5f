"""Loops that look for interrupts: what others know of what is in them stays where it is."""

from __future__ import annotations

import pytest

from support.erased_handles import checked_handles
from weft.backend.planning.failures import FailureSites
from weft.backend.planning.interrupts import insert_polls
from weft.backend.planning.names import POLL
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.rewriting import operations_of

TEXT = """
func.func @f(%n: index, %bytes: memref<?xi8>, %record: memref<20xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.view %bytes[%c0][] : memref<?xi8> to memref<2xf32>
    %w = memref.view %bytes[%i][] : memref<?xi8> to memref<2xf32>
    memref.copy %v, %w : memref<2xf32> to memref<2xf32>
  } {weft.interruptible}
  return
}
"""


def test_what_is_in_a_loop_moves_with_it() -> None:
    with context(), ir.Location.unknown(), checked_handles():
        module = ir.Module.parse(TEXT)
        function = module.body.operations[0].operation
        views = [op.results[0] for op in operations_of(function) if op.name == "memref.view"]
        record = function.regions[0].blocks[0].arguments[2]
        assert insert_polls(function, record, FailureSites(module))
        assert module.operation.verify()
        assert [view.owner.operation.name for view in views] == ["memref.view"] * 2
        loops = [op for op in operations_of(function) if op.name == "scf.for"]
        assert len(loops) == 2


NESTED = """
func.func @f(%n: index, %record: memref<20xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %last = arith.constant LAST : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %last step %c1 {
      scf.for %k = %c0 to %c3 step %c1 {
        scf.while : () -> () {
          %more = arith.cmpi slt, %k, %j : index
          scf.condition(%more)
        } do {
          scf.yield
        } attributes {weft.interruptible}
      } {weft.interruptible}
    } {weft.interruptible}
  } {weft.interruptible}
  return
}
"""


@pytest.mark.parametrize(("last", "looks"), [(1000, 2), (2000, 3)])
def test_loops_that_are_over_soon_leave_the_looking_to_others(last, looks) -> None:
    """A thousand times three iterations in four of which nobody looks are few, two thousand are not."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(NESTED.replace("LAST", str(last)))
        function = module.body.operations[0].operation
        assert insert_polls(function, function.regions[0].blocks[0].arguments[1], FailureSites(module))
        calls = [op for op in operations_of(function) if op.name == "func.call"]
        assert sum(op.attributes["callee"].value == POLL for op in calls) == looks
