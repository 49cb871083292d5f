// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// The partner of a function runs it again, without checks, and calls itself for cotangents; so does what is called of it.
// CHECK-LABEL: func.func @main
// CHECK: call @power(
// CHECK: call @power.reverse(
// CHECK-LABEL: func.func private @power(
// CHECK: weft.raise_if
// CHECK: call @power(
// CHECK-LABEL: func.func private @power.reverse(
// CHECK-NOT: weft.raise_if
// CHECK: call @power.again(
// CHECK: call @power.reverse(
// CHECK-LABEL: func.func private @power.again(
// CHECK-NOT: weft.raise_if
// CHECK: call @power.again(
func.func @main(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = func.call @power(%v, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
func.func private @power(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %least = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %bad = "weft.less"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%bad) {error = "ValueError", message = "negative"} : (tensor<i1>) -> ()
  %more = "weft.greater"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %p = tensor.extract %more[] : tensor<i1>
  %r = scf.if %p -> tensor<f64> {
    %m = "weft.subtract"(%n, %least) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = func.call @power(%x, %m) : (tensor<f64>, tensor<i64>) -> tensor<f64>
    %t = "weft.multiply"(%d, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %t : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  return %r : tensor<f64>
}
