"""Loops that look for interrupts: what others know of what is in them stays where it is."""

from __future__ import annotations

from support.erased_handles import checked_handles
from weft.backend.planning.failures import FailureSites
from weft.backend.planning.interrupts import insert_polls
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
