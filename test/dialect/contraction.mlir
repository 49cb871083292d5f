// RUN: weft-opt %s | weft-opt | filecheck %s

// Contractions and pooling: printed and read again.

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<5x1x?x4xf32>, %y: tensor<3x4x2xf32>) {
  // CHECK: "weft.matmul"(%arg0, %arg1) : (tensor<5x1x?x4xf32>, tensor<3x4x2xf32>) -> tensor<5x3x?x2xf32>
  %0 = "weft.matmul"(%x, %y) : (tensor<5x1x?x4xf32>, tensor<3x4x2xf32>) -> tensor<5x3x?x2xf32>
  // CHECK: "weft.contract"(%arg1, %arg1) {spec = "abc,abd->cd"} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<2x2xf32>
  %1 = "weft.contract"(%y, %y) {spec = "abc,abd->cd"} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x?x7x3xf32>, %f: tensor<3x2x3x8xf32>, %g: tensor<3x2x1x9xf32>) {
  // CHECK: "weft.conv"(%arg0, %arg1) {dilations = array<i64: 1, 2>, groups = 1 : i64, input_dilations = array<i64: 1, 1>, padding = array<i64: 1, 1, 0, 2>, strides = array<i64: 2, 1>} : {{.*}} -> tensor<1x?x7x8xf32>
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 2>, dilations = array<i64: 1, 2>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x?x7x3xf32>, tensor<3x2x3x8xf32>) -> tensor<1x?x7x8xf32>
  // CHECK: "weft.conv"(%arg0, %arg2) {dilations = array<i64: 1, 1>, groups = 3 : i64, input_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : {{.*}} -> tensor<1x?x6x9xf32>
  %2 = "weft.conv"(%x, %g) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<1x?x7x3xf32>, tensor<3x2x1x9xf32>) -> tensor<1x?x6x9xf32>
  // CHECK: "weft.window_max"(%arg0) {dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 2, 2, 1>, window = array<i64: 1, 2, 2, 1>} : {{.*}} -> tensor<1x?x3x3xf32>
  %1 = "weft.window_max"(%x) {window = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>} : (tensor<1x?x7x3xf32>) -> tensor<1x?x3x3xf32>
  return
}
