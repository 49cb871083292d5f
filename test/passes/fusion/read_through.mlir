// RUN: weft-opt %s --read-through | filecheck %s

// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: "weft.gather"(%arg0, %arg1, %arg4) {axes = array<i64: 0, 1>, position = 0 : i64} : (tensor<?x5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
func.func @in_a_loop(%rows: tensor<?x5x3xf32>, %i: tensor<i64>, %x: tensor<3xf32>, %n: index, %j: tensor<i64>) -> (tensor<3xf32>, tensor<?x5x3xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = "weft.gather"(%rows, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?x5x3xf32>, tensor<i64>) -> tensor<5x3xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %x) -> (tensor<3xf32>) {
    %y = "weft.gather"(%row, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5x3xf32>, tensor<i64>) -> tensor<3xf32>
    %t = "weft.add"(%s, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    scf.yield %t : tensor<3xf32>
  }
  return %sum, %rows : tensor<3xf32>, tensor<?x5x3xf32>
}

// A row of a row, and columns of it.
// CHECK-LABEL: func.func @rows_of_rows
// CHECK-NEXT: %[[X:.*]] = "weft.gather"(%arg0, %arg1, %arg2, %arg3) {axes = array<i64: 0, 1, 3>, position = 0 : i64}
// CHECK-NEXT: return %[[X]]
func.func @rows_of_rows(%x: tensor<4x5x3x2xf32>, %i: tensor<i64>, %j: tensor<i64>, %k: tensor<i64>) -> tensor<3xf32> {
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4x5x3x2xf32>, tensor<i64>) -> tensor<5x3x2xf32>
  %1 = "weft.gather"(%0, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5x3x2xf32>, tensor<i64>) -> tensor<3x2xf32>
  %2 = "weft.gather"(%1, %k) {axes = array<i64: 1>, position = 0 : i64} : (tensor<3x2xf32>, tensor<i64>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// What is written after the row was read would have to be copied.
// CHECK-LABEL: func.func @written
// CHECK: "weft.gather"(%arg0, %arg1) {axes = array<i64: 0>
// CHECK-NOT: axes = array<i64: 0, 1>
func.func @written(%x: tensor<4x5xf32>, %i: tensor<i64>, %u: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<f32>) {
  %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4x5xf32>, tensor<i64>) -> tensor<5xf32>
  %y = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<4x5xf32>, tensor<5xf32>, tensor<i64>) -> tensor<4x5xf32>
  %z = "weft.gather"(%row, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
  return %y, %z : tensor<4x5xf32>, tensor<f32>
}

// Nor columns, nor rows that are read as a whole.
// CHECK-LABEL: func.func @columns_and_wholes
// CHECK-NOT: axes = array<i64: 0, 1>
// CHECK: return
func.func @columns_and_wholes(%x: tensor<4x5xf32>, %i: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<5xf32>) {
  %column = "weft.gather"(%x, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x5xf32>, tensor<i64>) -> tensor<4xf32>
  %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4x5xf32>, tensor<i64>) -> tensor<5xf32>
  %0 = "weft.gather"(%column, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
  %1 = "weft.gather"(%row, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
  %2 = "weft.negative"(%row) : (tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<5xf32>
}

// Nor elements that are places in another tensor.
// CHECK-LABEL: func.func @places
// CHECK: "weft.gather"(%arg0, %arg2) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: "weft.gather"(%arg1, {{.*}}) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5xf64>, tensor<i64>) -> tensor<f64>
func.func @places(%places: tensor<4xi64>, %x: tensor<5xf64>, %i: tensor<i64>) -> tensor<f64> {
  %place = "weft.gather"(%places, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
  %0 = "weft.gather"(%x, %place) {axes = array<i64: 0>, position = 0 : i64} : (tensor<5xf64>, tensor<i64>) -> tensor<f64>
  return %0 : tensor<f64>
}
