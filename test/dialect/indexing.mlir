// RUN: weft-opt %s | weft-opt | filecheck %s

// A slice has Python's rules: bounds beyond the extent are clamped, negative ones count from the end.
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<5x?xf32>) {
  // CHECK: "weft.slice"({{.*}}) {{.*}} : (tensor<5x?xf32>) -> tensor<3x?xf32>
  %0 = "weft.slice"(%x) {start = array<i64: -3, 0>, stop = array<i64: 100, 4>, step = array<i64: 1, 1>} : (tensor<5x?xf32>) -> tensor<3x?xf32>
  // CHECK: "weft.slice"({{.*}}) {{.*}} : (tensor<5x?xf32>) -> tensor<3x?xf32>
  %1 = "weft.slice"(%x) {start = array<i64: 9223372036854775807, 0>, stop = array<i64: -9223372036854775808, 4>, step = array<i64: -2, 1>} : (tensor<5x?xf32>) -> tensor<3x?xf32>
  return
}

// Bounds that are operands come in the order starts, stops; the extents of their axes are not known.
// CHECK-LABEL: func.func @dynamic_slices
func.func @dynamic_slices(%x: tensor<5x4xf32>, %u: tensor<?x4xf32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<5x4xf32> {
  // CHECK: "weft.dynamic_slice"(%arg0, %arg2, %arg3) {start = array<i64: 0, 0>, start_axes = array<i64: 0>, step = array<i64: 1, 2>, stop = array<i64: 0, 4>, stop_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x2xf32>
  %0 = "weft.dynamic_slice"(%x, %i, %j) {start = array<i64: 0, 0>, stop = array<i64: 0, 4>, step = array<i64: 1, 2>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x2xf32>
  // CHECK: "weft.dynamic_slice_update"(%arg0, %arg1, %arg2)
  %1 = "weft.dynamic_slice_update"(%x, %u, %i) {start = array<i64: 0, 0>, stop = array<i64: 0, 4>, step = array<i64: 1, 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<?x4xf32>, tensor<i64>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// The axes of the indices stand at `position` among those that are not indexed.
// CHECK-LABEL: func.func @gather
func.func @gather(%x: tensor<5x6x7xi16>, %i: tensor<2x?xi64>) -> tensor<6x2x?xi16> {
  // CHECK: "weft.gather"(%arg0, %arg1, %arg1) {axes = array<i64: 0, 2>, position = 1 : i64}
  %0 = "weft.gather"(%x, %i, %i) {axes = array<i64: 0, 2>, position = 1} : (tensor<5x6x7xi16>, tensor<2x?xi64>, tensor<2x?xi64>) -> tensor<6x2x?xi16>
  return %0 : tensor<6x2x?xi16>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<5xi1>, %u: tensor<i1>, %i: tensor<i64>) -> tensor<5xi1> {
  // CHECK: "weft.scatter"(%arg0, %arg1, %arg2) {axes = array<i64: 0>, mode = "add", position = 0 : i64}
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "add", position = 0} : (tensor<5xi1>, tensor<i1>, tensor<i64>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
