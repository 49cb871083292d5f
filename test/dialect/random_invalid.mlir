// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @algorithm(%state: tensor<6xui64>) {
  // expected-error@+1 {{there is no algorithm 'mt19937'; there are pcg64, pcg64dxsm, philox}}
  %0:2 = "weft.random_floats"(%state) {algorithm = "mt19937", distribution = "normal", shape = array<i64: 5>, dtype = f64} : (tensor<6xui64>) -> (tensor<5xf64>, tensor<6xui64>)
  return
}

// -----

func.func @state(%state: tensor<6xui64>) {
  // expected-error@+1 {{is no state of Philox}}
  %0:2 = "weft.random_permutation"(%state) {algorithm = "philox", shape = array<i64: 1, 5>} : (tensor<6xui64>) -> (tensor<1x5xi64>, tensor<6xui64>)
  return
}

// -----

func.func @distribution(%state: tensor<6xui64>) {
  // expected-error@+1 {{there is no distribution 'gamma'}}
  %0:2 = "weft.random_floats"(%state) {algorithm = "pcg64", distribution = "gamma", shape = array<i64: 5>, dtype = f64} : (tensor<6xui64>) -> (tensor<5xf64>, tensor<6xui64>)
  return
}

// -----

func.func @bounds(%state: tensor<6xui64>, %low: tensor<i64>, %high: tensor<3xi64>) {
  // expected-error@+1 {{bounds are scalars or alike}}
  %0:2 = "weft.random_integers"(%state, %low, %high) {algorithm = "pcg64", shape = array<i64: 3>} : (tensor<6xui64>, tensor<i64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<6xui64>)
  return
}

// -----

// A state is as long as some machine keeps it.
func.func @shorter(%state: tensor<5xui64>) -> tensor<5xui64> {
  %0:2 = "weft.random_floats"(%state) {algorithm = "pcg64", distribution = "normal", shape = array<i64: 5>, dtype = f32} : (tensor<5xui64>) -> (tensor<5xf32>, tensor<5xui64>)
  return %0#1 : tensor<5xui64>
}
