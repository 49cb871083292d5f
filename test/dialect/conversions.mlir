// RUN: weft-opt %s | weft-opt | filecheck %s

// Casts, complex parts, selection, ranges and constants.

// CHECK-LABEL: func.func @casts
func.func @casts(%x: tensor<?xf32>) {
  // CHECK: "weft.cast"(%arg0) {dtype = ui8} : (tensor<?xf32>) -> tensor<?xui8>
  %0 = "weft.cast"(%x) {dtype = ui8} : (tensor<?xf32>) -> tensor<?xui8>
  // CHECK: "weft.bitcast"(%arg0) {dtype = i32} : (tensor<?xf32>) -> tensor<?xi32>
  %1 = "weft.bitcast"(%x) {dtype = i32} : (tensor<?xf32>) -> tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<3x1xf32>, %y: tensor<2xf32>) {
  // CHECK: %[[Z:.*]] = "weft.complex"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<2xf32>) -> tensor<3x2xcomplex<f32>>
  %0 = "weft.complex"(%x, %y) : (tensor<3x1xf32>, tensor<2xf32>) -> tensor<3x2xcomplex<f32>>
  // CHECK: "weft.real"(%[[Z]]) : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
  %1 = "weft.real"(%0) : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func.func @nonzero
func.func @nonzero(%mask: tensor<?xi1>) {
  // CHECK: "weft.nonzero"(%arg0) : (tensor<?xi1>) -> (tensor<?xi64>, tensor<i64>)
  %0:2 = "weft.nonzero"(%mask) : (tensor<?xi1>) -> (tensor<?xi64>, tensor<i64>)
  return
}

// CHECK-LABEL: func.func @select
func.func @select(%c: tensor<i1>, %x: tensor<?xui16>, %y: tensor<ui16>) {
  // CHECK: "weft.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<?xui16>, tensor<ui16>) -> tensor<?xui16>
  %0 = "weft.select"(%c, %x, %y) : (tensor<i1>, tensor<?xui16>, tensor<ui16>) -> tensor<?xui16>
  return
}

// CHECK-LABEL: func.func @creation
func.func @creation(%start: tensor<i32>, %step: tensor<i32>, %n: tensor<i64>) {
  // CHECK: "weft.arange"(%arg0, %arg1, %arg2) {shape = array<i64: -1>} : {{.*}} -> tensor<?xi32>
  %0 = "weft.arange"(%start, %step, %n) {shape = array<i64: -1>} : (tensor<i32>, tensor<i32>, tensor<i64>) -> tensor<?xi32>
  // CHECK: "weft.constant"() {value = dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f64>>}
  %1 = "weft.constant"() {value = dense<[(1.0, 2.0)]> : tensor<1xcomplex<f64>>} : () -> tensor<1xcomplex<f64>>
  return
}
