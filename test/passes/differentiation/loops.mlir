// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// One number for each iteration is kept; the reverse loop counts down.
// CHECK-LABEL: func.func @recurrence
// CHECK: %[[STACK:.*]] = "weft.empty"() {dtype = f64, shape = array<i64: 50>}
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[KEPT:.*]] = %[[STACK]])
// CHECK: "weft.sin"(%[[S]])
// CHECK: "weft.scatter"(%[[KEPT]], %[[S]]
// CHECK: scf.for
// CHECK: arith.subi
// CHECK: "weft.gather"
// CHECK: "weft.cos"
func.func @recurrence(%x: tensor<f64>) -> tensor<f64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 50 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %v) -> tensor<f64> {
    %next = "weft.sin"(%s) : (tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// A linear loop keeps nothing.
// CHECK-LABEL: func.func @linear
// CHECK-NOT: weft.empty
// CHECK-NOT: weft.gather
// CHECK: return
func.func @linear(%x: tensor<8xf64>, %c: tensor<8xf64>) -> tensor<8xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 50 : index
  %step = arith.constant 1 : index
  %half = "weft.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %y = scf.for %i = %lower to %upper step %step iter_args(%u = %v) -> tensor<8xf64> {
    %a = "weft.slice"(%u) {start = array<i64: 0>, stop = array<i64: 7>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<7xf64>
    %b = "weft.multiply"(%a, %half) : (tensor<7xf64>, tensor<f64>) -> tensor<7xf64>
    %next = "weft.slice_update"(%u, %b) {start = array<i64: 1>, stop = array<i64: 8>, step = array<i64: 1>} : (tensor<8xf64>, tensor<7xf64>) -> tensor<8xf64>
    scf.yield %next : tensor<8xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  return %g : tensor<8xf64>
}

// A branch hands out what its reverse needs; the other hands out nothing written.
// CHECK-LABEL: func.func @branch
// CHECK: %[[KEPT:.*]]:2 = scf.if
// CHECK-NEXT: %[[E:.*]] = "weft.exp"
// CHECK-NEXT: %[[S:.*]] = "weft.sin"
// CHECK-NEXT: scf.yield %[[S]], %[[E]]
// CHECK: %[[NOTHING:.*]] = "weft.empty"
// CHECK-NEXT: scf.yield %{{.*}}, %[[NOTHING]]
// CHECK: scf.if
// CHECK-NEXT: "weft.cos"(%[[KEPT]]#1)
// CHECK-NOT: "weft.add"
func.func @branch(%p: tensor<i1>, %x: tensor<8xf64>, %c: tensor<8xf64>) -> tensor<8xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  %t = tensor.extract %p[] : tensor<i1>
  %y = scf.if %t -> tensor<8xf64> {
    %e = "weft.exp"(%v) : (tensor<8xf64>) -> tensor<8xf64>
    %s = "weft.sin"(%e) : (tensor<8xf64>) -> tensor<8xf64>
    scf.yield %s : tensor<8xf64>
  } else {
    %n = "weft.negative"(%v) : (tensor<8xf64>) -> tensor<8xf64>
    scf.yield %n : tensor<8xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  return %g : tensor<8xf64>
}

// What has another size in each iteration goes behind the others in a buffer that grows; where it begins is kept.
// CHECK-LABEL: func.func @pieces
// CHECK: %[[STARTS:.*]] = "weft.empty"() {dtype = i64, shape = array<i64: 50>}
// CHECK: "weft.empty"() {dtype = f64, shape = array<i64: 64>}
// CHECK: scf.for
// CHECK: "weft.greater"
// CHECK: scf.if
// CHECK: "weft.concat"
// CHECK: "weft.dynamic_slice_update"
// CHECK: "weft.scatter"
// CHECK: scf.for
// CHECK: "weft.gather"
// CHECK: "weft.dynamic_slice"
func.func @pieces(%x: tensor<8xf64>) -> tensor<8xf64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 50 : index
  %step = arith.constant 1 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %zero) -> tensor<f64> {
    %c = arith.index_cast %i : index to i64
    %n = tensor.from_elements %c : tensor<i64>
    %a = "weft.dynamic_slice"(%v, %n) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<8xf64>, tensor<i64>) -> tensor<?xf64>
    %b = "weft.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %t = "weft.sum"(%b) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
    %next = "weft.add"(%s, %t) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<8xf64>) -> tensor<8xf64>
  return %g : tensor<8xf64>
}

// Extents that are known in front of the loop are those of the rows.
// CHECK-LABEL: func.func @rows
// CHECK: %[[N:.*]] = "weft.dim"
// CHECK: "weft.empty"(%[[N]]) {dtype = f64, shape = array<i64: 50, -1>}
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: return
func.func @rows(%x: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<?xf64>) -> tensor<?xf64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 50 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %v) -> tensor<?xf64> {
    %next = "weft.sin"(%s) : (tensor<?xf64>) -> tensor<?xf64>
    scf.yield %next : tensor<?xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %g : tensor<?xf64>
}
