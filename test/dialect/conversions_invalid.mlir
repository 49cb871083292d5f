// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @cast_result(%x: tensor<2xf32>) {
  // expected-error @below {{'weft.cast' op returns u8[2], not i8[2]}}
  %0 = "weft.cast"(%x) {dtype = ui8} : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @bitcast_width(%x: tensor<2xf32>) {
  // expected-error @below {{weft.bitcast cannot read f32[2] as int64}}
  %0 = "weft.bitcast"(%x) {dtype = i64} : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

// Bytes other than 0 and 1 are not booleans.
func.func @bitcast_to_bool(%x: tensor<2xi8>) {
  // expected-error @below {{weft.bitcast cannot read i8[2] as bool}}
  %0 = "weft.bitcast"(%x) {dtype = i1} : (tensor<2xi8>) -> tensor<2xi1>
  return
}

// -----

func.func @condition(%c: tensor<2xi32>, %x: tensor<2xf32>) {
  // expected-error @below {{weft.select needs a bool condition, not i32[2]}}
  %0 = "weft.select"(%c, %x, %x) : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @choices(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @below {{weft.select: operands must have one dtype, not f32[2], f64[2]}}
  %0 = "weft.select"(%c, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @complex_of_half(%x: tensor<2xf16>) {
  // expected-error @below {{weft.complex takes float32 or float64 parts, not f16[2]}}
  %0 = "weft.complex"(%x, %x) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @real_of_real(%x: tensor<2xf32>) {
  // expected-error @below {{weft.real is not defined for f32[2]}}
  %0 = "weft.real"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @arange_of_arrays(%x: tensor<2xf32>, %y: tensor<f32>) {
  // expected-error @below {{weft.arange takes scalars, not f32[2] and f32[]}}
  %0 = "weft.arange"(%x, %y) {shape = array<i64: 3>} : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @arange_extents(%x: tensor<f32>) {
  // expected-error @below {{weft.arange: shape (-1,) needs 1 run-time extents, 0 were given}}
  %0 = "weft.arange"(%x, %x) {shape = array<i64: -1>} : (tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{'weft.constant' op returns i32[2], not i32[3]}}
  %0 = "weft.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

func.func @places_of_numbers(%x: tensor<2xi32>) {
  // expected-error @below {{weft.nonzero needs a bool condition with one axis, not i32[2]}}
  %0:2 = "weft.nonzero"(%x) : (tensor<2xi32>) -> (tensor<2xi64>, tensor<i64>)
  return
}

// -----

func.func @places_in_a_table(%x: tensor<2x2xi1>) {
  // expected-error @below {{weft.nonzero needs a bool condition with one axis, not bool[2,2]}}
  %0:2 = "weft.nonzero"(%x) : (tensor<2x2xi1>) -> (tensor<4xi64>, tensor<i64>)
  return
}
