// RUN: weft-opt %s --target=x86-64-v3 --shorten-divisions | filecheck %s
// RUN: weft-opt %s --target=x86-64-v2 --shorten-divisions | filecheck %s --check-prefix=NONE

// Without fused multiply-adds nothing changes.
// NONE-NOT: scf.if

// Each element waits for the one before.
// CHECK-LABEL: func.func @chain
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: math.absf %[[SUM]]
// CHECK: %[[UNUSUAL:.*]] = llvm.intr.expect
// CHECK: scf.if %[[UNUSUAL]] -> (f64)
// CHECK: arith.divf %[[SUM]]
// CHECK: else
// CHECK: %[[LOW:.*]] = arith.mulf %[[SUM]]
// CHECK: math.fma %[[SUM]], %{{.*}}, %[[LOW]]
func.func @chain(%a: memref<100xf64>) {
  %one = arith.constant 1 : index
  %end = arith.constant 100 : index
  %nine = arith.constant 9.0 : f64
  scf.for %i = %one to %end step %one {
    %j = arith.subi %i, %one : index
    %x = memref.load %a[%i] : memref<100xf64>
    %y = memref.load %a[%j] : memref<100xf64>
    %s = arith.addf %x, %y : f64
    %q = arith.divf %s, %nine : f64
    memref.store %q, %a[%i] : memref<100xf64>
  }
  return
}

// A number that the loop carries.
// CHECK-LABEL: func.func @carried
// CHECK: math.fma
func.func @carried(%a: memref<100xf32>, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 100 : index
  %ten = arith.constant 10.0 : f32
  %r = scf.for %i = %zero to %end step %one iter_args(%c = %x) -> f32 {
    %y = memref.load %a[%i] : memref<100xf32>
    %s = arith.addf %c, %y : f32
    %q = arith.divf %s, %ten : f32
    scf.yield %q : f32
  }
  return %r : f32
}

// Nothing waits for what is divided element by element, nor for what another array gets.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: math.fma
// CHECK: return
func.func @apart(%a: memref<100xf64>, %b: memref<100xf64>) {
  %one = arith.constant 1 : index
  %end = arith.constant 100 : index
  %nine = arith.constant 9.0 : f64
  scf.for %i = %one to %end step %one {
    %j = arith.subi %i, %one : index
    %x = memref.load %a[%i] : memref<100xf64>
    %q = arith.divf %x, %nine : f64
    memref.store %q, %a[%i] : memref<100xf64>
    %y = memref.load %b[%j] : memref<100xf64>
    %p = arith.divf %y, %nine : f64
    memref.store %p, %a[%i] : memref<100xf64>
  }
  return
}

// By powers of two LLVM multiplies; what is not the same for all iterations has no reciprocal here.
// CHECK-LABEL: func.func @others
// CHECK-NOT: math.fma
// CHECK: return
func.func @others(%a: memref<100xf64>, %d: f64) {
  %one = arith.constant 1 : index
  %end = arith.constant 100 : index
  %eight = arith.constant 8.0 : f64
  scf.for %i = %one to %end step %one {
    %j = arith.subi %i, %one : index
    %x = memref.load %a[%j] : memref<100xf64>
    %q = arith.divf %x, %eight : f64
    %p = arith.divf %q, %d : f64
    memref.store %p, %a[%i] : memref<100xf64>
  }
  return
}
