// RUN: weft-opt %s --target=sm_90a+cufft+cusolver --call-libraries --split-input-file | filecheck %s
// RUN: weft-opt %s --target=sm_90a --call-libraries --split-input-file | filecheck %s --check-prefix=NONE

// Right sides are rows, and solutions, too; what is computed before is transposed as it is.
// CHECK-LABEL: func.func @solve
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4xf64>)
// CHECK: arith.mulf
// CHECK: %[[FOUND:.*]]:3 = "weft.call_library"(%arg0, %[[ROWS]])
// CHECK-SAME: routine = "cusolver.solve", updated = 2
// CHECK: linalg.generic {{.*}} ins(%[[FOUND]]#1 : tensor<3x4xf64>)
// CHECK: return %{{.*}}, %[[FOUND]]#2
// NONE-LABEL: func.func @solve
// NONE: weft.call_loop
// NONE-NOT: weft.call_library
#id = affine_map<(i, j) -> (i, j)>
func.func @solve(%a: tensor<4x4xf64>, %b: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<i64>) {
  %two = arith.constant 2.0 : f64
  %0 = tensor.empty() : tensor<4x3xf64>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<4x3xf64>) outs(%0 : tensor<4x3xf64>) {
  ^bb0(%x: f64, %out: f64):
    %3 = arith.mulf %x, %two : f64
    linalg.yield %3 : f64
  } -> tensor<4x3xf64>
  %2:2 = "weft.call_loop"(%a, %1, %0) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4x4xf64>, tensor<4x3xf64>, tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<i64>)
  return %2#0, %2#1 : tensor<4x3xf64>, tensor<i64>
}

// -----

// A part of an array, which each kernel would read by itself, is computed: a library needs memory.
// CHECK-LABEL: func.func @part
// CHECK: %[[PART:.*]] = tensor.extract_slice
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[PART]]
// CHECK: "weft.call_library"(%[[COPY]], %{{.*}}) {{.*}}routine = "cufft.fft", updated = 1
// CHECK-NOT: complex.mul
func.func @part(%x: tensor<4x8xcomplex<f64>>) -> tensor<4x4xcomplex<f64>> {
  %one = arith.constant dense<1.0> : tensor<f64>
  %0 = tensor.extract_slice %x[0, 2] [4, 4] [1, 1] : tensor<4x8xcomplex<f64>> to tensor<4x4xcomplex<f64>>
  %1 = tensor.empty() : tensor<4x4xcomplex<f64>>
  %2:2 = "weft.call_loop"(%0, %one, %1) {function = "numpy.fft._pocketfft_umath.fft", loop = "Dd->D", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4x4xcomplex<f64>>, tensor<f64>, tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<i64>)
  return %2#0 : tensor<4x4xcomplex<f64>>
}

// -----

// Matrices with more rows than columns are transposed; of those whose extents nobody knows it is left to the host.
// CHECK-LABEL: func.func @tall
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5xf64>)
// CHECK: "weft.call_library"{{.*}}routine = "cusolver.svdvals", updated = 2
// CHECK-NOT: "weft.call_library"
// CHECK: "weft.call_loop"
func.func @tall(%x: tensor<5x2xf64>, %y: tensor<?x?xf64>, %n: index) -> (tensor<2xf64>, tensor<?xf64>) {
  %0 = tensor.empty() : tensor<2xf64>
  %1:2 = "weft.call_loop"(%x, %0) {function = "numpy.linalg._umath_linalg.svd", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<5x2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<i64>)
  %2 = tensor.empty(%n) : tensor<?xf64>
  %3:2 = "weft.call_loop"(%y, %2) {function = "numpy.linalg._umath_linalg.svd", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<?x?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<i64>)
  return %1#0, %3#0 : tensor<2xf64>, tensor<?xf64>
}

// -----

// Stacks are the host's, and so is what no library has.
// CHECK-LABEL: func.func @stack
// CHECK-NOT: weft.call_library
func.func @stack(%x: tensor<6x3x3xf64>) -> (tensor<6x3x3xf64>, tensor<6xf64>) {
  %0 = tensor.empty() : tensor<6x3x3xf64>
  %1:2 = "weft.call_loop"(%x, %0) {function = "numpy.linalg._umath_linalg.inv", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<6x3x3xf64>, tensor<6x3x3xf64>) -> (tensor<6x3x3xf64>, tensor<i64>)
  %2 = tensor.empty() : tensor<6xf64>
  %3:2 = "weft.call_loop"(%x, %2) {function = "numpy.linalg._umath_linalg.det", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<6x3x3xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<i64>)
  return %1#0, %3#0 : tensor<6x3x3xf64>, tensor<6xf64>
}

// -----

// A determinant is made of the diagonal of triangles and of how many lines were exchanged, by logarithms; one of a stack
// is left to the host.
// CHECK-LABEL: func.func @determinant
// CHECK: %[[FOUND:.*]]:3 = "weft.call_library"(%arg0, %{{.*}}) {{.*}}routine = "cusolver.lu", updated = 2
// CHECK-SAME: (tensor<4x4xf64>, tensor<4xi32>, tensor<i64>)
// CHECK: math.log
// CHECK: math.exp
// CHECK-NOT: "weft.call_library"
// CHECK: "weft.call_loop"
func.func @determinant(%x: tensor<4x4xf64>, %y: tensor<2x4x4xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0 = tensor.empty() : tensor<f64>
  %1:2 = "weft.call_loop"(%x, %0) {function = "numpy.linalg._umath_linalg.det", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4x4xf64>, tensor<f64>) -> (tensor<f64>, tensor<i64>)
  %2 = tensor.empty() : tensor<2xf64>
  %3:2 = "weft.call_loop"(%y, %2) {function = "numpy.linalg._umath_linalg.det", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x4x4xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<i64>)
  return %1#0, %3#0 : tensor<f64>, tensor<2xf64>
}
