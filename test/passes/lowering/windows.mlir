// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// CHECK-DAG: #[[SLID:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK-DAG: #[[PLACES:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[APART:.*]] = affine_map<(d0, d1) -> (d0 + d1 * 3)>

// What lies around loses against everything; unsigned integers have a maximum of their own.
// CHECK-LABEL: func.func @max_pool
// CHECK: linalg.fill ins(%c0_i8 : i8) outs({{.*}} : tensor<1x5x7x3xi8>)
// CHECK: linalg.generic {indexing_maps = [#[[SLID]], #[[WINDOW]], #[[PLACES]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK: arith.maxui
func.func @max_pool(%x: tensor<1x4x7x3xui8>) -> tensor<1x2x3x3xui8> {
  %0 = "weft.window_max"(%x) {window = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = array<i64: 0, 0, 1, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>} : (tensor<1x4x7x3xui8>) -> tensor<1x2x3x3xui8>
  return %0 : tensor<1x2x3x3xui8>
}

// What lies outside of the image is not counted.
// CHECK-LABEL: func.func @avg_pool
// CHECK: linalg.generic {indexing_maps = [#[[SLID]], #[[WINDOW]], #[[PLACES]]]
// CHECK: linalg.index 1
// CHECK-NOT: linalg.index 2
// CHECK: arith.divf
func.func @avg_pool(%x: tensor<1x4x7x3xf32>) -> tensor<1x2x3x3xf32> {
  %0 = "weft.window_mean"(%x) {window = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = array<i64: 0, 0, 1, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>} : (tensor<1x4x7x3xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// A window along any axes, its elements apart.
// CHECK-LABEL: func.func @smallest
// CHECK: linalg.generic {indexing_maps = [#[[APART]], {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0,
// CHECK: arith.minsi
func.func @smallest(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "weft.window_min"(%x) {window = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilations = array<i64: 3>} : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// Nothing surrounds the array, so that all windows have as many elements.
// CHECK-LABEL: func.func @mean_of_all
// CHECK-NOT: linalg.index
// CHECK: return
func.func @mean_of_all(%x: tensor<8xf16>) -> tensor<6xf16> {
  %0 = "weft.window_mean"(%x) {window = array<i64: 3>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<8xf16>) -> tensor<6xf16>
  return %0 : tensor<6xf16>
}
