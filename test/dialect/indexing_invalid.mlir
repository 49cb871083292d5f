// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @step(%x: tensor<5xf32>) {
  // expected-error @below {{'weft.slice' op slice step cannot be zero}}
  %0 = "weft.slice"(%x) {start = array<i64: 0>, stop = array<i64: 5>, step = array<i64: 0>} : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @bounds(%x: tensor<5x2xf32>) {
  // expected-error @below {{weft.slice: needs one start, stop and step per axis of (5,2)}}
  %0 = "weft.slice"(%x) {start = array<i64: 0>, stop = array<i64: 5>, step = array<i64: 1>} : (tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @update(%x: tensor<5xf32>, %u: tensor<3xf32>) {
  // expected-error @below {{could not broadcast input array from shape (3,) into shape (2,)}}
  %0 = "weft.slice_update"(%x, %u) {start = array<i64: 0>, stop = array<i64: 2>, step = array<i64: 1>} : (tensor<5xf32>, tensor<3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @update_dtype(%x: tensor<5xf32>, %u: tensor<2xf64>) {
  // expected-error @below {{weft.slice_update: operands must have one dtype, not f32[5], f64[2]}}
  %0 = "weft.slice_update"(%x, %u) {start = array<i64: 0>, stop = array<i64: 2>, step = array<i64: 1>} : (tensor<5xf32>, tensor<2xf64>) -> tensor<5xf32>
  return
}

// -----

func.func @index_dtype(%x: tensor<5xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{weft.gather: indices are i64, not i32[2]}}
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<5xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @index_count(%x: tensor<5x6xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{weft.gather: axes (0, 1) need as many indices of one shape, not i64[2]}}
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0, 1>, position = 0} : (tensor<5x6xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @position(%x: tensor<5x6xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{weft.gather: position 2 is not among the 1 axes that remain}}
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 2} : (tensor<5x6xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  return
}

// -----

func.func @scatter_mode(%x: tensor<5xf32>, %u: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{weft.scatter: mode 'max' is not one of set, add}}
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "max", position = 0} : (tensor<5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @scatter_update(%x: tensor<5xf32>, %u: tensor<3xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{value array of shape (3,) could not be broadcast to indexing result of shape (2,)}}
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0} : (tensor<5xf32>, tensor<3xf32>, tensor<2xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @along_axis(%x: tensor<5x6xf32>, %i: tensor<4x2xi64>) {
  // expected-error @below {{weft.take_along_axis: i64[4,2] does not have the shape of f32[5,6] but for axis 1}}
  %0 = "weft.take_along_axis"(%x, %i) {axis = 1} : (tensor<5x6xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @extent(%i: tensor<4xi64>, %n: tensor<1xi64>) {
  // expected-error @below {{weft.find_out_of_bounds: the extent is i64[], not i64[1]}}
  %0:2 = "weft.find_out_of_bounds"(%i, %n) : (tensor<4xi64>, tensor<1xi64>) -> (tensor<i1>, tensor<i64>)
  return
}

// -----

func.func @dynamic_slice_operands(%x: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error @below {{weft.dynamic_slice: starts of axes (0,) and stops of axes (0,) need as many operands, at least one, not 1}}
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<5xf32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_bound(%x: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @below {{weft.dynamic_slice: run-time bounds are i64[], not i32[]}}
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64>} : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_axis(%x: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error @below {{weft.dynamic_slice: axes (1,) are not ascending axes of rank 1}}
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 1>, stop_axes = array<i64>} : (tensor<5xf32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_rank(%x: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error @below {{'weft.dynamic_slice' op returns f32[?], not f32[?,1]}}
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64>} : (tensor<5xf32>, tensor<i64>) -> tensor<?x1xf32>
  return
}

// -----

func.func @dynamic_update(%x: tensor<5x2xf32>, %u: tensor<3x3xf32>, %i: tensor<i64>) {
  // expected-error @below {{could not broadcast input array from shape (3,3) into shape (?,2)}}
  %0 = "weft.dynamic_slice_update"(%x, %u, %i) {start = array<i64: 0, 0>, stop = array<i64: 0, 2>, step = array<i64: 1, 1>, start_axes = array<i64: 0>, stop_axes = array<i64>} : (tensor<5x2xf32>, tensor<3x3xf32>, tensor<i64>) -> tensor<5x2xf32>
  return
}

// -----

func.func @dynamic_update_dtype(%x: tensor<5xf32>, %u: tensor<?xf64>, %i: tensor<i64>) {
  // expected-error @below {{weft.dynamic_slice_update: operands must have one dtype, not f32[5], f64[?]}}
  %0 = "weft.dynamic_slice_update"(%x, %u, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64>} : (tensor<5xf32>, tensor<?xf64>, tensor<i64>) -> tensor<5xf32>
  return
}
