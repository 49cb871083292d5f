// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Convolutions are named ops where there are some, else generics.

// CHECK-DAG: #[[SLID:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 + d5 * 3, d6)>

// CHECK-LABEL: func.func @convolution
// CHECK: %[[BORDER:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<1x?x9x3xf32>)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %arg0 into %[[BORDER]][0, 1, 0, 0] [1, %{{.*}}, 7, 3] [1, 1, 1, 1]
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%[[PADDED]], %arg1
func.func @convolution(%x: tensor<1x?x7x3xf32>, %f: tensor<3x2x3x8xf32>) -> tensor<1x?x7x8xf32> {
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 2>, dilations = array<i64: 1, 2>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x?x7x3xf32>, tensor<3x2x3x8xf32>) -> tensor<1x?x7x8xf32>
  return %0 : tensor<1x?x7x8xf32>
}

// CHECK-LABEL: func.func @logical_convolution
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic {indexing_maps = [#[[SLID]],
func.func @logical_convolution(%x: tensor<1x5x7x3xi1>, %f: tensor<2x2x3x8xi1>) -> tensor<1x2x4x8xi1> {
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 3>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x5x7x3xi1>, tensor<2x2x3x8xi1>) -> tensor<1x2x4x8xi1>
  return %0 : tensor<1x2x4x8xi1>
}

// Groups are an axis of their own: of the channels of the image, of the filters and of the result.
// CHECK-LABEL: func.func @groups
// CHECK: %[[IMAGE:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x5x7x2x3xf32>
// CHECK: %[[FILTERS:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<2x2x3x2x4xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[IMAGE]], %[[FILTERS]]
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x4x6x8xf32>
func.func @groups(%x: tensor<1x5x7x6xf32>, %f: tensor<2x2x3x8xf32>) -> tensor<1x4x6x8xf32> {
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x5x7x6xf32>, tensor<2x2x3x8xf32>) -> tensor<1x4x6x8xf32>
  return %0 : tensor<1x4x6x8xf32>
}

// A channel with a filter of its own is summed over the window alone.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[FILTERS:.*]] = tensor.collapse_shape %arg1 {{.*}} into tensor<2x2x6xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %[[FILTERS]]
func.func @depthwise(%x: tensor<1x5x7x6xf32>, %f: tensor<2x2x1x6xf32>) -> tensor<1x4x6x6xf32> {
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 6 : i64} : (tensor<1x5x7x6xf32>, tensor<2x2x1x6xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: func.func @line
// CHECK-NOT: insert_slice
// CHECK: linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
func.func @line(%x: tensor<2x9x3xf32>, %k: tensor<4x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = "weft.conv"(%x, %k) {strides = array<i64: 2>, padding = array<i64: 0, 0>, dilations = array<i64: 1>, input_dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x9x3xf32>, tensor<4x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @volume
// CHECK: linalg.conv_3d_ndhwc_dhwcf
func.func @volume(%x: tensor<1x4x5x6x2xf32>, %k: tensor<2x2x2x2x3xf32>) -> tensor<1x3x4x5x3xf32> {
  %0 = "weft.conv"(%x, %k) {strides = array<i64: 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, input_dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x4x5x6x2xf32>, tensor<2x2x2x2x3xf32>) -> tensor<1x3x4x5x3xf32>
  return %0 : tensor<1x3x4x5x3xf32>
}

// Negative padding cuts.
// CHECK-LABEL: func.func @cut
// CHECK: %[[CUT:.*]] = tensor.extract_slice %arg0[0, 1, 0] [2, 7, 3] [1, 1, 1]
// CHECK-NOT: insert_slice
// CHECK: linalg.conv_1d_nwc_wcf {{.*}} ins(%[[CUT]],
func.func @cut(%x: tensor<2x9x3xf32>, %k: tensor<4x3x5xf32>) -> tensor<2x4x5xf32> {
  %0 = "weft.conv"(%x, %k) {strides = array<i64: 1>, padding = array<i64: -1, -1>, dilations = array<i64: 1>, input_dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x9x3xf32>, tensor<4x3x5xf32>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}

// Where the elements have gaps between them, every other place sees the same part of the kernel: no zeros between.
// CHECK-LABEL: func.func @gaps
// CHECK: %[[EVEN:.*]] = tensor.extract_slice %arg1[0, 0, 0] [2, 2, 3] [2, 1, 1] : tensor<3x2x3xf32> to tensor<2x2x3xf32>
// CHECK: %[[FIRST:.*]] = linalg.conv_1d_nwc_wcf {{.*}} ins(%{{.*}}, %[[EVEN]] : tensor<1x6x2xf32>, tensor<2x2x3xf32>)
// CHECK: tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0, 0] [1, 5, 3] [1, 2, 1]
// CHECK: %[[ODD:.*]] = tensor.extract_slice %arg1[1, 0, 0] [1, 2, 3] [2, 1, 1] : tensor<3x2x3xf32> to tensor<1x2x3xf32>
// CHECK: %[[SECOND:.*]] = linalg.conv_1d_nwc_wcf {{.*}} ins(%arg0, %[[ODD]] : tensor<1x4x2xf32>, tensor<1x2x3xf32>)
// CHECK: tensor.insert_slice %[[SECOND]] into %{{.*}}[0, 1, 0] [1, 4, 3] [1, 2, 1]
func.func @gaps(%x: tensor<1x4x2xf32>, %k: tensor<3x2x3xf32>) -> tensor<1x9x3xf32> {
  %0 = "weft.conv"(%x, %k) {strides = array<i64: 1>, padding = array<i64: 2, 2>, dilations = array<i64: 1>, input_dilations = array<i64: 2>, groups = 1 : i64} : (tensor<1x4x2xf32>, tensor<3x2x3xf32>) -> tensor<1x9x3xf32>
  return %0 : tensor<1x9x3xf32>
}

// Steps over an axis of unknown extent with gaps: the zeros are put in.
// CHECK-LABEL: func.func @unknown_gaps
// CHECK: %[[WIDE:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 0] [1, %{{.*}}, 2] [1, 3, 1]
// CHECK: linalg.conv_1d_nwc_wcf {{.*}} ins(%[[WIDE]], %arg1
func.func @unknown_gaps(%x: tensor<1x?x2xf32>, %k: tensor<3x2x3xf32>) -> tensor<1x?x3xf32> {
  %0 = "weft.conv"(%x, %k) {strides = array<i64: 2>, padding = array<i64: 0, 0>, dilations = array<i64: 1>, input_dilations = array<i64: 3>, groups = 1 : i64} : (tensor<1x?x2xf32>, tensor<3x2x3xf32>) -> tensor<1x?x3xf32>
  return %0 : tensor<1x?x3xf32>
}
