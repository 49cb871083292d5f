// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error @below {{'weft.reshape' op cannot reshape array of size 6 into shape (4,)}}
  %0 = "weft.reshape"(%x) {shape = array<i64: 4>} : (tensor<2x3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @missing_extent(%x: tensor<?xf32>) {
  // expected-error @below {{weft.reshape: shape (-1, 2) needs 1 run-time extents, 0 were given}}
  %0 = "weft.reshape"(%x) {shape = array<i64: -1, 2>} : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @extent_of_wrong_type(%x: tensor<?xf32>, %n: tensor<i32>) {
  // expected-error @below {{weft.reshape: a run-time extent is i64[], not i32[]}}
  %0 = "weft.reshape"(%x, %n) {shape = array<i64: -1>} : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @transpose(%x: tensor<2x3xf32>) {
  // expected-error @below {{axes (0, 0) are not a permutation of the 2 axes of f32[2,3]}}
  %0 = "weft.transpose"(%x) {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<2xf32>) {
  // expected-error @below {{cannot broadcast (2,) to (3,)}}
  %0 = "weft.broadcast_to"(%x) {shape = array<i64: 3>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @squeeze(%x: tensor<2xf32>) {
  // expected-error @below {{cannot select an axis to squeeze out which has size not equal to one}}
  %0 = "weft.squeeze"(%x) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @axes(%x: tensor<2x1xf32>) {
  // expected-error @below {{weft.squeeze: axes (-1,) are not ascending axes of rank 2}}
  %0 = "weft.squeeze"(%x) {axes = array<i64: -1>} : (tensor<2x1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{weft.concat: f32[2,3] and f32[2,4] differ outside of axis 0}}
  %0 = "weft.concat"(%x, %y) {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_width(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @below {{weft.pad: low (-1,) and high (0,) are not widths for the axes of f32[2]}}
  %0 = "weft.pad"(%x, %v) {low = array<i64: -1>, high = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @extend_mode(%x: tensor<2xf32>) {
  // expected-error @below {{weft.extend: mode 'mirror' is not one of edge, reflect, symmetric, wrap}}
  %0 = "weft.extend"(%x) {low = array<i64: 1>, high = array<i64: 0>, mode = "mirror"} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @extend_empty(%x: tensor<0xf32>) {
  // expected-error @below {{can't extend empty axis 0 using modes other than 'constant' or 'empty'}}
  %0 = "weft.extend"(%x) {low = array<i64: 1>, high = array<i64: 0>, mode = "edge"} : (tensor<0xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @triu(%x: tensor<2xf32>) {
  // expected-error @below {{weft.triu needs rank 2 or more, not f32[2]}}
  %0 = "weft.triu"(%x) {k = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @tile(%x: tensor<2xf32>) {
  // expected-error @below {{weft.tile: counts (2, 2) are not counts for the axes of f32[2]}}
  %0 = "weft.tile"(%x) {counts = array<i64: 2, 2>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'weft.roll' op returns f32[2,3], not f32[3,2]}}
  %0 = "weft.roll"(%x) {shift = 1, axis = 0} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @stretch_rank(%x: tensor<?xf32>, %n: tensor<i64>) {
  // expected-error @below {{weft.stretch: shape (2, -1) has not as many axes as f32[?]}}
  %0 = "weft.stretch"(%x, %n) {shape = array<i64: 2, -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<2x?xf32>
  return
}

// -----

func.func @stretch_known(%x: tensor<2x?xf32>) {
  // expected-error @below {{cannot broadcast (2,?) to (3,4)}}
  %0 = "weft.stretch"(%x) {shape = array<i64: 3, 4>} : (tensor<2x?xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @stretch_without_extent(%x: tensor<?xf32>) {
  // expected-error @below {{weft.stretch: shape (-1,) needs 1 run-time extents, 0 were given}}
  %0 = "weft.stretch"(%x) {shape = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @axis_that_is_a_bool(%x: tensor<?x3xf32>) {
  // expected-error @below {{'weft.dim' op expected integer, not true}}
  %n = "weft.dim"(%x) {axis = true} : (tensor<?x3xf32>) -> tensor<i64>
  return
}
