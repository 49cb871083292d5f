// RUN: weft-opt %s --join-stores --split-input-file | filecheck %s

// Two stores at one place are one, of a choice, and so in a branch in a branch.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: (%[[P:.*]]: i1, %[[Q:.*]]: i1, %[[A:.*]]: f64, %[[B:.*]]: f64, %[[Y:.*]]: memref<8xf64>, %[[I:.*]]: index)
// CHECK: %[[KEPT:.*]]:2 = scf.if %[[P]] -> (f64, f64)
// CHECK-NEXT: scf.yield %[[A]], %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[OTHER:.*]] = arith.select %[[Q]], %[[B]], %[[A]]
// CHECK-NEXT: scf.yield %[[B]], %[[OTHER]]
// CHECK: memref.store %[[KEPT]]#1, %[[Y]][%[[I]]]
// CHECK-NEXT: memref.store %[[KEPT]]#0, %[[Y]][%[[I]]]
func.func private @kernel_0(%p: i1, %q: i1, %a: f64, %b: f64, %y: memref<8xf64>, %i: index) {
  %r = scf.if %p -> (f64) {
    memref.store %a, %y[%i] : memref<8xf64>
    scf.yield %a : f64
  } else {
    scf.if %q {
      memref.store %b, %y[%i] : memref<8xf64>
    } else {
      memref.store %a, %y[%i] : memref<8xf64>
    }
    scf.yield %b : f64
  }
  memref.store %r, %y[%i] : memref<8xf64>
  return
}

// -----

// Not what is stored at two places, by one way only, or before something else.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: arith.select
// CHECK-COUNT-5: memref.store
// CHECK-NOT: arith.select
func.func private @kernel_0(%p: i1, %a: f64, %y: memref<8xf64>, %i: index, %j: index) {
  scf.if %p {
    memref.store %a, %y[%i] : memref<8xf64>
  } else {
    memref.store %a, %y[%j] : memref<8xf64>
  }
  scf.if %p {
    memref.store %a, %y[%i] : memref<8xf64>
  }
  %r = scf.if %p -> (f64) {
    memref.store %a, %y[%i] : memref<8xf64>
    scf.yield %a : f64
  } else {
    memref.store %a, %y[%i] : memref<8xf64>
    %n = memref.load %y[%j] : memref<8xf64>
    scf.yield %n : f64
  }
  return
}
