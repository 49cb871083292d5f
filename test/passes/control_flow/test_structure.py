"""What passes on loops ask: the values inside of each loop."""

from __future__ import annotations

from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.control_flow.structure import control_ops, defined_inside, loops_with_values
from weft.passes.rewriting import defined_functions, holds

_NESTED = """
func.func @nested(%n: index, %b: i1, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f64) {
    %then = scf.if %b -> (f64) {
      %inner = scf.for %j = %i to %n step %one iter_args(%c = %a) -> (f64) {
        %d = arith.addf %c, %x : f64
        scf.yield %d : f64
      }
      scf.yield %inner : f64
    } else {
      scf.yield %a : f64
    }
    %t = tensor.generate %n {
    ^bb0(%k: index):
      tensor.yield %then : f64
    } : tensor<?xf64>
    scf.yield %then : f64
  }
  %last = scf.for %i = %zero to %n step %one iter_args(%a = %sum) -> (f64) {
    scf.yield %a : f64
  }
  return %last : f64
}
"""


def test_values_of_loops() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.parse(_NESTED)
        (function,) = defined_functions(module)
        found = loops_with_values(function.operation)
        assert [loop for loop, _ in found] == control_ops(function.operation, "scf.for")
        assert [values for _, values in found] == [defined_inside(loop) for loop, _ in found]
        assert [len(values) for _, values in found] == [3, 9, 2]


def test_holds() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.parse(_NESTED)
        assert holds(module.operation, {"arith.addf", "scf.while"})
        assert not holds(module.operation, {"scf.while", "scf"})
