// RUN: weft-opt %s --weft-optimize | filecheck %s
// RUN: weft-opt %s --canonicalize --cse --loop-invariant-code-motion --symbol-dce | filecheck %s --check-prefix=UPSTREAM

func.func private @host.0(tensor<?x3xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<ui8>)
func.func private @host.1()

// Equal calls are neither merged nor removed, and their order stays.

// CHECK-LABEL: func.func @twice
// UPSTREAM-LABEL: func.func @twice
func.func @twice(%x: tensor<?x3xf32>, %b: tensor<i1>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[FIRST:.*]]:2 = call @host.0(%arg0, %arg1) : (tensor<?x3xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<ui8>)
  // CHECK-NEXT: call @host.1() : () -> ()
  // CHECK-NEXT: call @host.0(%arg0, %arg1)
  // CHECK-NEXT: return %[[FIRST]]#0
  // UPSTREAM-NEXT: %[[FIRST:.*]]:2 = call @host.0(%arg0, %arg1)
  // UPSTREAM-NEXT: call @host.1()
  // UPSTREAM-NEXT: call @host.0(%arg0, %arg1)
  // UPSTREAM-NEXT: return %[[FIRST]]#0
  %r:2 = func.call @host.0(%x, %b) : (tensor<?x3xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<ui8>)
  func.call @host.1() : () -> ()
  %s:2 = func.call @host.0(%x, %b) : (tensor<?x3xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<ui8>)
  return %r#0 : tensor<2xf32>
}

// A call that does not depend on the loop is made in every iteration.

// UPSTREAM-LABEL: func.func @loop
// UPSTREAM: scf.for
// UPSTREAM-NEXT: func.call @host.1()
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @host.1() : () -> ()
  }
  return
}

// What was written to an argument is there before Python is called, and is not written early.

// CHECK-LABEL: func.func @written
func.func @written(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<3xf32>, %y: tensor<3xf32>) {
  // CHECK-NEXT: "weft.write_ref"(%arg0, %arg1)
  // CHECK-NEXT: call @host.1()
  // CHECK-NEXT: "weft.write_ref"(%arg0, %arg2)
  // CHECK-NEXT: return
  "weft.write_ref"(%ref, %y) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  func.call @host.1() : () -> ()
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  "weft.write_ref"(%ref, %y) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  return
}

// Work without effects in between is merged across a call, as no Python function can change a value.

// CHECK-LABEL: func.func @values
// CHECK: %[[N:.*]] = "weft.negative"
// CHECK-NEXT: call @host.1()
// CHECK-NOT: "weft.negative"
// CHECK: "weft.exp"(%[[N]])
func.func @values(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %n = "weft.negative"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  func.call @host.1() : () -> ()
  %m = "weft.negative"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %e = "weft.exp"(%m) : (tensor<3xf32>) -> tensor<3xf32>
  return %n, %e : tensor<3xf32>, tensor<3xf32>
}
