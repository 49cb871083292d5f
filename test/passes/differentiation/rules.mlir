// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// The rule is copied to where the cotangent is known; what it computes of x before stays.
// CHECK-LABEL: func.func @rule
// CHECK-SAME: (%[[X:.*]]: tensor<f64>, %[[C:.*]]: tensor<f64>)
// CHECK-NEXT: %[[T:.*]] = "weft.tanh"(%[[X]])
// CHECK-NEXT: %[[G:.*]] = "weft.multiply"(%[[C]], %[[T]])
// CHECK-NEXT: return %[[G]]
func.func @rule(%x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = "weft.sin"(%v) : (tensor<f64>) -> tensor<f64>
  %d = "weft.cotangent"(%y) {number = 0 : i64, place = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %t = "weft.tanh"(%v) : (tensor<f64>) -> tensor<f64>
  %m = "weft.multiply"(%d, %t) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %p = "weft.pairs"(%v, %m, %zero) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %z = "weft.custom"(%y, %p) {number = 0 : i64, place = 0 : i64} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %g = "weft.gradient"(%z, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// Without a gradient the result is what it is, and the rule is gone.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: %[[Y:.*]] = "weft.sin"
// CHECK-NEXT: return %[[Y]]
func.func @unused(%x: tensor<f64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %y = "weft.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %d = "weft.cotangent"(%y) {number = 0 : i64, place = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %m = "weft.negative"(%d) : (tensor<f64>) -> tensor<f64>
  %p = "weft.pairs"(%x, %m, %zero) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %z = "weft.custom"(%y, %p) {number = 0 : i64, place = 0 : i64} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}

// A loop of a rule stays whole where nothing is left of the rule, whatever in it was computed of the cotangent.
// CHECK-LABEL: func.func @loop
// CHECK: scf.condition
// CHECK: scf.yield
// CHECK: return
func.func @loop(%x: tensor<f64>) -> (tensor<f64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %none = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %y = "weft.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %d = "weft.cotangent"(%y) {number = 0 : i64, place = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %r:2 = scf.while (%n = %none, %s = %zero) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>) {
    %more = "weft.less"(%s, %d) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %n, %s : tensor<i64>, tensor<f64>
  } do {
  ^bb0(%n: tensor<i64>, %s: tensor<f64>):
    %next = "weft.add"(%s, %d) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %n, %next : tensor<i64>, tensor<f64>
  }
  %p = "weft.pairs"(%x, %r#1, %zero) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %z = "weft.custom"(%y, %p) {number = 0 : i64, place = 0 : i64} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z, %r#0 : tensor<f64>, tensor<i64>
}

// A function that returns what was computed of a cotangent stays whole, too.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[M:.*]] = "weft.negative"(%{{.*}})
// CHECK-NEXT: return %[[M]]
func.func @returned(%x: tensor<f64>) -> tensor<f64> {
  %d = "weft.cotangent"(%x) {number = 0 : i64, place = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %m = "weft.negative"(%d) : (tensor<f64>) -> tensor<f64>
  return %m : tensor<f64>
}
