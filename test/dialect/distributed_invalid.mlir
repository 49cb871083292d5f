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

// -----

// A message is for one wait, and for nothing else.
func.func @message(%x: tensor<2xf32>) -> tensor<i64> {
  // expected-error @+1 {{is for one weft.finish_send_receive, and for nothing else}}
  %0 = "weft.start_send_receive"(%x) {shift = 1 : i64, wraps = false, over = ""} : (tensor<2xf32>) -> tensor<i64>
  %1 = "weft.add"(%0, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %1 : tensor<i64>
}

// -----

func.func @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-error @+1 {{is for one weft.finish_send_receive, and for nothing else}}
  %0 = "weft.start_send_receive"(%x) {shift = 1 : i64, wraps = false, over = ""} : (tensor<2xf32>) -> tensor<i64>
  %1 = "weft.finish_send_receive"(%0, %x) {over = ""} : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  %2 = "weft.finish_send_receive"(%0, %x) {over = ""} : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @not_begun(%x: tensor<2xf32>, %m: tensor<i64>) -> tensor<2xf32> {
  // expected-error @+1 {{waits for what no weft.start_send_receive of its block has begun}}
  %0 = "weft.finish_send_receive"(%m, %x) {over = ""} : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @begun_outside(%x: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %0 = "weft.start_send_receive"(%x) {shift = 1 : i64, wraps = false, over = ""} : (tensor<2xf32>) -> tensor<i64>
  %1 = scf.if %c -> tensor<2xf32> {
    // expected-error @+1 {{waits for what no weft.start_send_receive of its block has begun}}
    %2 = "weft.finish_send_receive"(%0, %x) {over = ""} : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}
