// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Keys of floats are integers, the same for equal elements where their places are asked for.
// CHECK-LABEL: func.func @argsort
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: arith.cmpf
// CHECK: "weft.argsort"({{.*}}) {axis = 1 : i64, descending = false} : (tensor<2x5xi32>) -> tensor<2x5xi64>
// CHECK-NEXT: return
func.func @argsort(%x: tensor<2x5xf32>) -> tensor<2x5xi64> {
  %0 = "weft.argsort"(%x) {axis = 1, descending = false} : (tensor<2x5xf32>) -> tensor<2x5xi64>
  return %0 : tensor<2x5xi64>
}

// Integers are their own keys.
// CHECK-LABEL: func.func @argsort_integers
// CHECK-NEXT: "weft.argsort"(%arg0) {axis = 0 : i64, descending = false} : (tensor<9xi64>) -> tensor<9xi64>
// CHECK-NEXT: return
func.func @argsort_integers(%x: tensor<9xi64>) -> tensor<9xi64> {
  %0 = "weft.argsort"(%x) {axis = 0, descending = false} : (tensor<9xi64>) -> tensor<9xi64>
  return %0 : tensor<9xi64>
}

// Bytes are inverted where the largest comes first, and widened.
// CHECK-LABEL: func.func @sort_unknown
// CHECK: %[[KEY:.*]] = arith.xori %{{.*}}, %{{.*}} : i8
// CHECK: arith.extui %[[KEY]] : i8 to i32
// CHECK: "weft.sort"({{.*}}) {axis = 0 : i64, descending = false} : (tensor<?xi32>) -> tensor<?xi32>
// CHECK: %[[NARROW:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.xori %[[NARROW]], %{{.*}} : i8
// CHECK: return
func.func @sort_unknown(%x: tensor<?xui8>) -> tensor<?xui8> {
  %0 = "weft.sort"(%x) {axis = 0, descending = true} : (tensor<?xui8>) -> tensor<?xui8>
  return %0 : tensor<?xui8>
}

// Seven elements have eight places for a value: three halvings.
// CHECK-LABEL: func.func @search
// CHECK: %[[STEPS:.*]] = arith.constant 3 : index
// CHECK: linalg.generic
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]]
// CHECK: tensor.extract %arg0
func.func @search(%x: tensor<7xi32>, %v: tensor<?xi32>) -> tensor<?xi64> {
  %0 = "weft.searchsorted"(%x, %v) {side = "right"} : (tensor<7xi32>, tensor<?xi32>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// Complex numbers are sorted as they are, and turned round where the largest comes first.
// CHECK-LABEL: func.func @sort_complex
// CHECK-NEXT: %[[SORTED:.*]] = "weft.sort"(%arg0) {axis = 0 : i64, descending = false}
// CHECK: linalg.generic
// CHECK: tensor.extract %[[SORTED]]
// CHECK: return
func.func @sort_complex(%x: tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>> {
  %0 = "weft.sort"(%x) {axis = 0, descending = true} : (tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %0 : tensor<1000xcomplex<f32>>
}

// Another axis than the last one is made the last one, and put back.
// CHECK-LABEL: func.func @sort_columns
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<300x4xi64>) outs(%{{.*}} : tensor<4x300xi64>)
// CHECK: "weft.sort"({{.*}}) {axis = 1 : i64, descending = false} : (tensor<4x300xi64>) -> tensor<4x300xi64>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x300xi64>) outs(%{{.*}} : tensor<300x4xi64>)
func.func @sort_columns(%x: tensor<300x4xi64>) -> tensor<300x4xi64> {
  %0 = "weft.sort"(%x) {axis = 0, descending = false} : (tensor<300x4xi64>) -> tensor<300x4xi64>
  return %0 : tensor<300x4xi64>
}

// Partitions say the places, in ascending order.
// CHECK-LABEL: func.func @partition
// CHECK: "weft.partition"({{.*}}) {axis = 0 : i64, places = array<i64: 2, 7>} : (tensor<9xi32>) -> tensor<9xi32>
func.func @partition(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = "weft.partition"(%x) {axis = 0, places = array<i64: 7, 2>} : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// Places that are known when the program runs stay an operand, beside keys; complex numbers are sorted.
// CHECK-LABEL: func.func @partition_at
// CHECK: "weft.partition_at"(%{{.*}}, %arg1) : (tensor<?x?xi32>, tensor<?x2xi64>) -> tensor<?x?xi32>
// CHECK: return
func.func @partition_at(%x: tensor<?x?xf32>, %p: tensor<?x2xi64>) -> tensor<?x?xf32> {
  %0 = "weft.partition_at"(%x, %p) : (tensor<?x?xf32>, tensor<?x2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @partition_complex_at
// CHECK-NEXT: "weft.sort"(%arg0) {axis = 0 : i64, descending = false}
// CHECK-NEXT: return
func.func @partition_complex_at(%x: tensor<?xcomplex<f64>>, %p: tensor<1xi64>) -> tensor<?xcomplex<f64>> {
  %0 = "weft.partition_at"(%x, %p) : (tensor<?xcomplex<f64>>, tensor<1xi64>) -> tensor<?xcomplex<f64>>
  return %0 : tensor<?xcomplex<f64>>
}
