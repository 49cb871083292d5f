// RUN: not weft-opt %s --check-names --split-input-file -o %t 2>&1 | filecheck %s

// CHECK: a function cannot be called sin, which is the name of a function that compiled code calls; rename it
func.func @sin(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// CHECK: a function cannot be called kernel_7
func.func @kernel_7(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// Other names, and declarations of such functions, are fine.
// CHECK-NOT: cannot be called
func.func private @cos(f64) -> f64
func.func @sin_(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
