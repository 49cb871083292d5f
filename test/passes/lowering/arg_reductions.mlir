// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Places are 32-bit integers where these hold all of them, and become 64-bit ones in the end.
// CHECK-LABEL: func.func @rows
// CHECK: arith.maximumf
// CHECK: linalg.index 1 : index
// CHECK: arith.index_cast {{.*}} : index to i32
// CHECK: arith.minsi {{.*}} : i32
// CHECK: arith.extsi {{.*}} : i32 to i64
func.func @rows(%x: tensor<3x1000xf32>) -> tensor<3xi64> {
  %0 = "weft.argmax"(%x) {axis = 1, keepdims = false} : (tensor<3x1000xf32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Unknown lengths may need 64 bits.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: i32
// CHECK: arith.minsi {{.*}} {weft.stops} : i64
// CHECK: return
func.func @unknown(%x: tensor<?xf64>) -> tensor<i64> {
  %0 = "weft.argmin"(%x) {axis = 0, keepdims = false} : (tensor<?xf64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// A long array is cut into rows; the one with the best extremum is looked at again.
// CHECK-LABEL: func.func @long
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<1000000xf32> into tensor<250x4000xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<250xf32>)
// CHECK: tensor.extract_slice %arg0[%{{.*}}] [4000] [1] : tensor<1000000xf32> to tensor<4000xf32>
// CHECK-NOT: weft.stops
func.func @long(%x: tensor<1000000xf32>) -> tensor<i64> {
  %0 = "weft.argmax"(%x) {axis = 0, keepdims = false} : (tensor<1000000xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// A prime number of elements, and a small one, are not: the place among many is searched for.
// CHECK-LABEL: func.func @prime
// CHECK-NOT: tensor.expand_shape
// CHECK: weft.stops
// CHECK-LABEL: func.func @short
// CHECK-NOT: {{tensor.expand_shape|weft.stops}}
// CHECK: return
func.func @prime(%x: tensor<1000003xf32>) -> tensor<i64> {
  %0 = "weft.argmax"(%x) {axis = 0, keepdims = false} : (tensor<1000003xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}
func.func @short(%x: tensor<4096xf32>) -> tensor<i64> {
  %0 = "weft.argmax"(%x) {axis = 0, keepdims = false} : (tensor<4096xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}
