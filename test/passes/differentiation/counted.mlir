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

// What Python returned is logged by the first run, in a branch, too, and read by the second, which does not call it.
// CHECK-LABEL: func.func @asked
// CHECK: scf.while
// CHECK: scf.if
// CHECK: func.call @host.0
// CHECK: "weft.dynamic_slice_update"
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: func.call
// CHECK: scf.if
// CHECK: "weft.dynamic_slice"
// CHECK-NOT: func.call
// CHECK: return
func.func private @host.0(tensor<f64>) -> tensor<f64>
func.func @asked(%x: tensor<f64>, %end: tensor<f64>, %half: tensor<f64>) -> tensor<f64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = scf.while (%s = %v) : (tensor<f64>) -> tensor<f64> {
    %more = "weft.greater"(%s, %end) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>):
    %much = "weft.greater"(%s, %half) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %ask = tensor.extract %much[] : tensor<i1>
    %factor = scf.if %ask -> (tensor<f64>) {
      %told = func.call @host.0(%half) : (tensor<f64>) -> tensor<f64>
      scf.yield %told : tensor<f64>
    } else {
      scf.yield %half : tensor<f64>
    }
    %next = "weft.multiply"(%s, %factor) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
