// RUN: weft-opt %s --gather-convolutions | filecheck %s

// Products of shifted parts of an image with all matrices of a kernel are one convolution, whatever their order; what
// else is added up is added to it, and zero is not.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: weft.matmul
// CHECK: %[[IMAGE:.*]] = "weft.slice"(%arg0) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 9223372036854775807, 7, 6, 5>}
// CHECK: %[[ALL:.*]] = "weft.conv"(%[[IMAGE]], %arg1) {dilations = array<i64: 1, 2>, groups = 1 : i64, input_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x6x6x5xf32>, tensor<1x2x5x3xf32>) -> tensor<?x6x4x3xf32>
// CHECK: %[[SUM:.*]] = "weft.add"(%arg2, %[[ALL]])
// CHECK: return %[[SUM]]
func.func @shifted(%x: tensor<?x8x6x5xf32>, %k: tensor<1x2x5x3xf32>, %b: tensor<?x6x4x3xf32>) -> tensor<?x6x4x3xf32> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %x0 = "weft.slice"(%x) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 9223372036854775807, 7, 4, 9223372036854775807>} : (tensor<?x8x6x5xf32>) -> tensor<?x6x4x5xf32>
  %k0 = "weft.slice"(%k) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 1, 9223372036854775807, 9223372036854775807>} : (tensor<1x2x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m0 = "weft.squeeze"(%k0) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p0 = "weft.matmul"(%x0, %m0) : (tensor<?x6x4x5xf32>, tensor<5x3xf32>) -> tensor<?x6x4x3xf32>
  %x1 = "weft.slice"(%x) {start = array<i64: 0, 1, 2, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 9223372036854775807, -1, 6, 9223372036854775807>} : (tensor<?x8x6x5xf32>) -> tensor<?x6x4x5xf32>
  %k1 = "weft.slice"(%k) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 2, 9223372036854775807, 9223372036854775807>} : (tensor<1x2x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m1 = "weft.squeeze"(%k1) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p1 = "weft.matmul"(%x1, %m1) : (tensor<?x6x4x5xf32>, tensor<5x3xf32>) -> tensor<?x6x4x3xf32>
  %s0 = "weft.add"(%zero, %p1) : (tensor<f32>, tensor<?x6x4x3xf32>) -> tensor<?x6x4x3xf32>
  %s1 = "weft.add"(%s0, %b) : (tensor<?x6x4x3xf32>, tensor<?x6x4x3xf32>) -> tensor<?x6x4x3xf32>
  %s2 = "weft.add"(%s1, %p0) : (tensor<?x6x4x3xf32>, tensor<?x6x4x3xf32>) -> tensor<?x6x4x3xf32>
  return %s2 : tensor<?x6x4x3xf32>
}

// Products that are written as such and added up are the same.
// CHECK-LABEL: func.func @written_out
// CHECK-NOT: weft.sum
// CHECK: "weft.conv"(%arg0, %arg1) {{.*}} strides = array<i64: 2, 1>
// CHECK-NOT: weft.sum
// CHECK: return
func.func @written_out(%x: tensor<1x6x4x5xf32>, %k: tensor<2x1x5x3xf32>) -> tensor<1x3x4x3xf32> {
  %x0 = "weft.slice"(%x) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 2, 1, 1>, stop = array<i64: 1, 5, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x3x4x5xf32>
  %e0 = "weft.expand_dims"(%x0) {axes = array<i64: 4>} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5x1xf32>
  %k0 = "weft.slice"(%k) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m0 = "weft.squeeze"(%k0) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %t0 = "weft.multiply"(%m0, %e0) : (tensor<5x3xf32>, tensor<1x3x4x5x1xf32>) -> tensor<1x3x4x5x3xf32>
  %p0 = "weft.sum"(%t0) {axes = array<i64: 3>, keepdims = false} : (tensor<1x3x4x5x3xf32>) -> tensor<1x3x4x3xf32>
  %x1 = "weft.slice"(%x) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 2, 1, 1>, stop = array<i64: 1, 6, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x3x4x5xf32>
  %e1 = "weft.expand_dims"(%x1) {axes = array<i64: 4>} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5x1xf32>
  %k1 = "weft.slice"(%k) {start = array<i64: 1, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 2, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m1 = "weft.squeeze"(%k1) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %f1 = "weft.expand_dims"(%m1) {axes = array<i64: 0>} : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
  %t1 = "weft.multiply"(%e1, %f1) : (tensor<1x3x4x5x1xf32>, tensor<1x5x3xf32>) -> tensor<1x3x4x5x3xf32>
  %p1 = "weft.sum"(%t1) {axes = array<i64: 3>, keepdims = false} : (tensor<1x3x4x5x3xf32>) -> tensor<1x3x4x3xf32>
  %s = "weft.add"(%p0, %p1) : (tensor<1x3x4x3xf32>, tensor<1x3x4x3xf32>) -> tensor<1x3x4x3xf32>
  return %s : tensor<1x3x4x3xf32>
}

// Where a matrix is used twice, parts are at other distances, or a product is used elsewhere, nothing is done.
// CHECK-LABEL: func.func @used_twice
// CHECK-NOT: weft.conv
// CHECK-LABEL: func.func @used_elsewhere
// CHECK-NOT: weft.conv
func.func @used_twice(%x: tensor<1x6x4x5xf32>, %k: tensor<2x1x5x3xf32>) -> tensor<1x5x4x3xf32> {
  %x0 = "weft.slice"(%x) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 5, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32>
  %k0 = "weft.slice"(%k) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m0 = "weft.squeeze"(%k0) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p0 = "weft.matmul"(%x0, %m0) : (tensor<1x5x4x5xf32>, tensor<5x3xf32>) -> tensor<1x5x4x3xf32>
  %x1 = "weft.slice"(%x) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 6, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32>
  %p1 = "weft.matmul"(%x1, %m0) : (tensor<1x5x4x5xf32>, tensor<5x3xf32>) -> tensor<1x5x4x3xf32>
  %s = "weft.add"(%p0, %p1) : (tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>) -> tensor<1x5x4x3xf32>
  return %s : tensor<1x5x4x3xf32>
}
func.func @used_elsewhere(%x: tensor<1x6x4x5xf32>, %k: tensor<2x1x5x3xf32>) -> (tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>) {
  %x0 = "weft.slice"(%x) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 5, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32>
  %k0 = "weft.slice"(%k) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m0 = "weft.squeeze"(%k0) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p0 = "weft.matmul"(%x0, %m0) : (tensor<1x5x4x5xf32>, tensor<5x3xf32>) -> tensor<1x5x4x3xf32>
  %x1 = "weft.slice"(%x) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 6, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32>
  %k1 = "weft.slice"(%k) {start = array<i64: 1, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 2, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m1 = "weft.squeeze"(%k1) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p1 = "weft.matmul"(%x1, %m1) : (tensor<1x5x4x5xf32>, tensor<5x3xf32>) -> tensor<1x5x4x3xf32>
  %s = "weft.add"(%p0, %p1) : (tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>) -> tensor<1x5x4x3xf32>
  return %s, %p0 : tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>
}

// A product with fewer rows than the sum, which repeats it, is no part of the convolution.
// CHECK-LABEL: func.func @stretched
// CHECK-NOT: weft.conv
func.func @stretched(%x: tensor<1x6x4x5xf32>, %k: tensor<2x1x5x3xf32>) -> tensor<1x5x4x3xf32> {
  %x0 = "weft.slice"(%x) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 5, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32>
  %k0 = "weft.slice"(%k) {start = array<i64: 0, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m0 = "weft.squeeze"(%k0) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p0 = "weft.matmul"(%x0, %m0) : (tensor<1x5x4x5xf32>, tensor<5x3xf32>) -> tensor<1x5x4x3xf32>
  %x1 = "weft.slice"(%x) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 1, 2, 4, 5>} : (tensor<1x6x4x5xf32>) -> tensor<1x1x4x5xf32>
  %k1 = "weft.slice"(%k) {start = array<i64: 1, 0, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 2, 1, 5, 3>} : (tensor<2x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %m1 = "weft.squeeze"(%k1) {axes = array<i64: 0, 1>} : (tensor<1x1x5x3xf32>) -> tensor<5x3xf32>
  %p1 = "weft.matmul"(%x1, %m1) : (tensor<1x1x4x5xf32>, tensor<5x3xf32>) -> tensor<1x1x4x3xf32>
  %s = "weft.add"(%p0, %p1) : (tensor<1x5x4x3xf32>, tensor<1x1x4x3xf32>) -> tensor<1x5x4x3xf32>
  return %s : tensor<1x5x4x3xf32>
}
