// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @reduction(%x: tensor<3xf32>) {
  // expected-error @+1 {{there is no reduction 'mean'; there are sum, prod, min, max}}
  %0 = "weft.all_reduce"(%x) {reduction = "mean", over = ""} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @count(%x: tensor<3xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{gathers from 2 ranks; -1 stands for the one operand behind the first}}
  %0 = "weft.all_gather"(%x, %n) {over = "", count = 2 : i64} : (tensor<3xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @parts(%x: tensor<f32>) {
  // expected-error @+1 {{takes a part for each rank along the first axis, which f32[] has not}}
  %0 = "weft.all_to_all"(%x) {over = ""} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @root(%x: tensor<f32>) {
  // expected-error @+1 {{there is no rank -1}}
  %0 = "weft.broadcast_rank"(%x) {root = -1 : i64, over = ""} : (tensor<f32>) -> tensor<f32>
  return
}
