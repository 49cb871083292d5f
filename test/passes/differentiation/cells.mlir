// RUN: weft-opt %s --weft-differentiate | filecheck %s

// Beside the cell there is one of its cotangent. In reverse, what was read adds to it, and what was written takes it.
// CHECK-LABEL: func.func @written
// CHECK-SAME: (%[[R:.*]]: !weft.ref<tensor<3xf64>>, %[[X:.*]]: tensor<3xf64>, %[[C:.*]]: tensor<3xf64>)
// CHECK: "weft.write_ref"(%[[R]], %[[X]])
// CHECK: %[[SHADOW:.*]] = "weft.alloc_ref"
// CHECK: "weft.write_ref"(%[[SHADOW]], %[[C]])
// CHECK: %[[HELD:.*]] = "weft.read_ref"(%[[SHADOW]])
// CHECK: return %[[HELD]]
func.func @written(%r: !weft.ref<tensor<3xf64>>, %x: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  "weft.write_ref"(%r, %v) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  %y = "weft.read_ref"(%r) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}

// A tangent is written beside the value, and read beside it.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: (%[[R:.*]]: !weft.ref<tensor<3xf64>>, %[[X:.*]]: tensor<3xf64>, %[[T:.*]]: tensor<3xf64>)
// CHECK: %[[SHADOW:.*]] = "weft.alloc_ref"
// CHECK: "weft.write_ref"(%[[R]], %[[X]])
// CHECK: "weft.write_ref"(%[[SHADOW]], %[[T]])
// CHECK: "weft.read_ref"(%[[R]])
// CHECK: %[[HELD:.*]] = "weft.read_ref"(%[[SHADOW]])
// CHECK: return %[[HELD]]
func.func @moved(%r: !weft.ref<tensor<3xf64>>, %x: tensor<3xf64>, %t: tensor<3xf64>) -> tensor<3xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  "weft.write_ref"(%r, %v) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  %y = "weft.read_ref"(%r) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  %d = "weft.tangent"(%y, %v, %t) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %d : tensor<3xf64>
}

// What is written and never read needs no other cell.
// CHECK-LABEL: func.func @only_written
// CHECK-NOT: weft.alloc_ref
// CHECK: return
func.func @only_written(%r: !weft.ref<tensor<f64>>, %x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = "weft.sin"(%v) : (tensor<f64>) -> tensor<f64>
  "weft.write_ref"(%r, %y) : (!weft.ref<tensor<f64>>, tensor<f64>) -> ()
  %g = "weft.gradient"(%y, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// The second run of a loop works on a cell of its own, which holds what the first began with.
// CHECK-LABEL: func.func @again
// CHECK-SAME: (%[[R:.*]]: !weft.ref<tensor<f64>>
// CHECK: %[[BEFORE:.*]] = "weft.read_ref"(%[[R]])
// CHECK: scf.while
// CHECK: "weft.write_ref"(%[[R]],
// CHECK: %[[OWN:.*]] = "weft.alloc_ref"(%[[BEFORE]])
// CHECK: scf.for
// CHECK-NOT: (%[[R]]
// CHECK: "weft.write_ref"(%[[OWN]],
func.func @again(%r: !weft.ref<tensor<f64>>, %x: tensor<f64>, %end: tensor<f64>) -> tensor<f64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = scf.while (%s = %v) : (tensor<f64>) -> tensor<f64> {
    %now = "weft.read_ref"(%r) : (!weft.ref<tensor<f64>>) -> tensor<f64>
    %more = "weft.greater"(%now, %end) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>):
    %old = "weft.read_ref"(%r) : (!weft.ref<tensor<f64>>) -> tensor<f64>
    %next = "weft.multiply"(%s, %old) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "weft.write_ref"(%r, %next) : (!weft.ref<tensor<f64>>, tensor<f64>) -> ()
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %end, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
