// RUN: weft-opt %s --weft-differentiate --cse --canonicalize --weft-simplify | filecheck %s

// 400 rows of 800 bytes are more than may be kept: pieces of 20 iterations run again, but for the last.
module attributes {weft.gradient_memory = 100000 : i64} {
// CHECK-LABEL: func.func @cut
// CHECK-DAG: %[[PIECES:.*]] = "weft.empty"() {dtype = f64, shape = array<i64: 20, 100>}
// CHECK-DAG: %[[STACK:.*]] = "weft.empty"() {dtype = f64, shape = array<i64: 20, 100>}
// CHECK: scf.for {{.*}} to %c400 step %c20
// CHECK: scf.for {{.*}} to %c20
// CHECK: "weft.scatter"
// CHECK: {weft.piece}
// CHECK: "weft.scatter"
// CHECK: scf.for %[[I:.*]] = %c0 to %c20 step %c1
// CHECK: arith.cmpi eq, %[[I]], %c0
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK: "weft.scatter"
// CHECK: {weft.piece}
// CHECK: scf.for
// CHECK: "weft.cos"
func.func @cut(%x: tensor<100xf64>, %c: tensor<100xf64>) -> tensor<100xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<100xf64>) -> tensor<100xf64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 400 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %v) -> tensor<100xf64> {
    %next = "weft.sin"(%s) : (tensor<100xf64>) -> tensor<100xf64>
    scf.yield %next : tensor<100xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<100xf64>, tensor<100xf64>, tensor<100xf64>) -> tensor<100xf64>
  return %g : tensor<100xf64>
}

// Few iterations are kept as they are.
// CHECK-LABEL: func.func @short
// CHECK-NOT: weft.piece
// CHECK: return
func.func @short(%x: tensor<100xf64>, %c: tensor<100xf64>) -> tensor<100xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<100xf64>) -> tensor<100xf64>
  %lower = arith.constant 0 : index
  %upper = arith.constant 100 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %upper step %step iter_args(%s = %v) -> tensor<100xf64> {
    %next = "weft.sin"(%s) : (tensor<100xf64>) -> tensor<100xf64>
    scf.yield %next : tensor<100xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<100xf64>, tensor<100xf64>, tensor<100xf64>) -> tensor<100xf64>
  return %g : tensor<100xf64>
}

// At run time the length of a piece is chosen: all iterations where there are few.
// CHECK-LABEL: func.func @run_time
// CHECK: "weft.sqrt"
// CHECK: %[[LENGTH:.*]] = "weft.select"
// CHECK: %[[N:.*]] = arith.index_cast
// CHECK: scf.for {{.*}} step %[[N]]
// CHECK: arith.minsi
// CHECK: {weft.piece}
func.func @run_time(%x: tensor<100xf64>, %c: tensor<100xf64>, %n: index) -> tensor<100xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<100xf64>) -> tensor<100xf64>
  %lower = arith.constant 0 : index
  %step = arith.constant 1 : index
  %y = scf.for %i = %lower to %n step %step iter_args(%s = %v) -> tensor<100xf64> {
    %next = "weft.sin"(%s) : (tensor<100xf64>) -> tensor<100xf64>
    scf.yield %next : tensor<100xf64>
  }
  %g = "weft.gradient"(%y, %c, %v) : (tensor<100xf64>, tensor<100xf64>, tensor<100xf64>) -> tensor<100xf64>
  return %g : tensor<100xf64>
}
}
