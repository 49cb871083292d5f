// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @shapes(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'weft.add' op operands could not be broadcast together with shapes (2,3) (4,)}}
  %0 = "weft.add"(%x, %y) : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @mixed_dtypes(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @below {{numpy.add has no loop for operands f32[2], f64[2]}}
  %0 = "weft.add"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @no_loop(%x: tensor<2xi1>) {
  // expected-error @below {{numpy.negative has no loop for operands bool[2]}}
  %0 = "weft.negative"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

// An integer has no sine: it is cast first.
func.func @integer(%x: tensor<2xi32>) {
  // expected-error @below {{numpy.sin has no loop for operands i32[2]}}
  %0 = "weft.sin"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error @below {{'weft.exp' op returns f32[2], not f32[3]}}
  %0 = "weft.exp"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @gamma_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{weft.gamma is not defined for c64[2]}}
  %0 = "weft.gamma"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @erf_of_integer(%x: tensor<2xi32>) {
  // expected-error @below {{weft.erf is not defined for i32[2]}}
  %0 = "weft.erf"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @not_a_weft_type(%x: tensor<2xi7>) {
  // expected-error @below {{tensor<2xi7> is not a type of the weft dialect}}
  %0 = "weft.negative"(%x) : (tensor<2xi7>) -> tensor<2xi7>
  return
}

// -----

// Only Python's ints do not wrap around.
func.func @overflow_of_narrow(%x: tensor<i32>) {
  // expected-error @below {{weft.add_overflows is of int64, not i32[] and i32[]}}
  %0 = "weft.add_overflows"(%x, %x) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return
}
