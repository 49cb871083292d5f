// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// A loop carries the tangent beside the value; nothing is kept.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<f64>, %[[T:.*]]: tensor<f64>)
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[X]], %[[M:.*]] = %[[T]])
// CHECK-NEXT: %[[SIN:.*]] = "weft.sin"(%[[S]])
// CHECK-NEXT: %[[COS:.*]] = "weft.cos"(%[[S]])
// CHECK-NEXT: %[[P:.*]] = "weft.multiply"(%[[M]], %[[COS]])
// CHECK-NEXT: scf.yield %[[SIN]], %[[P]]
// CHECK: return %[[R]]#1
func.func @loop(%x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 50 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %v) -> tensor<f64> {
    %next = "weft.sin"(%s) : (tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %d = "weft.tangent"(%y, %v, %t) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}

// What does not move has no tangent; a branch hands out those of its values.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK: "weft.negative"(%{{.*}})
// CHECK: } else {
// CHECK: "weft.constant"() {value = dense<0.
func.func @branch(%p: i1, %x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = scf.if %p -> tensor<f64> {
    %n = "weft.negative"(%v) : (tensor<f64>) -> tensor<f64>
    scf.yield %n : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  %d = "weft.tangent"(%y, %v, %t) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}
