// RUN: weft-opt %s --fuse-updates | filecheck %s

// Each element is written once: those in the middle as a stencil, the others as numbers.
// CHECK-LABEL: func.func @reverse_of_a_stencil
// CHECK-DAG: %[[LEFT:.*]] = "weft.slice"(%[[X:arg0]]) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 7>}
// CHECK-DAG: %[[RIGHT:.*]] = "weft.slice"(%[[X]]) {start = array<i64: 3>, step = array<i64: 1>, stop = array<i64: 9>}
// CHECK-NOT: "weft.slice"(
// CHECK: "weft.slice_update"(%[[X]], %{{.*}}) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 8>}
// CHECK-COUNT-4: weft.scatter
// CHECK-NOT: weft.slice_update
// CHECK: return
func.func @reverse_of_a_stencil(%x: tensor<10xf64>) -> tensor<10xf64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8>} : (tensor<f64>) -> tensor<8xf64>
  %t = "weft.slice"(%x) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 9>} : (tensor<10xf64>) -> tensor<8xf64>
  %a = "weft.slice_update"(%x, %zeros) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 9>} : (tensor<10xf64>, tensor<8xf64>) -> tensor<10xf64>
  %b = "weft.slice"(%a) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 8>} : (tensor<10xf64>) -> tensor<8xf64>
  %c = "weft.add"(%b, %t) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %d = "weft.slice_update"(%a, %c) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 8>} : (tensor<10xf64>, tensor<8xf64>) -> tensor<10xf64>
  %e = "weft.slice"(%d) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 10>} : (tensor<10xf64>) -> tensor<8xf64>
  %f = "weft.add"(%e, %t) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %g = "weft.slice_update"(%d, %f) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 10>} : (tensor<10xf64>, tensor<8xf64>) -> tensor<10xf64>
  return %g : tensor<10xf64>
}

// Regions that are apart stay updates of their own.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: weft.slice_update
// CHECK-NOT: weft.slice_update
func.func @apart(%x: tensor<10xf64>, %y: tensor<4xf64>) -> tensor<10xf64> {
  %a = "weft.slice_update"(%x, %y) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<10xf64>, tensor<4xf64>) -> tensor<10xf64>
  %b = "weft.slice_update"(%a, %y) {start = array<i64: 4>, step = array<i64: 1>, stop = array<i64: 8>} : (tensor<10xf64>, tensor<4xf64>) -> tensor<10xf64>
  return %b : tensor<10xf64>
}

// What is read between the updates for something else is there.
// CHECK-LABEL: func.func @seen
// CHECK: %[[A:.*]] = "weft.slice_update"(%arg0
// CHECK-NEXT: %[[S:.*]] = "weft.slice"(%[[A]])
// CHECK: %[[B:.*]] = "weft.slice_update"(%[[A]]
// CHECK: return %[[B]], %[[S]]
func.func @seen(%x: tensor<10xf64>, %y: tensor<4xf64>) -> (tensor<10xf64>, tensor<4xf64>) {
  %a = "weft.slice_update"(%x, %y) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<10xf64>, tensor<4xf64>) -> tensor<10xf64>
  %s = "weft.slice"(%a) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 6>} : (tensor<10xf64>) -> tensor<4xf64>
  %t = "weft.add"(%s, %y) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %b = "weft.slice_update"(%a, %t) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 6>} : (tensor<10xf64>, tensor<4xf64>) -> tensor<10xf64>
  return %b, %s : tensor<10xf64>, tensor<4xf64>
}

// An elementary function is computed once, not for each box anew.
// CHECK-LABEL: func.func @expensive
// CHECK-COUNT-1: weft.exp
// CHECK-NOT: weft.exp
// CHECK: return
func.func @expensive(%x: tensor<10xf64>, %y: tensor<8xf64>) -> tensor<10xf64> {
  %e = "weft.exp"(%y) : (tensor<8xf64>) -> tensor<8xf64>
  %a = "weft.slice_update"(%x, %e) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 9>} : (tensor<10xf64>, tensor<8xf64>) -> tensor<10xf64>
  %s = "weft.slice"(%a) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 8>} : (tensor<10xf64>) -> tensor<8xf64>
  %t = "weft.add"(%s, %e) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %b = "weft.slice_update"(%a, %t) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 8>} : (tensor<10xf64>, tensor<8xf64>) -> tensor<10xf64>
  return %b : tensor<10xf64>
}
