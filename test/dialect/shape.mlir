// RUN: weft-opt %s | weft-opt | filecheck %s

// Extents that are not known in the attribute are operands.
// CHECK-LABEL: func.func @run_time_extents
func.func @run_time_extents(%x: tensor<?x3xf32>) -> tensor<2x?x3xf32> {
  // CHECK: %[[N:.*]] = "weft.dim"(%arg0) {axis = 0 : i64} : (tensor<?x3xf32>) -> tensor<i64>
  %n = "weft.dim"(%x) {axis = 0} : (tensor<?x3xf32>) -> tensor<i64>
  // CHECK: "weft.broadcast_to"(%arg0, %[[N]]) {shape = array<i64: 2, -1, 3>}
  %0 = "weft.broadcast_to"(%x, %n) {shape = array<i64: 2, -1, 3>} : (tensor<?x3xf32>, tensor<i64>) -> tensor<2x?x3xf32>
  return %0 : tensor<2x?x3xf32>
}

// A result may know more extents than the rule infers.
// CHECK-LABEL: func.func @refined
func.func @refined(%x: tensor<?xui8>, %y: tensor<?xui8>) -> tensor<5xui8> {
  // CHECK: "weft.concat"({{.*}}) {axis = 0 : i64} : (tensor<?xui8>, tensor<?xui8>) -> tensor<5xui8>
  %0 = "weft.concat"(%x, %y) {axis = 0} : (tensor<?xui8>, tensor<?xui8>) -> tensor<5xui8>
  return %0 : tensor<5xui8>
}

// CHECK-LABEL: func.func @stack
func.func @stack(%x: tensor<2xbf16>) -> tensor<2x3xbf16> {
  // CHECK: "weft.stack"(%arg0, %arg0, %arg0) {axis = 1 : i64}
  %0 = "weft.stack"(%x, %x, %x) {axis = 1} : (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @axes_of_extent_1
func.func @axes_of_extent_1(%x: tensor<?x1xi1>) -> tensor<1x?xi1> {
  // CHECK: "weft.squeeze"(%arg0) {axes = array<i64: 1>} : (tensor<?x1xi1>) -> tensor<?xi1>
  %0 = "weft.squeeze"(%x) {axes = array<i64: 1>} : (tensor<?x1xi1>) -> tensor<?xi1>
  // CHECK: "weft.expand_dims"({{.*}}) {axes = array<i64: 0>} : (tensor<?xi1>) -> tensor<1x?xi1>
  %1 = "weft.expand_dims"(%0) {axes = array<i64: 0>} : (tensor<?xi1>) -> tensor<1x?xi1>
  return %1 : tensor<1x?xi1>
}

// CHECK-LABEL: func.func @stretched
func.func @stretched(%x: tensor<?x3x?xf32>, %n: tensor<i64>) -> tensor<?x3x5xf32> {
  // CHECK: "weft.stretch"(%arg0, %arg1) {shape = array<i64: -1, 3, 5>} : (tensor<?x3x?xf32>, tensor<i64>) -> tensor<?x3x5xf32>
  %0 = "weft.stretch"(%x, %n) {shape = array<i64: -1, 3, 5>} : (tensor<?x3x?xf32>, tensor<i64>) -> tensor<?x3x5xf32>
  return %0 : tensor<?x3x5xf32>
}
