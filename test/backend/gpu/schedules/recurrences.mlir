// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --split-input-file | filecheck %s

// What slices make of numbers is found first; then each thread begins with the numbers that its iterations find.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.alloc () : memref<256xf64>
// CHECK: gpu.alloc () : memref<256xf64>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_maps
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0
// CHECK-DAG: "recurrences: each iteration needs numbers of the one before; what slices make of numbers"
// CHECK-DAG: "recurrences: each iteration needs numbers of the one before; slices, behind those before them"
// CHECK-DAG: gpu.shuffle up
func.func private @kernel_0(%a: memref<50000xf64>, %b: memref<50000xf64>, %y: memref<50000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50000 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %f = memref.load %a[%i] : memref<50000xf64>
    %g = memref.load %b[%i] : memref<50000xf64>
    %p = arith.mulf %f, %s : f64
    %t = arith.addf %p, %g : f64
    memref.store %t, %y[%i] : memref<50000xf64>
    scf.yield %t : f64
  }
  return
}

// -----

// A number that is handed on in memory is loaded once; of sums, the factor of what was before is not computed. The
// number behind the loop is stored by one thread.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-NOT: gpu.alloc
// CHECK: gpu.launch_func
// CHECK-NOT: arith.mulf
// CHECK: "recurrences: each iteration needs numbers of the one before; one block"
func.func private @kernel_1(%x: memref<2000xf32>, %y: memref<2001xf32>, %z: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2000 : index
  %zero = arith.constant 0.0 : f32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %f = memref.load %x[%i] : memref<2000xf32>
    %b = memref.load %y[%i] : memref<2001xf32>
    %j = arith.addi %i, %c1 : index
    %t = arith.addf %f, %b : f32
    memref.store %t, %y[%j] : memref<2001xf32>
    %more = arith.maximumf %s, %f : f32
    scf.yield %more : f32
  }
  memref.store %last, %z[] : memref<f32>
  return
}

// -----

// No map of a known kind: one thread.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_2(%a: memref<500xf64>, %y: memref<500xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %f = memref.load %a[%i] : memref<500xf64>
    %p = arith.mulf %s, %s : f64
    %t = arith.addf %p, %f : f64
    memref.store %t, %y[%i] : memref<500xf64>
    scf.yield %t : f64
  }
  return
}

// -----

// Few iterations keep their order.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_3(%a: memref<100xf64>, %y: memref<100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %f = memref.load %a[%i] : memref<100xf64>
    %t = arith.addf %s, %f : f64
    memref.store %t, %y[%i] : memref<100xf64>
    scf.yield %t : f64
  }
  return
}

// -----

// What a thread would do again where products overflow, others have written over: it is kept before.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: gpu.alloc {{.*}}memref<499xf64>
// CHECK: what it writes over is kept
// CHECK: one block"
func.func private @kernel_4(%y: memref<500xf64>, %r: f64) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  scf.for %i = %c1 to %n step %c1 {
    %j = arith.subi %i, %c1 : index
    %b = memref.load %y[%j] : memref<500xf64>
    %f = memref.load %y[%i] : memref<500xf64>
    %p = arith.mulf %b, %r : f64
    %t = arith.addf %p, %f : f64
    memref.store %t, %y[%i] : memref<500xf64>
  }
  return
}

// -----

// Elements that the loop reads far behind where it writes may be those of another thread.
// CHECK-LABEL: func.func private @kernel_5
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_5(%y: memref<500xi64>) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  scf.for %i = %c2 to %n step %c1 {
    %j = arith.subi %i, %c1 : index
    %k = arith.subi %i, %c2 : index
    %b = memref.load %y[%j] : memref<500xi64>
    %f = memref.load %y[%k] : memref<500xi64>
    %t = arith.addi %b, %f : i64
    memref.store %t, %y[%i] : memref<500xi64>
  }
  return
}

// -----

// One way of a branch, where the host has found no index wrong; the other one is one thread's.
// CHECK-LABEL: func.func private @kernel_6
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK-DAG: "recurrences: each iteration needs numbers of the one before; one block"
// CHECK-DAG: "one thread: the loop, where indices may be out of bounds"
func.func private @kernel_6(%fits: i1, %a: memref<1000xf64>, %b: memref<1000xf64>, %y: memref<1000xf64>, %z: memref<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.if %fits -> (f64) {
    %s1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %f = memref.load %a[%i] : memref<1000xf64>
      %t = arith.addf %s, %f : f64
      memref.store %t, %y[%i] : memref<1000xf64>
      scf.yield %t : f64
    }
    scf.yield %s1 : f64
  } else {
    %s1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %g = memref.load %b[%i] : memref<1000xf64>
      %p = arith.mulf %s, %g : f64
      memref.store %p, %y[%i] : memref<1000xf64>
      scf.yield %p : f64
    }
    scf.yield %s1 : f64
  }
  memref.store %last, %z[] : memref<f64>
  return
}

// -----

// Both ways of a branch that is more than the loop are one thread's.
// CHECK-LABEL: func.func private @kernel_7
// CHECK-NOT: "recurrences
// CHECK: "one thread:
func.func private @kernel_7(%fits: i1, %a: memref<1000xf64>, %y: memref<1000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %zero = arith.constant 0.0 : f64
  scf.if %fits {
    %s1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %f = memref.load %a[%i] : memref<1000xf64>
      %t = arith.addf %s, %f : f64
      memref.store %t, %y[%i] : memref<1000xf64>
      scf.yield %t : f64
    }
    memref.store %s1, %y[%n] : memref<1000xf64>
  } else {
    memref.store %zero, %y[%c0] : memref<1000xf64>
  }
  return
}

// -----

// A sum that is kept above a bound: of slices it is known what they add, and what is left at least.
// CHECK-LABEL: func.func private @kernel_8
// CHECK-COUNT-2: "recurrences
func.func private @kernel_8(%x: memref<9000xf64>, %k: f64, %y: memref<9000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9000 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<9000xf64>
    %t = arith.addf %s, %v : f64
    %u = arith.subf %t, %k : f64
    %p = arith.cmpf ogt, %u, %zero : f64
    %r = arith.select %p, %u, %zero : f64
    memref.store %r, %y[%i] : memref<9000xf64>
    scf.yield %r : f64
  }
  return
}

// -----

// What goes on from elsewhere than the bound is no such sum.
// CHECK-LABEL: func.func private @kernel_9
// CHECK-NOT: "recurrences
func.func private @kernel_9(%x: memref<9000xf64>, %k: f64, %y: memref<9000xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9000 : index
  %zero = arith.constant 0.0 : f64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<9000xf64>
    %t = arith.addf %s, %v : f64
    %p = arith.cmpf ogt, %t, %k : f64
    %r = arith.select %p, %zero, %t : f64
    memref.store %r, %y[%i] : memref<9000xf64>
    scf.yield %r : f64
  }
  return
}

// -----

// What is loaded behind the store is another number than the one that is kept.
// CHECK-LABEL: func.func private @kernel_10
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_10(%y: memref<500xf64>, %z: memref<500xf64>, %r: f64) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  scf.for %i = %c1 to %n step %c1 {
    %j = arith.subi %i, %c1 : index
    %b = memref.load %y[%j] : memref<500xf64>
    %p = arith.mulf %b, %r : f64
    memref.store %p, %y[%i] : memref<500xf64>
    %f = memref.load %y[%i] : memref<500xf64>
    memref.store %f, %z[%i] : memref<500xf64>
  }
  return
}

// -----

// A sum of integers within a bound: what is not near zero is marked, and then the iterations before are done again.
// CHECK-LABEL: func.func private @kernel_11
// CHECK: "recurrences: each iteration needs numbers of the one before; one block"
// CHECK-DAG: arith.maxsi
// CHECK-DAG: arith.cmpi ule
// CHECK-DAG: arith.select
func.func private @kernel_11(%x: memref<500xi64>, %y: memref<500xi64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c500 = arith.constant 500 : index
  %none = arith.constant 0 : i64
  %last = scf.for %i = %c0 to %c500 step %c1 iter_args(%s = %none) -> (i64) {
    %0 = memref.load %x[%i] : memref<500xi64>
    %1 = arith.addi %s, %0 : i64
    %2 = arith.maxsi %1, %none : i64
    memref.store %2, %y[%i] : memref<500xi64>
    scf.yield %2 : i64
  }
  return
}

// -----

// Of integers without a sign it is not known where they wrap.
// CHECK-LABEL: func.func private @kernel_12
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_12(%x: memref<500xi64>, %y: memref<500xi64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c500 = arith.constant 500 : index
  %none = arith.constant 0 : i64
  %last = scf.for %i = %c0 to %c500 step %c1 iter_args(%s = %none) -> (i64) {
    %0 = memref.load %x[%i] : memref<500xi64>
    %1 = arith.addi %s, %0 : i64
    %2 = arith.maxui %1, %none : i64
    memref.store %2, %y[%i] : memref<500xi64>
    scf.yield %2 : i64
  }
  return
}
