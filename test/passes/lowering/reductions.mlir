// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --weft-to-linalg | filecheck %s --check-prefix=FUSED

// Narrow floats are added up in the next wider type and rounded once.
// CHECK-LABEL: func.func @sum
// CHECK: linalg.fill ins({{.*}} : f64) outs({{.*}} : tensor<4xf64>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x?xf32>)
// CHECK: %[[WIDE:.*]] = arith.extf %in : f32 to f64
// CHECK: arith.addf %out, %[[WIDE]] {weft.rounded} : f64
// CHECK: arith.truncf %in : f64 to f32
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
func.func @sum(%x: tensor<4x?xf32>) -> tensor<4x1xf32> {
  %0 = "weft.sum"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<4x?xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Integers and the widest floats are not widened, and nothing is rounded.
// CHECK-LABEL: func.func @sum_without_widening
// CHECK-NOT: arith.ext
// CHECK: arith.addi %out, %in : i8
// CHECK: arith.addf %out, %in : f64
// CHECK-NOT: arith.trunc
func.func @sum_without_widening(%x: tensor<4xi8>, %y: tensor<4xf64>) -> (tensor<i8>, tensor<f64>) {
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<4xi8>) -> tensor<i8>
  %1 = "weft.sum"(%y) {axes = array<i64: 0>, keepdims = false} : (tensor<4xf64>) -> tensor<f64>
  return %0, %1 : tensor<i8>, tensor<f64>
}

// A producer becomes part of the reduction, and the combiner stays the last op.
// FUSED-LABEL: func.func @mean_of_squares
// FUSED: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%arg0 : tensor<8xf64>)
// FUSED: %[[SQUARE:.*]] = arith.mulf %in, %in : f64
// FUSED-NEXT: arith.addf %out, %[[SQUARE]] : f64
// FUSED-NEXT: linalg.yield
// FUSED: arith.divf %in, %cst{{.*}} : f64
func.func @mean_of_squares(%x: tensor<8xf64>) -> tensor<f64> {
  %0 = "weft.multiply"(%x, %x) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %1 = "weft.mean"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<8xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// The number of elements is counted at run time where an extent is not known.
// CHECK-LABEL: func.func @mean_of_unknown
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %{{.*}} : index
// CHECK: %[[INTEGER:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: %[[DIVISOR:.*]] = arith.sitofp %[[INTEGER]] : i64 to f64
// CHECK: arith.divf %in, %[[DIVISOR]] : f64
func.func @mean_of_unknown(%x: tensor<?x4xf64>) -> tensor<f64> {
  %0 = "weft.mean"(%x) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<?x4xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// Two passes; a negative divisor becomes zero.
// CHECK-LABEL: func.func @var
// CHECK: arith.addf %out, %in : f64
// CHECK: arith.divf
// CHECK: %[[DISTANCE:.*]] = arith.subf %in, %in_{{.*}} : f64
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[DISTANCE]], %[[DISTANCE]] : f64
// CHECK: arith.addf %out, %[[SQUARE]] : f64
// CHECK: arith.maximumf
func.func @var(%x: tensor<8xf64>) -> tensor<f64> {
  %0 = "weft.var"(%x) {axes = array<i64: 0>, keepdims = false, correction = 9.0} : (tensor<8xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @extremes
// CHECK: linalg.fill ins(%cst{{.*}} : f32)
// CHECK: arith.maximumf %out, %in : f32
// CHECK: arith.minui %out, %in : i16
func.func @extremes(%x: tensor<4xf32>, %y: tensor<4xui16>) -> (tensor<f32>, tensor<ui16>) {
  %0 = "weft.max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<4xf32>) -> tensor<f32>
  %1 = "weft.min"(%y) {axes = array<i64: 0>, keepdims = false} : (tensor<4xui16>) -> tensor<ui16>
  return %0, %1 : tensor<f32>, tensor<ui16>
}

// The extremum, then the smallest index at which it stands, or at which a NaN is.
// CHECK-LABEL: func.func @argmax
// CHECK: arith.maximumf %out, %in : f32
// CHECK-DAG: %[[EQUAL:.*]] = arith.cmpf oeq, %in, %in_{{.*}} : f32
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf une, %in, %in : f32
// CHECK: %[[FOUND:.*]] = arith.ori
// CHECK: linalg.index 1
// CHECK: %[[PLACE:.*]] = arith.select %[[FOUND]]
// CHECK: arith.minsi %out, %[[PLACE]] : i64
func.func @argmax(%x: tensor<4x?xf32>) -> tensor<4xi64> {
  %0 = "weft.argmax"(%x) {axis = 1, keepdims = false} : (tensor<4x?xf32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// Truth is kept in bytes.
// CHECK-LABEL: func.func @all
// CHECK: %[[TRUE:.*]] = arith.cmpf une, %in, %cst{{.*}} : f64
// CHECK: %[[BYTE:.*]] = arith.extui %[[TRUE]] : i1 to i8
// CHECK: arith.andi %out, %[[BYTE]] {weft.stops} : i8
func.func @all(%x: tensor<4xf64>) -> tensor<i1> {
  %0 = "weft.all"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<4xf64>) -> tensor<i1>
  return %0 : tensor<i1>
}

// Of what is not NaN: integers in the order of the numbers are combined, the lowest of which stands for NaN.
// CHECK-LABEL: func.func @max_number
// CHECK: linalg.fill ins(%c-2147483648_i32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %in, %in : f32
// CHECK: %[[KEY:.*]] = arith.select %[[NAN]], %c-2147483648_i32{{.*}}, %{{.*}} : i32
// CHECK: arith.maxsi %out, %[[KEY]] : i32
// CHECK: arith.cmpi eq, %in, %c-2147483648_i32
func.func @max_number(%x: tensor<9xf32>) -> tensor<f32> {
  %0 = "weft.max_number"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<9xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The maximum of booleans is whether any is true, that of bytes is not.
// CHECK-LABEL: func.func @max_of_truth
// CHECK: arith.ori %{{.*}} {weft.stops} : i8
// CHECK-LABEL: func.func @max_of_bytes
// CHECK-NOT: weft.stops
// CHECK: arith.maxui
// CHECK: return
func.func @max_of_truth(%x: tensor<9xi1>) -> tensor<i1> {
  %0 = "weft.max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<9xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @max_of_bytes(%x: tensor<9xui8>) -> tensor<ui8> {
  %0 = "weft.max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<9xui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}
