// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --weft-to-linalg | filecheck %s --check-prefix=FUSED

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[SLID:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 + d5 * 3, d6)>

// A batch axis that is repeated is dropped; half precision is added up in single precision.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
// CHECK: linalg.contract indexing_maps = [#[[X]], #[[Y]], #[[OUT]]] ins(%[[ROWS]], %arg1 : tensor<?x4xf16>, tensor<3x4x5xf16>) outs(%{{.*}} : tensor<3x?x5xf32>)
// CHECK: arith.truncf %in : f32 to f16
func.func @matmul(%x: tensor<1x?x4xf16>, %y: tensor<3x4x5xf16>) -> tensor<3x?x5xf16> {
  %0 = "weft.matmul"(%x, %y) : (tensor<1x?x4xf16>, tensor<3x4x5xf16>) -> tensor<3x?x5xf16>
  return %0 : tensor<3x?x5xf16>
}

// Elementwise producers are not computed anew for every product.
// FUSED-LABEL: func.func @product_of_doubled
// FUSED: %[[DOUBLED:.*]] = linalg.generic
// FUSED: arith.addf
// FUSED: linalg.contract {{.*}} ins(%[[DOUBLED]], %arg0
func.func @product_of_doubled(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "weft.add"(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "weft.matmul"(%0, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Where nothing is summed, a contraction is an elementwise product.
// CHECK-LABEL: func.func @outer
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: linalg.yield
func.func @outer(%x: tensor<2xf32>, %y: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = "weft.contract"(%x, %y) {spec = "i,j->ji"} : (tensor<2xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @logical
// CHECK-NOT: linalg.contract
// CHECK: %[[BOTH:.*]] = arith.andi %in, %in_{{.*}} : i8
// CHECK: arith.ori %out, %[[BOTH]] : i8
func.func @logical(%x: tensor<2x4xi1>, %y: tensor<4x5xi1>) -> tensor<2x5xi1> {
  %0 = "weft.matmul"(%x, %y) : (tensor<2x4xi1>, tensor<4x5xi1>) -> tensor<2x5xi1>
  return %0 : tensor<2x5xi1>
}

// CHECK-LABEL: func.func @convolution
// CHECK: %[[BORDER:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<1x?x9x3xf32>)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %arg0 into %[[BORDER]][0, 1, 0, 0] [1, %{{.*}}, 7, 3] [1, 1, 1, 1]
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%[[PADDED]], %arg1
func.func @convolution(%x: tensor<1x?x7x3xf32>, %f: tensor<3x2x3x8xf32>) -> tensor<1x?x7x8xf32> {
  %0 = "weft.conv2d"(%x, %f) {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 2>, dilations = array<i64: 1, 2>} : (tensor<1x?x7x3xf32>, tensor<3x2x3x8xf32>) -> tensor<1x?x7x8xf32>
  return %0 : tensor<1x?x7x8xf32>
}

// CHECK-LABEL: func.func @logical_convolution
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic {indexing_maps = [#[[SLID]],
func.func @logical_convolution(%x: tensor<1x5x7x3xi1>, %f: tensor<2x2x3x8xi1>) -> tensor<1x2x4x8xi1> {
  %0 = "weft.conv2d"(%x, %f) {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 3>} : (tensor<1x5x7x3xi1>, tensor<2x2x3x8xi1>) -> tensor<1x2x4x8xi1>
  return %0 : tensor<1x2x4x8xi1>
}

// Groups are an axis of their own: of the channels of the image, of the filters and of the result.
// CHECK-LABEL: func.func @groups
// CHECK: %[[IMAGE:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x5x7x2x3xf32>
// CHECK: %[[FILTERS:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<2x2x3x2x4xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[IMAGE]], %[[FILTERS]]
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x4x6x8xf32>
func.func @groups(%x: tensor<1x5x7x6xf32>, %f: tensor<2x2x3x8xf32>) -> tensor<1x4x6x8xf32> {
  %0 = "weft.grouped_conv2d"(%x, %f) {groups = 2 : i64, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x5x7x6xf32>, tensor<2x2x3x8xf32>) -> tensor<1x4x6x8xf32>
  return %0 : tensor<1x4x6x8xf32>
}

// A channel with a filter of its own is summed over the window alone.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[FILTERS:.*]] = tensor.collapse_shape %arg1 {{.*}} into tensor<2x2x6xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %[[FILTERS]]
func.func @depthwise(%x: tensor<1x5x7x6xf32>, %f: tensor<2x2x1x6xf32>) -> tensor<1x4x6x6xf32> {
  %0 = "weft.grouped_conv2d"(%x, %f) {groups = 6 : i64, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x5x7x6xf32>, tensor<2x2x1x6xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// The border loses against everything; unsigned integers have a maximum of their own.
// CHECK-LABEL: func.func @max_pool
// CHECK: linalg.fill ins(%c0_i8 : i8) outs({{.*}} : tensor<1x5x7x3xi8>)
// CHECK: linalg.pooling_nhwc_max_unsigned
func.func @max_pool(%x: tensor<1x4x7x3xui8>) -> tensor<1x2x3x3xui8> {
  %0 = "weft.max_pool2d"(%x) {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>} : (tensor<1x4x7x3xui8>) -> tensor<1x2x3x3xui8>
  return %0 : tensor<1x2x3x3xui8>
}

// What lies outside of the image is not counted.
// CHECK-LABEL: func.func @avg_pool
// CHECK: linalg.pooling_nhwc_sum
// CHECK: linalg.index 1
// CHECK: linalg.index 2
// CHECK: arith.divf
func.func @avg_pool(%x: tensor<1x4x7x3xf32>) -> tensor<1x2x3x3xf32> {
  %0 = "weft.avg_pool2d"(%x) {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>} : (tensor<1x4x7x3xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// The product of two vectors is a sum of products, into which elementwise producers are fused.
// FUSED-LABEL: func.func @vectors
// FUSED: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%arg0, %arg1
// FUSED: arith.addf
// FUSED: arith.mulf
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @vectors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %0 = "weft.add"(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "weft.contract"(%0, %y) {spec = "J,J->"} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
