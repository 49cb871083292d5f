// RUN: weft-opt %s --gather-windows | filecheck %s

// Sums of products of all windows with filters are one convolution.
// CHECK-LABEL: func.func @convolution
// CHECK-NOT: scf.for
// CHECK: %[[ALL:.*]] = "weft.conv"(%arg0, %arg1) {dilations = array<i64: 1, 1>, groups = 1 : i64, input_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<2x9x10x4xf32>, tensor<3x2x4x5xf32>) -> tensor<2x7x9x5xf32>
// CHECK: return %[[ALL]]
func.func @convolution(%x: tensor<2x9x10x4xf32>, %k0: tensor<3x2x4x5xf32>, %o: tensor<2x7x9x5xf32>) -> tensor<2x7x9x5xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 7 : index
  %m = arith.constant 9 : index
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %o) -> tensor<2x7x9x5xf32> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %s = scf.for %l = %zero to %m step %one iter_args(%b = %a) -> tensor<2x7x9x5xf32> {
      %li = arith.index_cast %l : index to i64
      %j = tensor.from_elements %li : tensor<i64>
      %iend = "weft.add"(%i, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %jend = "weft.add"(%j, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %w = "weft.dynamic_slice"(%x, %i, %j, %iend, %jend) {start = array<i64: 0, 0, 0, 0>, stop = array<i64: 9223372036854775807, 0, 0, 9223372036854775807>, step = array<i64: 1, 1, 1, 1>, start_axes = array<i64: 1, 2>, stop_axes = array<i64: 1, 2>} : (tensor<2x9x10x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x?x?x4xf32>
      %e = "weft.expand_dims"(%w) {axes = array<i64: 4>} : (tensor<2x?x?x4xf32>) -> tensor<2x?x?x4x1xf32>
      %t = "weft.stretch"(%e) {shape = array<i64: 2, 3, 2, 4, 1>} : (tensor<2x?x?x4x1xf32>) -> tensor<2x3x2x4x1xf32>
      %f = "weft.expand_dims"(%k0) {axes = array<i64: 0>} : (tensor<3x2x4x5xf32>) -> tensor<1x3x2x4x5xf32>
      %p = "weft.multiply"(%t, %f) : (tensor<2x3x2x4x1xf32>, tensor<1x3x2x4x5xf32>) -> tensor<2x3x2x4x5xf32>
      %v = "weft.sum"(%p) {axes = array<i64: 1, 2, 3>, keepdims = false} : (tensor<2x3x2x4x5xf32>) -> tensor<2x5xf32>
      %u = "weft.scatter"(%b, %v, %i, %j) {axes = array<i64: 1, 2>, mode = "set", position = 0} : (tensor<2x7x9x5xf32>, tensor<2x5xf32>, tensor<i64>, tensor<i64>) -> tensor<2x7x9x5xf32>
      scf.yield %u : tensor<2x7x9x5xf32>
    }
    scf.yield %s : tensor<2x7x9x5xf32>
  }
  return %r : tensor<2x7x9x5xf32>
}

// Largest elements of windows at distances of two, in a part of the result, which keeps the rest.
// CHECK-LABEL: func.func @part
// CHECK-NOT: scf.for
// CHECK: %[[IMAGE:.*]] = "weft.slice"(%arg0) {start = array<i64: 0, 2, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 2, 9, 10, 4>}
// CHECK: %[[POOLED:.*]] = "weft.window_max"(%[[IMAGE]]) {dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 2, 2, 1>, window = array<i64: 1, 3, 2, 1>} : (tensor<2x7x10x4xf32>) -> tensor<2x3x5x4xf32>
// CHECK: %[[ALL:.*]] = "weft.slice_update"(%arg1, %[[POOLED]]) {start = array<i64: 0, 1, 0, 0>, step = array<i64: 1, 1, 1, 1>, stop = array<i64: 9223372036854775807, 4, 5, 9223372036854775807>}
// CHECK: return %[[ALL]]
func.func @part(%x: tensor<2x9x10x4xf32>, %o: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %m = arith.constant 5 : index
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %one to %n step %one iter_args(%a = %o) -> tensor<2x6x6x4xf32> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %s = scf.for %l = %zero to %m step %one iter_args(%b = %a) -> tensor<2x6x6x4xf32> {
      %li = arith.index_cast %l : index to i64
      %j = tensor.from_elements %li : tensor<i64>
      %i2 = "weft.multiply"(%i, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %j2 = "weft.multiply"(%j, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %iend = "weft.add"(%i2, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %jend = "weft.add"(%j2, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %w = "weft.dynamic_slice"(%x, %i2, %j2, %iend, %jend) {start = array<i64: 0, 0, 0, 0>, stop = array<i64: 9223372036854775807, 0, 0, 9223372036854775807>, step = array<i64: 1, 1, 1, 1>, start_axes = array<i64: 1, 2>, stop_axes = array<i64: 1, 2>} : (tensor<2x9x10x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x?x?x4xf32>
      %v = "weft.max"(%w) {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x?x?x4xf32>) -> tensor<2x4xf32>
      %u = "weft.scatter"(%b, %v, %i, %j) {axes = array<i64: 1, 2>, mode = "set", position = 0} : (tensor<2x6x6x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x6x6x4xf32>
      scf.yield %u : tensor<2x6x6x4xf32>
    }
    scf.yield %s : tensor<2x6x6x4xf32>
  }
  return %r : tensor<2x6x6x4xf32>
}

// What is written out is joined, in whatever order.
// CHECK-LABEL: func.func @written_out
// CHECK: %[[IMAGE:.*]] = "weft.slice"(%arg0) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 4, 10>}
// CHECK: %[[IMAGES:.*]] = "weft.reshape"(%[[IMAGE]]) {shape = array<i64: 1, 4, 9, 1>}
// CHECK: %[[MEANS:.*]] = "weft.window_mean"(%[[IMAGES]]) {dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 2, 3, 1>, window = array<i64: 1, 2, 3, 1>}
// CHECK: %[[RESHAPED:.*]] = "weft.reshape"(%[[MEANS]]) {shape = array<i64: 2, 3>}
// CHECK: return %[[RESHAPED]]
func.func @written_out(%x: tensor<4x10xf64>, %u: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %w0 = "weft.slice"(%x) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 2, 4>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m0 = "weft.mean"(%w0) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e0 = "weft.expand_dims"(%m0) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u0 = "weft.slice_update"(%u, %e0) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 1>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w1 = "weft.slice"(%x) {start = array<i64: 2, 1>, step = array<i64: 1, 1>, stop = array<i64: 4, 4>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m1 = "weft.mean"(%w1) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e1 = "weft.expand_dims"(%m1) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u1 = "weft.slice_update"(%u0, %e1) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 2, 1>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w2 = "weft.slice"(%x) {start = array<i64: 0, 4>, step = array<i64: 1, 1>, stop = array<i64: 2, 7>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m2 = "weft.mean"(%w2) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e2 = "weft.expand_dims"(%m2) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u2 = "weft.slice_update"(%u1, %e2) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 1, 2>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w3 = "weft.slice"(%x) {start = array<i64: 2, 7>, step = array<i64: 1, 1>, stop = array<i64: 4, 10>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m3 = "weft.mean"(%w3) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e3 = "weft.expand_dims"(%m3) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u3 = "weft.slice_update"(%u2, %e3) {start = array<i64: 1, 2>, step = array<i64: 1, 1>, stop = array<i64: 2, 3>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w4 = "weft.slice"(%x) {start = array<i64: 2, 4>, step = array<i64: 1, 1>, stop = array<i64: 4, 7>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m4 = "weft.mean"(%w4) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e4 = "weft.expand_dims"(%m4) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u4 = "weft.slice_update"(%u3, %e4) {start = array<i64: 1, 1>, step = array<i64: 1, 1>, stop = array<i64: 2, 2>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w5 = "weft.slice"(%x) {start = array<i64: 0, 7>, step = array<i64: 1, 1>, stop = array<i64: 2, 10>} : (tensor<4x10xf64>) -> tensor<2x3xf64>
  %m5 = "weft.mean"(%w5) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf64>) -> tensor<f64>
  %e5 = "weft.expand_dims"(%m5) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u5 = "weft.slice_update"(%u4, %e5) {start = array<i64: 0, 2>, step = array<i64: 1, 1>, stop = array<i64: 1, 3>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  return %u5 : tensor<2x3xf64>
}

// Windows whose results are in the opposite order are not joined.
// CHECK-LABEL: func.func @backwards
// CHECK-NOT: weft.window_mean
// CHECK: return
func.func @backwards(%x: tensor<4x10xf64>, %u: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %w0 = "weft.slice"(%x) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 2, 2>} : (tensor<4x10xf64>) -> tensor<2x2xf64>
  %m0 = "weft.mean"(%w0) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x2xf64>) -> tensor<f64>
  %e0 = "weft.expand_dims"(%m0) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u0 = "weft.slice_update"(%u, %e0) {start = array<i64: 0, 2>, step = array<i64: 1, 1>, stop = array<i64: 1, 3>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w1 = "weft.slice"(%x) {start = array<i64: 0, 3>, step = array<i64: 1, 1>, stop = array<i64: 2, 5>} : (tensor<4x10xf64>) -> tensor<2x2xf64>
  %m1 = "weft.mean"(%w1) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x2xf64>) -> tensor<f64>
  %e1 = "weft.expand_dims"(%m1) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u1 = "weft.slice_update"(%u0, %e1) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 1, 2>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  %w2 = "weft.slice"(%x) {start = array<i64: 0, 6>, step = array<i64: 1, 1>, stop = array<i64: 2, 8>} : (tensor<4x10xf64>) -> tensor<2x2xf64>
  %m2 = "weft.mean"(%w2) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x2xf64>) -> tensor<f64>
  %e2 = "weft.expand_dims"(%m2) {axes = array<i64: 0, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %u2 = "weft.slice_update"(%u1, %e2) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 1>} : (tensor<2x3xf64>, tensor<1x1xf64>) -> tensor<2x3xf64>
  return %u2 : tensor<2x3xf64>
}

// Iterations that read what others wrote, that all write to one row, that write to two tensors by turns, or that
// compute something else, stay.
// CHECK-LABEL: func.func @reading
// CHECK-NOT: weft.conv
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: weft.conv
// CHECK-LABEL: func.func @exchanged
// CHECK-NOT: window_
// CHECK-LABEL: func.func @product
// CHECK-NOT: window_
func.func @reading(%o: tensor<2x9x10x4xf32>) -> tensor<2x9x10x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %m = arith.constant 5 : index
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %o) -> tensor<2x9x10x4xf32> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %s = scf.for %l = %zero to %m step %one iter_args(%b = %a) -> tensor<2x9x10x4xf32> {
      %li = arith.index_cast %l : index to i64
      %j = tensor.from_elements %li : tensor<i64>
      %i2 = "weft.multiply"(%i, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %j2 = "weft.multiply"(%j, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %iend = "weft.add"(%i2, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %jend = "weft.add"(%j2, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %w = "weft.dynamic_slice"(%b, %i2, %j2, %iend, %jend) {start = array<i64: 0, 0, 0, 0>, stop = array<i64: 9223372036854775807, 0, 0, 9223372036854775807>, step = array<i64: 1, 1, 1, 1>, start_axes = array<i64: 1, 2>, stop_axes = array<i64: 1, 2>} : (tensor<2x9x10x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x?x?x4xf32>
      %v = "weft.max"(%w) {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x?x?x4xf32>) -> tensor<2x4xf32>
      %u = "weft.scatter"(%b, %v, %i, %j) {axes = array<i64: 1, 2>, mode = "set", position = 0} : (tensor<2x9x10x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x9x10x4xf32>
      scf.yield %u : tensor<2x9x10x4xf32>
    }
    scf.yield %s : tensor<2x9x10x4xf32>
  }
  return %r : tensor<2x9x10x4xf32>
}
func.func @one_row(%x: tensor<2x9x10x4xf32>, %k0: tensor<3x2x4x5xf32>, %o: tensor<2x7x9x5xf32>) -> tensor<2x7x9x5xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 7 : index
  %m = arith.constant 9 : index
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %o) -> tensor<2x7x9x5xf32> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %s = scf.for %l = %zero to %m step %one iter_args(%b = %a) -> tensor<2x7x9x5xf32> {
      %li = arith.index_cast %l : index to i64
      %j = tensor.from_elements %li : tensor<i64>
      %iend = "weft.add"(%i, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %jend = "weft.add"(%j, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %w = "weft.dynamic_slice"(%x, %i, %j, %iend, %jend) {start = array<i64: 0, 0, 0, 0>, stop = array<i64: 9223372036854775807, 0, 0, 9223372036854775807>, step = array<i64: 1, 1, 1, 1>, start_axes = array<i64: 1, 2>, stop_axes = array<i64: 1, 2>} : (tensor<2x9x10x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x?x?x4xf32>
      %e = "weft.expand_dims"(%w) {axes = array<i64: 4>} : (tensor<2x?x?x4xf32>) -> tensor<2x?x?x4x1xf32>
      %t = "weft.stretch"(%e) {shape = array<i64: 2, 3, 2, 4, 1>} : (tensor<2x?x?x4x1xf32>) -> tensor<2x3x2x4x1xf32>
      %f = "weft.expand_dims"(%k0) {axes = array<i64: 0>} : (tensor<3x2x4x5xf32>) -> tensor<1x3x2x4x5xf32>
      %p = "weft.multiply"(%t, %f) : (tensor<2x3x2x4x1xf32>, tensor<1x3x2x4x5xf32>) -> tensor<2x3x2x4x5xf32>
      %v = "weft.sum"(%p) {axes = array<i64: 1, 2, 3>, keepdims = false} : (tensor<2x3x2x4x5xf32>) -> tensor<2x5xf32>
      %u = "weft.scatter"(%b, %v, %c2, %j) {axes = array<i64: 1, 2>, mode = "set", position = 0} : (tensor<2x7x9x5xf32>, tensor<2x5xf32>, tensor<i64>, tensor<i64>) -> tensor<2x7x9x5xf32>
      scf.yield %u : tensor<2x7x9x5xf32>
    }
    scf.yield %s : tensor<2x7x9x5xf32>
  }
  return %r : tensor<2x7x9x5xf32>
}
func.func @exchanged(%x: tensor<90xf64>, %o: tensor<70xf64>, %p: tensor<70xf64>) -> (tensor<70xf64>, tensor<70xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 70 : index
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%a = %o, %b = %p) -> (tensor<70xf64>, tensor<70xf64>) {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %end = "weft.add"(%i, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = "weft.dynamic_slice"(%x, %i, %end) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<90xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    %v = "weft.max"(%w) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
    %u = "weft.scatter"(%b, %v, %i) {axes = array<i64: 0>, mode = "set", position = 0} : (tensor<70xf64>, tensor<f64>, tensor<i64>) -> tensor<70xf64>
    scf.yield %u, %a : tensor<70xf64>, tensor<70xf64>
  }
  return %r#0, %r#1 : tensor<70xf64>, tensor<70xf64>
}
func.func @product(%x: tensor<2x9x10x4xf32>, %o: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %m = arith.constant 5 : index
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %o) -> tensor<2x6x6x4xf32> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %s = scf.for %l = %zero to %m step %one iter_args(%b = %a) -> tensor<2x6x6x4xf32> {
      %li = arith.index_cast %l : index to i64
      %j = tensor.from_elements %li : tensor<i64>
      %i2 = "weft.multiply"(%i, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %j2 = "weft.multiply"(%j, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %iend = "weft.add"(%i2, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %jend = "weft.add"(%j2, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %w = "weft.dynamic_slice"(%x, %i2, %j2, %iend, %jend) {start = array<i64: 0, 0, 0, 0>, stop = array<i64: 9223372036854775807, 0, 0, 9223372036854775807>, step = array<i64: 1, 1, 1, 1>, start_axes = array<i64: 1, 2>, stop_axes = array<i64: 1, 2>} : (tensor<2x9x10x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x?x?x4xf32>
      %v = "weft.prod"(%w) {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x?x?x4xf32>) -> tensor<2x4xf32>
      %u = "weft.scatter"(%b, %v, %i, %j) {axes = array<i64: 1, 2>, mode = "set", position = 0} : (tensor<2x6x6x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x6x6x4xf32>
      scf.yield %u : tensor<2x6x6x4xf32>
    }
    scf.yield %s : tensor<2x6x6x4xf32>
  }
  return %r : tensor<2x6x6x4xf32>
}
