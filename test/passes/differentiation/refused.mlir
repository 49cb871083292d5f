// RUN: not weft-opt %s --split-input-file --weft-differentiate 2>&1 | filecheck %s

// What a function is given, it may write to.
// CHECK: and writes to an argument
func.func private @other(!weft.ref<tensor<f64>>, tensor<f64>)
func.func @called(%r: !weft.ref<tensor<f64>>, %x: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  func.call @other(%r, %v) : (!weft.ref<tensor<f64>>, tensor<f64>) -> ()
  %y = "weft.read_ref"(%r) : (!weft.ref<tensor<f64>>) -> tensor<f64>
  %g = "weft.gradient"(%y, %y, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// -----

// CHECK: what Python computes has no derivative
func.func private @host.0(tensor<f64>) -> tensor<f64>
func.func @python(%x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = func.call @host.0(%v) : (tensor<f64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// -----

// What a second run reads of a log was computed of x, too.
// CHECK: what Python computes has no derivative
func.func private @host.0(tensor<f64>) -> tensor<f64>
func.func @logged(%x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = scf.while (%s = %v) : (tensor<f64>) -> tensor<f64> {
    %more = "weft.greater"(%s, %c) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>):
    %next = func.call @host.0(%s) : (tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// -----

// Python tells first under which number it keeps what it made of x.
// CHECK: what Python computes has no derivative
func.func private @host.0(tensor<f64>) -> tensor<i64>
func.func private @host.1(tensor<i64>) -> tensor<?xf64>
func.func @kept(%x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %number = func.call @host.0(%v) : (tensor<f64>) -> tensor<i64>
  %made = func.call @host.1(%number) : (tensor<i64>) -> tensor<?xf64>
  %y = "weft.sum"(%made) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
