// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{axis 2 is out of bounds for array of dimension 2}}
  %0 = "weft.sum"(%x) {axes = array<i64: 2>, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @axis_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{duplicate value in 'axis'}}
  %0 = "weft.sum"(%x) {axes = array<i64: 0, -2>, keepdims = false} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// Booleans are counted in integers; the cast is explicit.
func.func @sum_of_booleans(%x: tensor<2xi1>) {
  // expected-error @below {{weft.sum is not defined for bool[2]}}
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<2xi1>) -> tensor<i1>
  return
}

// -----

func.func @mean_of_integers(%x: tensor<2xi32>) {
  // expected-error @below {{weft.mean is not defined for i32[2]}}
  %0 = "weft.mean"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<2xi32>) -> tensor<i32>
  return
}

// -----

func.func @largest_of_none(%x: tensor<0x3xf32>) {
  // expected-error @below {{zero-size array to reduction operation maximum which has no identity}}
  %0 = "weft.max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @position_in_none(%x: tensor<3x0xf32>) {
  // expected-error @below {{attempt to get argmax of an empty sequence}}
  %0 = "weft.argmax"(%x) {axis = 1, keepdims = false} : (tensor<3x0xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'weft.argmax' op returns i64[2], not i32[2]}}
  %0 = "weft.argmax"(%x) {axis = 1, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @scan_of_scalar(%x: tensor<f32>) {
  // expected-error @below {{axis 0 is out of bounds for array of dimension 0}}
  %0 = "weft.cumulative_sum"(%x) {axis = 0} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @search_in_matrix(%x: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error @below {{weft.searchsorted searches in a tensor of rank 1, not f32[2,2]}}
  %0 = "weft.searchsorted"(%x, %v) {side = "left"} : (tensor<2x2xf32>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @side(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @below {{side must be 'left' or 'right', not 'middle'}}
  %0 = "weft.searchsorted"(%x, %v) {side = "middle"} : (tensor<2xf32>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @places_of_floats(%x: tensor<2x3xf32>, %p: tensor<2x1xf32>) {
  // expected-error @below {{the places of weft.partition_at are int64, not float32}}
  %0 = "weft.partition_at"(%x, %p) : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @places_of_other_rows(%x: tensor<2x3xf32>, %p: tensor<3x1xi64>) {
  // expected-error @below {{weft.partition_at needs places for each row of f32[2,3], not i64[3,1]}}
  %0 = "weft.partition_at"(%x, %p) : (tensor<2x3xf32>, tensor<3x1xi64>) -> tensor<2x3xf32>
  return
}
