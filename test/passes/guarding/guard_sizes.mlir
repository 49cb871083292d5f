// RUN: weft-opt %s --guard-sizes --split-input-file | filecheck %s

// Two unknown extents that have to agree are compared in front of the op.
// CHECK-LABEL: func.func @two_extents
// CHECK: "weft.not_equal"
// CHECK: "weft.raise_if"({{.*}}) {error = "ValueError", message = "weft.add: sizes {0} and {1} do not fit"}
// CHECK: "weft.add"
func.func @two_extents(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %r = "weft.add"(%a, %b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// An unknown extent beside a known one is that one.
// CHECK-LABEL: func.func @one_extent
// CHECK-DAG: "weft.constant"() {value = dense<4> : tensor<i64>}
// CHECK: "weft.raise_if"({{.*}}) {error = "ValueError"
// CHECK: "weft.add"
func.func @one_extent(%a: tensor<?xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %r = "weft.add"(%a, %b) : (tensor<?xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

// -----

// Extents of one source agree.
// CHECK-LABEL: func.func @one_source
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @one_source(%a: tensor<?xf64>) -> tensor<?xf64> {
  %b = "weft.negative"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r = "weft.add"(%a, %b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// Known extents were verified.
// CHECK-LABEL: func.func @known
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @known(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %r = "weft.add"(%a, %b) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

// -----

// Indices need an axis with elements.
// CHECK-LABEL: func.func @indices
// CHECK: "weft.raise_if"({{.*}}) {error = "IndexError", message = "weft.gather: there are {0} indices into an axis without elements"}
// CHECK: "weft.gather"
func.func @indices(%a: tensor<?xf64>, %i: tensor<3xi64>) -> tensor<3xf64> {
  %r = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<3xi64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// What is cast to a known extent has it.
// CHECK-LABEL: func.func @cast
// CHECK: "weft.raise_if"({{.*}}) {error = "ValueError", message = "tensor.cast: sizes {0} and {1} do not fit"}
// CHECK: tensor.cast
func.func @cast(%a: tensor<?xf64>) -> tensor<4xf64> {
  %r = tensor.cast %a : tensor<?xf64> to tensor<4xf64>
  return %r : tensor<4xf64>
}

// -----

// A convolution that may not fit its image.
// CHECK-LABEL: func.func @convolution
// CHECK: "weft.raise_if"({{.*}}) {error = "ValueError", message = "weft.conv: a kernel of {0} does not fit an axis of {1}"}
// CHECK: "weft.conv"
func.func @convolution(%x: tensor<1x?x8x3xf32>, %w: tensor<3x3x3x2xf32>) -> tensor<1x?x6x2xf32> {
  %r = "weft.conv"(%x, %w) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x?x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x?x6x2xf32>
  return %r : tensor<1x?x6x2xf32>
}

// -----

// Reductions of nothing give some number: what refuses it is the trace's.
// CHECK-LABEL: func.func @largest
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @largest(%a: tensor<?xf64>) -> tensor<f64> {
  %r = "weft.max"(%a) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
