// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Only what fits is converted, so that no conversion is undefined.
// CHECK-LABEL: func.func @float_to_integer
// CHECK: %[[FITS:.*]] = arith.andi
// CHECK: %[[SAFE:.*]] = arith.select %[[FITS]], %in, %{{.*}} : f32
// CHECK: %[[CONVERTED:.*]] = arith.fptosi %[[SAFE]] : f32 to i32
// CHECK: %[[RESULT:.*]] = arith.select %[[FITS]], %[[CONVERTED]], %c-2147483648_i32 : i32
// CHECK: arith.trunci %[[RESULT]] : i32 to i8
func.func @float_to_integer(%x: tensor<4xf32>) -> tensor<4xui8> {
  %0 = "weft.cast"(%x) {dtype = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// The signedness of the source decides how it is extended.
// CHECK-LABEL: func.func @extensions
// CHECK: arith.extsi %in : i8 to i32
// CHECK: arith.extui %in : i8 to i32
func.func @extensions(%x: tensor<4xi8>, %y: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xui32>) {
  %0 = "weft.cast"(%x) {dtype = i32} : (tensor<4xi8>) -> tensor<4xi32>
  %1 = "weft.cast"(%y) {dtype = ui32} : (tensor<4xui8>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi32>, tensor<4xui32>
}

// Nothing is done where the dtype stays.
// CHECK-LABEL: func.func @same
// CHECK-NEXT: return %arg0
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "weft.cast"(%x) {dtype = f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select(%arg0: tensor<i8>
// CHECK: %[[C:.*]] = arith.cmpi ne, %in
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : f64
func.func @select(%c: tensor<i1>, %x: tensor<4xf64>, %y: tensor<f64>) -> tensor<4xf64> {
  %0 = "weft.select"(%c, %x, %y) : (tensor<i1>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func @constants
// CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
// CHECK: arith.constant dense<2> : tensor<3xi64>
// CHECK: arith.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xbf16>
func.func @constants() -> (tensor<2xi1>, tensor<3xui64>, tensor<2xbf16>) {
  %0 = "weft.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %1 = "weft.constant"() {value = dense<2> : tensor<3xui64>} : () -> tensor<3xui64>
  %2 = "weft.constant"() {value = dense<[1.0, 2.5]> : tensor<2xbf16>} : () -> tensor<2xbf16>
  return %0, %1, %2 : tensor<2xi1>, tensor<3xui64>, tensor<2xbf16>
}

// CHECK-LABEL: func.func @arange
// CHECK: %[[N:.*]] = tensor.extract %arg1[] : tensor<i64>
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: tensor.empty(%[[SIZE]]) : tensor<?xf32>
// CHECK: linalg.index 0
func.func @arange(%x: tensor<f32>, %n: tensor<i64>) -> tensor<?xf32> {
  %0 = "weft.arange"(%x, %x, %n) {shape = array<i64: -1>} : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
