// RUN: weft-opt %s --unroll-loops --canonicalize --split-input-file | filecheck %s

// So many iterations that only wide integers count them.
// CHECK-LABEL: func.func @longest
// CHECK: scf.for
func.func @longest(%x: tensor<f64>) -> tensor<f64> {
  %first = arith.constant -9223372036854775808 : index
  %one = arith.constant 1 : index
  %last = arith.constant 9223372036854775807 : index
  %r = scf.for %k = %first to %last step %one iter_args(%a = %x) -> tensor<f64> {
    %0 = "weft.sin"(%a) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %r : tensor<f64>
}
