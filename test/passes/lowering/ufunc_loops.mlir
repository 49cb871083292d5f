// RUN: weft-opt %s --convert-weft-to-linalg --split-input-file | filecheck %s

// A loop writes its results to memory of their own; whether it failed is a word, and becomes a boolean.
// CHECK-LABEL: func.func @solve
// CHECK: %[[X:.*]] = tensor.empty() : tensor<3x2xf64>
// CHECK: %[[CALL:.*]]:2 = "weft.call_loop"(%arg0, %arg1, %[[X]])
// CHECK-SAME: function = "numpy.linalg._umath_linalg.solve", loop = "dd->d"
// CHECK-SAME: updated = 1
// CHECK-SAME: (tensor<3x3xf64>, tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<i64>)
// CHECK: arith.cmpi ne
func.func @solve(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<i1>) {
  %0:2 = "weft.solve"(%a, %b) : (tensor<3x3xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<3x2xf64>, tensor<i1>
}

// -----

// What is overwritten is an argument that is a result; extents that no operand has are computed from those that they have.
// CHECK-LABEL: func.func @factors
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[P:.*]] = arith.minsi %[[M]], %[[N]]
// CHECK: %[[T:.*]] = tensor.empty(%[[P]]) : tensor<?xf64>
// CHECK: "weft.call_loop"(%arg0, %[[T]])
// CHECK-SAME: updated = 2
func.func @factors(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<i1>) {
  %0:3 = "weft.qr_factors"(%a) : (tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<i1>)
  return %0#0, %0#1, %0#2 : tensor<?x?xf64>, tensor<?xf64>, tensor<i1>
}

// -----

// A loop that cannot fail has no such result.
// CHECK-LABEL: func.func @transform
// CHECK: tensor.empty() : tensor<2x3xcomplex<f64>>
// CHECK: function = "numpy.fft._pocketfft_umath.rfft_n_even", loop = "dd->D"
// CHECK-NOT: arith.cmpi
func.func @transform(%x: tensor<2x4xf64>, %scale: tensor<f64>) -> tensor<2x3xcomplex<f64>> {
  %0 = "weft.rfft"(%x, %scale) {odd = false} : (tensor<2x4xf64>, tensor<f64>) -> tensor<2x3xcomplex<f64>>
  return %0 : tensor<2x3xcomplex<f64>>
}
