// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<3xf32>) {
  // expected-error @+1 {{'weft.lane' op weft.lane: axes (1,) are not ascending axes of rank 1}}
  %0 = "weft.lane"(%x) {axis = 1 : i64, number = 1 : i64} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @count(%y: tensor<3xf32>, %n: tensor<2xi64>) {
  // expected-error @+1 {{'weft.lanes' op weft.lanes: the number of lanes is i64[], not i64[2]}}
  %0 = "weft.lanes"(%y, %n) {axis = 0 : i64, number = 1 : i64, size = 2 : i64, stacked = true} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @size(%y: tensor<3xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{'weft.lanes' op weft.lanes: there are no -2 lanes}}
  %0 = "weft.lanes"(%y, %n) {axis = 0 : i64, number = 1 : i64, size = -2 : i64, stacked = true} : (tensor<3xf32>, tensor<i64>) -> tensor<?x3xf32>
  return
}
