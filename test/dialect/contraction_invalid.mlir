// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @inner(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{matmul: the last axis of (2,3) and the last but one of (4,5) differ (3 and 4)}}
  %0 = "weft.matmul"(%x, %y) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @batch(%x: tensor<2x3x3xf32>, %y: tensor<4x3x3xf32>) {
  // expected-error @below {{operands could not be broadcast together with shapes (2,) (4,)}}
  %0 = "weft.matmul"(%x, %y) : (tensor<2x3x3xf32>, tensor<4x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @vector(%x: tensor<3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @below {{weft.matmul takes operands of rank 2 or more, not f32[3] and f32[3,3]}}
  %0 = "weft.matmul"(%x, %y) : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dtypes(%x: tensor<3x3xf32>, %y: tensor<3x3xf64>) {
  // expected-error @below {{weft.matmul: operands must have one dtype, not f32[3,3], f64[3,3]}}
  %0 = "weft.matmul"(%x, %y) : (tensor<3x3xf32>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return
}

// -----

func.func @spec(%x: tensor<3xf32>) {
  // expected-error @below {{a contraction of two operands is written as in 'ij,jk->ik', not 'i,i'}}
  %0 = "weft.contract"(%x, %x) {spec = "i,i"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @label_twice(%x: tensor<3x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'ii,i->i': a label stands for one axis of an operand or of the result}}
  %0 = "weft.contract"(%x, %y) {spec = "ii,i->i"} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @unknown_label(%x: tensor<3xf32>) {
  // expected-error @below {{'i,i->j': no operand has the label 'j' of the result}}
  %0 = "weft.contract"(%x, %x) {spec = "i,i->j"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @labels(%x: tensor<3xf32>) {
  // expected-error @below {{'ij,i->j': labels 'ij' do not fit the 1 axes of f32[3]}}
  %0 = "weft.contract"(%x, %x) {spec = "ij,i->j"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @extents(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'i,i->': axis 'i' has extents 3 and 4 in f32[3] and f32[4]}}
  %0 = "weft.contract"(%x, %y) {spec = "i,i->"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @channels(%x: tensor<1x5x5x3xf32>, %f: tensor<3x3x4x8xf32>) {
  // expected-error @below {{weft.conv: f32[1,5,5,3] has 3 channels, a kernel f32[3,3,4,8] 4}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x5x5x3xf32>, tensor<3x3x4x8xf32>) -> tensor<1x3x3x8xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x5x5x4xf32>, %f: tensor<3x3x2x9xf32>) {
  // expected-error @below {{weft.conv: a kernel f32[3,3,2,9] does not make 2 groups of equal size}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x5x5x4xf32>, tensor<3x3x2x9xf32>) -> tensor<1x3x3x9xf32>
  return
}

// -----

func.func @channels_of_groups(%x: tensor<1x5x5x6xf32>, %f: tensor<3x3x2x8xf32>) {
  // expected-error @below {{weft.conv: f32[1,5,5,6] has 6 channels, 2 groups of a kernel f32[3,3,2,8] 4}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x5x5x6xf32>, tensor<3x3x2x8xf32>) -> tensor<1x3x3x8xf32>
  return
}

// -----

func.func @window(%x: tensor<1x5x5x3xf32>, %f: tensor<3x3x3x8xf32>) {
  // expected-error @below {{weft.conv: a window of 3 does not fit axis 1 of f32[1,5,5,3]}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 3, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x5x5x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x1x3x8xf32>
  return
}

// -----

func.func @strides(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{weft.window_max: strides takes 4 numbers of at least 1, not (1, 0, 1, 1)}}
  %0 = "weft.window_max"(%x) {window = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 0, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>} : (tensor<1x5x5x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @sides(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{weft.window_mean: padding takes 8 numbers, not (2, 0, 0, 0)}}
  %0 = "weft.window_mean"(%x) {window = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 1, 1, 1>, padding = array<i64: 2, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>} : (tensor<1x5x5x3xf32>) -> tensor<1x6x4x3xf32>
  return
}

// -----

func.func @axes(%x: tensor<1x5x3xf32>, %f: tensor<3x3x3x8xf32>) {
  // expected-error @below {{weft.conv takes an array (batch, ..., channels) and a kernel (..., channels of a group, results) with as many axes, not f32[1,5,3] and f32[3,3,3,8]}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilations = array<i64: 1>, input_dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x5x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x3x8xf32>
  return
}

// -----

func.func @gaps(%x: tensor<1x5x3xf32>, %f: tensor<3x3x8xf32>) {
  // expected-error @below {{weft.conv: input_dilations takes 1 numbers of at least 1, not (0,)}}
  %0 = "weft.conv"(%x, %f) {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilations = array<i64: 1>, input_dilations = array<i64: 0>, groups = 1 : i64} : (tensor<1x5x3xf32>, tensor<3x3x8xf32>) -> tensor<1x3x8xf32>
  return
}
