// RUN: weft-opt %s --share-kernels | filecheck %s

// A long kernel that writes its second argument, and a short one.
func.func private @long(%a: memref<1000000xf32>, %o: memref<1000000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %x = arith.constant 1.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> f32 {
    %0 = memref.load %a[%i] : memref<1000000xf32>
    %1 = arith.mulf %t, %0 : f32
    memref.store %1, %o[%i] : memref<1000000xf32>
    scf.yield %1 : f32
  }
  return
}

func.func private @short(%a: memref<1000000xf32>, %o: memref<1000000xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %a[%c0] : memref<1000000xf32>
  memref.store %0, %o[%c0] : memref<1000000xf32>
  return
}

// Kernels that only read the same memory are independent; views of the workspace are apart where their bytes are.
// CHECK-LABEL: func.func @apart.kernels_0(
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index, %[[A:[a-z0-9]+]]: memref<1000000xf32>, %[[W:[a-z0-9]+]]: memref<8000000xi8>)
// CHECK-DAG: %[[LOW:.*]] = memref.view %[[W]][%c0{{.*}}][]
// CHECK-DAG: %[[HIGH:.*]] = memref.view %[[W]][%c4000000{{.*}}][]
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: arith.cmpi eq, %[[I]], %c0
// CHECK: scf.if
// CHECK-NEXT: call @long(%[[A]], %[[LOW]])
// CHECK: arith.cmpi eq, %[[I]], %c1
// CHECK: scf.if
// CHECK-NEXT: call @long(%[[A]], %[[HIGH]])
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: call @long
// CHECK: call @apart.kernels_0.parallel(%c2{{.*}}, %c1{{.*}}, %arg0, %arg1)
// CHECK-NOT: call @long
// CHECK: return
func.func @apart(%a: memref<1000000xf32>, %w: memref<8000000xi8>) {
  %c0 = arith.constant 0 : index
  %half = arith.constant 4000000 : index
  %u = memref.view %w[%c0][] : memref<8000000xi8> to memref<1000000xf32>
  func.call @long(%a, %u) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  %v = memref.view %w[%half][] : memref<8000000xi8> to memref<1000000xf32>
  func.call @long(%a, %v) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  return
}

// What one writes and the other reads or writes keeps them in order, and so do bytes in common.
// CHECK-LABEL: func.func @ordered(
// CHECK-NEXT: arith.constant
// CHECK-NEXT: memref.view
// CHECK-NEXT: arith.constant
// CHECK-NEXT: memref.view
// CHECK-NEXT: call @long
// CHECK-NEXT: call @long
// CHECK-NEXT: call @long
// CHECK-NEXT: return
func.func @ordered(%a: memref<1000000xf32>, %b: memref<1000000xf32>, %w: memref<8000000xi8>) {
  %c0 = arith.constant 0 : index
  %u = memref.view %w[%c0][] : memref<8000000xi8> to memref<1000000xf32>
  %c64 = arith.constant 64 : index
  %v = memref.view %w[%c64][] : memref<8000000xi8> to memref<1000000xf32>
  func.call @long(%a, %u) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%b, %v) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%v, %b) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  return
}

// Chains run side by side, each in order; what depends on both stays behind.
// CHECK-LABEL: func.func @chains.kernels_1(
// CHECK: scf.if
// CHECK-NEXT: call @long(%arg2, %arg3)
// CHECK-NEXT: call @short(%arg3, %arg2)
// CHECK: scf.if
// CHECK-NEXT: call @long(%arg4, %arg5)
// CHECK-NEXT: call @long(%arg5, %arg6)
// CHECK-LABEL: func.func @chains(
// CHECK: call @chains.kernels_1.parallel(%c2, %c1, %arg4, %arg2, %arg0, %arg1, %arg3)
// CHECK-NEXT: call @long(%arg2, %arg3)
// CHECK-NEXT: return
func.func @chains(%a: memref<1000000xf32>, %b: memref<1000000xf32>, %c: memref<1000000xf32>, %d: memref<1000000xf32>,
                  %e: memref<1000000xf32>) {
  func.call @long(%a, %b) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%e, %c) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @short(%c, %e) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%b, %d) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%c, %d) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  return
}

// Short kernels are not worth it.
// CHECK-LABEL: func.func @few(
// CHECK-NEXT: call @short
// CHECK-NEXT: call @long
// CHECK-NEXT: return
func.func @few(%a: memref<1000000xf32>, %b: memref<1000000xf32>, %c: memref<1000000xf32>, %d: memref<1000000xf32>) {
  func.call @short(%a, %b) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  func.call @long(%c, %d) : (memref<1000000xf32>, memref<1000000xf32>) -> ()
  return
}

// What looks for signals, or may end the call, does so in the thread that called.
func.func private @weft_poll(memref<20xi64>, i64) -> i64

func.func private @interruptible(%a: memref<1000000xf32>, %o: memref<1000000xf32>, %record: memref<20xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %period = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %a[%i] : memref<1000000xf32>
    memref.store %0, %o[%i] : memref<1000000xf32>
    %1 = func.call @weft_poll(%record, %period) : (memref<20xi64>, i64) -> i64
  }
  return
}

// CHECK-LABEL: func.func @looking(
// CHECK-NEXT: call @interruptible
// CHECK-NEXT: call @interruptible
// CHECK-NEXT: return
func.func @looking(%a: memref<1000000xf32>, %b: memref<1000000xf32>, %r: memref<20xi64>, %c: memref<1000000xf32>,
                   %d: memref<1000000xf32>, %s: memref<20xi64>) {
  func.call @interruptible(%a, %b, %r) : (memref<1000000xf32>, memref<1000000xf32>, memref<20xi64>) -> ()
  func.call @interruptible(%c, %d, %s) : (memref<1000000xf32>, memref<1000000xf32>, memref<20xi64>) -> ()
  return
}
