// RUN: weft-opt %s | weft-opt | filecheck %s

// Reductions, scans and sorting: printed and read again.

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<2x?x4xf16>, %z: tensor<3xcomplex<f64>>) {
  // CHECK: "weft.sum"(%arg0) {axes = array<i64: 0, 2>, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<?xf16>
  %0 = "weft.sum"(%x) {axes = array<i64: 0, 2>, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<?xf16>
  // CHECK: "weft.max"(%arg0) {axes = array<i64: -1>, keepdims = true} : (tensor<2x?x4xf16>) -> tensor<2x?x1xf16>
  %1 = "weft.max"(%x) {axes = array<i64: -1>, keepdims = true} : (tensor<2x?x4xf16>) -> tensor<2x?x1xf16>
  // CHECK: "weft.any"(%arg0) {axes = array<i64>, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<2x?x4xi1>
  %2 = "weft.any"(%x) {axes = array<i64>, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<2x?x4xi1>
  // The variance of complex numbers is real.
  // CHECK: "weft.var"(%arg1) {axes = array<i64: 0>, correction = 1.000000e+00 : f64, keepdims = false} : (tensor<3xcomplex<f64>>) -> tensor<f64>
  %3 = "weft.var"(%z) {axes = array<i64: 0>, correction = 1.0 : f64, keepdims = false} : (tensor<3xcomplex<f64>>) -> tensor<f64>
  // CHECK: "weft.argmin"(%arg0) {axis = 1 : i64, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<2x4xi64>
  %4 = "weft.argmin"(%x) {axis = 1, keepdims = false} : (tensor<2x?x4xf16>) -> tensor<2x4xi64>
  return
}

// CHECK-LABEL: func.func @scans_and_sorting
func.func @scans_and_sorting(%x: tensor<?x3xui8>, %v: tensor<?xf64>, %s: tensor<f64>) {
  // CHECK: "weft.cumulative_sum"(%arg0) {axis = 0 : i64} : (tensor<?x3xui8>) -> tensor<?x3xui8>
  %0 = "weft.cumulative_sum"(%x) {axis = 0} : (tensor<?x3xui8>) -> tensor<?x3xui8>
  // CHECK: "weft.argsort"(%arg0) {axis = -1 : i64, descending = true} : (tensor<?x3xui8>) -> tensor<?x3xi64>
  %1 = "weft.argsort"(%x) {axis = -1, descending = true} : (tensor<?x3xui8>) -> tensor<?x3xi64>
  // CHECK: "weft.searchsorted"(%arg1, %arg2) {side = "left"} : (tensor<?xf64>, tensor<f64>) -> tensor<i64>
  %2 = "weft.searchsorted"(%v, %s) {side = "left"} : (tensor<?xf64>, tensor<f64>) -> tensor<i64>
  return
}
