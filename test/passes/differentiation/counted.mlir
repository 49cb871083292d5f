// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// The loop counts; a second one that counts runs it again without what it prints and checks, and keeps what is needed.
// CHECK-LABEL: func.func @halved
// CHECK: %[[FIRST:.*]]:2 = scf.while
// CHECK: weft.raise_if
// CHECK: "weft.add"(%{{.*}}, %{{.*}}) : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK: %[[TRIPS:.*]] = tensor.extract %[[FIRST]]#1
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[TRIPS]]
// CHECK: "weft.empty"
// CHECK: scf.for %{{.*}} to %[[COUNT]]
// CHECK-NOT: weft.raise_if
// CHECK: "weft.scatter"
// CHECK: scf.for
// CHECK: "weft.gather"
// CHECK: "weft.cos"
func.func @halved(%x: tensor<f64>, %end: tensor<f64>) -> tensor<f64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = scf.while (%s = %v) : (tensor<f64>) -> tensor<f64> {
    %more = "weft.greater"(%s, %end) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>):
    %bad = "weft.isnan"(%s) : (tensor<f64>) -> tensor<i1>
    "weft.raise_if"(%bad) {error = "ValueError", message = "lost"} : (tensor<i1>) -> ()
    %next = "weft.sin"(%s) : (tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
