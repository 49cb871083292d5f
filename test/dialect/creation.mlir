// RUN: weft-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: "weft.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %0 = "weft.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  // CHECK-NEXT: "weft.constant"() {value = dense<255> : tensor<3xui8>} : () -> tensor<3xui8>
  %1 = "weft.constant"() {value = dense<255> : tensor<3xui8>} : () -> tensor<3xui8>
  // CHECK-NEXT: "weft.constant"() {value = dense<(1.000000e+00,-0.000000e+00)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  %2 = "weft.constant"() {value = dense<(1.0, -0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  // CHECK-NEXT: "weft.constant"() {value = dense<> : tensor<0xbf16>} : () -> tensor<0xbf16>
  %3 = "weft.constant"() {value = dense<> : tensor<0xbf16>} : () -> tensor<0xbf16>
  return
}

// -----

func.func @constant_of_another_type() {
  // expected-error @below {{'weft.constant' op returns i64[2], not i32[2]}}
  %0 = "weft.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi32>
  return
}

// -----

func.func @constant_without_value() {
  // expected-error @below {{'weft.constant' op needs the attribute value}}
  %0 = "weft.constant"() : () -> tensor<2xi32>
  return
}

// -----

func.func @constant_that_is_no_tensor() {
  // expected-error @below {{'weft.constant' op expected elements, not 3 : i64}}
  %0 = "weft.constant"() {value = 3} : () -> tensor<i64>
  return
}

// -----

// CHECK-LABEL: func.func @range
// CHECK: "weft.arange"(%{{.*}}, %{{.*}}, %{{.*}}) {shape = array<i64: -1>} : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
func.func @range(%start: tensor<f32>, %step: tensor<f32>, %n: tensor<i64>) {
  %0 = "weft.arange"(%start, %step, %n) {shape = array<i64: -1>} : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @range_of_two_dtypes(%start: tensor<f32>, %step: tensor<f64>) {
  // expected-error @below {{weft.arange: operands must have one dtype, not f32[], f64[]}}
  %0 = "weft.arange"(%start, %step) {shape = array<i64: 3>} : (tensor<f32>, tensor<f64>) -> tensor<3xf32>
  return
}
