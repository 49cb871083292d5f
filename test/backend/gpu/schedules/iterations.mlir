// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// Loops in each other, of which each iteration writes an element of its own: a thread for each.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.launch_func {{.*}} threads in (%c128, %c1, %c1)
// CHECK: "iterations: none needs another"
// CHECK-NOT: scf.for
// CHECK: scf.while
func.func private @kernel_0(%a: memref<?x20xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %big = arith.constant 1.0e3 : f64
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c19 step %c1 {
      %next = arith.addi %j, %c1 : index
      %x = memref.load %a[%i, %next] : memref<?x20xf64>
      %y = scf.while (%v = %x) : (f64) -> f64 {
        %more = arith.cmpf olt, %v, %big : f64
        scf.condition(%more) %v : f64
      } do {
      ^bb0(%v: f64):
        %w = arith.mulf %v, %v : f64
        scf.yield %w : f64
      }
      memref.store %y, %a[%i, %next] : memref<?x20xf64>
    }
  }
  return
}

// -----

// An element that the iteration before writes is read: one thread.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_1(%a: memref<20xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  scf.for %i = %c0 to %c19 step %c1 {
    %next = arith.addi %i, %c1 : index
    %x = memref.load %a[%i] : memref<20xf64>
    memref.store %x, %a[%next] : memref<20xf64>
  }
  return
}

// -----

// Where an iteration writes, data decides: one thread.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: "one thread: scf.for is one step after the other"
func.func private @kernel_2(%a: memref<20xindex>, %b: memref<20xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  scf.for %i = %c0 to %c19 step %c1 {
    %at = memref.load %a[%i] : memref<20xindex>
    memref.store %i, %b[%at] : memref<20xindex>
  }
  return
}

// -----

// Rows of which the inner loop needs the element before: a thread for each row.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: "iterations: none needs another"
// CHECK: scf.for
func.func private @kernel_3(%a: memref<50x20xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %c50 = arith.constant 50 : index
  scf.for %i = %c0 to %c50 step %c1 {
    scf.for %j = %c0 to %c19 step %c1 {
      %next = arith.addi %j, %c1 : index
      %x = memref.load %a[%i, %j] : memref<50x20xf64>
      memref.store %x, %a[%i, %next] : memref<50x20xf64>
    }
  }
  return
}

// -----

// Indices that are clamped are what they are: a check before has excluded others.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: "iterations: none needs another"
func.func private @kernel_4(%a: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %a, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %inside = arith.cmpi ult, %i, %size : index
    %at = arith.select %inside, %i, %c0 : index
    memref.store %i, %a[%at] : memref<?xindex>
  }
  return
}

// -----

// Iterations may raise: all run, and the first that has failed is done again.
// CHECK-LABEL: func.func private @kernel_5
// CHECK: gpu.launch_func @kernel_5_device::@kernel_5 {{ *}}blocks in (%{{.*}}) threads in (%c128
// CHECK: gpu.launch_func @kernel_5_device::@kernel_5_first {{ *}}blocks in (%c1
// CHECK-LABEL: gpu.func @kernel_5(
// CHECK: llvm.atomicrmw max
// CHECK-NEXT: func.call @weft_exit
// CHECK-LABEL: gpu.func @kernel_5_first(
// CHECK-NOT: llvm.atomicrmw
// CHECK: func.call @weft_exit
func.func private @kernel_5(%a: memref<50xf64>, %b: memref<50xf64>, %record: memref<20xi64>) attributes {weft.guarded} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c50 step %c1 {
    %x = memref.load %a[%i] : memref<50xf64>
    %bad = arith.cmpf olt, %x, %zero : f64
    scf.if %bad {
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    memref.store %x, %b[%i] : memref<50xf64>
  }
  return
}
func.func private @weft_exit()

// -----

// What is read is written, so that doing it again would be something else; and what the caller sees is written.
// CHECK-LABEL: func.func private @kernel_6
// CHECK: "one thread:
// CHECK-LABEL: func.func private @kernel_7
// CHECK: "one thread:
func.func private @kernel_6(%a: memref<50xf64>, %record: memref<20xi64>) attributes {weft.guarded} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c50 step %c1 {
    %x = memref.load %a[%i] : memref<50xf64>
    %bad = arith.cmpf olt, %x, %zero : f64
    memref.store %zero, %a[%i] : memref<50xf64>
    scf.if %bad {
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
  }
  return
}
func.func private @kernel_7(%a: memref<50xf64>, %b: memref<50xf64>, %record: memref<20xi64>) attributes {weft.guarded, weft.visible} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c50 step %c1 {
    %x = memref.load %a[%i] : memref<50xf64>
    %bad = arith.cmpf olt, %x, %zero : f64
    scf.if %bad {
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    memref.store %x, %b[%i] : memref<50xf64>
  }
  return
}
func.func private @weft_exit()

// -----

// A branch around a loop is one that all threads take or none.
// CHECK-LABEL: func.func private @kernel_20
// CHECK: gpu.launch_func
// CHECK: gpu.func
// CHECK-SAME: "iterations: none needs another"
// CHECK: scf.if
// CHECK: memref.store
func.func private @kernel_20(%flag: memref<i8>, %x: memref<200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %none = arith.constant 0 : i8
  %zero = arith.constant 0.0 : f32
  %f = memref.load %flag[] : memref<i8>
  %is_set = arith.cmpi ne, %f, %none : i8
  scf.if %is_set {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %x[%i] : memref<200xf32>
    }
  }
  return
}

// -----

// A loop whose length only the branch knows, and one that changes what the branch asks for, are one block's; the latter
// waits until all threads have asked.
// CHECK-LABEL: func.func private @kernel_21
// CHECK: "one block:
// CHECK-LABEL: func.func private @kernel_22
// CHECK: "one block:
// CHECK: memref.load
// CHECK: gpu.barrier
// CHECK: memref.store
func.func private @kernel_21(%is_set: i1, %m: index, %x: memref<200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.if %is_set {
    %n = arith.muli %m, %m : index
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %x[%i] : memref<200xf32>
    }
  }
  return
}
func.func private @kernel_22(%x: memref<200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %zero = arith.constant 0.0 : f32
  %f = memref.load %x[%c1] : memref<200xf32>
  %is_set = arith.cmpf ogt, %f, %zero : f32
  scf.if %is_set {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %x[%i] : memref<200xf32>
    }
  }
  return
}

// -----

// A row is made of the row before: a thread for each element, as no two accesses meet. With a row that may be the
// same, or one that the loop itself goes along, one thread.
// CHECK-LABEL: func.func private @kernel_30
// CHECK: "iterations: none needs another"
// CHECK-LABEL: func.func private @kernel_31
// CHECK: "one thread:
// CHECK-LABEL: func.func private @kernel_32
// CHECK: "one thread:
func.func private @kernel_30(%i: index, %w: index, %table: memref<20x200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %word = arith.index_cast %i : index to i64
  %one = arith.constant 1 : i64
  %sum = arith.addi %word, %one : i64
  %next = arith.index_cast %sum : i64 to index
  scf.for %j = %c0 to %c200 step %c1 {
    %far = arith.remui %j, %w : index
    %x = memref.load %table[%i, %far] : memref<20x200xf32>
    memref.store %x, %table[%next, %j] : memref<20x200xf32>
  }
  return
}
func.func private @kernel_31(%i: index, %next: index, %w: index, %table: memref<20x200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  scf.for %j = %c0 to %c200 step %c1 {
    %far = arith.remui %j, %w : index
    %x = memref.load %table[%i, %far] : memref<20x200xf32>
    memref.store %x, %table[%next, %j] : memref<20x200xf32>
  }
  return
}
func.func private @kernel_32(%table: memref<20x200xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  scf.for %i = %c0 to %c19 step %c1 {
    %next = arith.addi %i, %c1 : index
    %x = memref.load %table[%i, %c0] : memref<20x200xf32>
    memref.store %x, %table[%next, %c0] : memref<20x200xf32>
  }
  return
}

// -----

// An iteration that may raise reads the row before the one that it writes, so that it can be done again.
// CHECK-LABEL: func.func private @kernel_33
// CHECK: gpu.launch_func @kernel_33_device::@kernel_33_first
func.func private @kernel_33(%table: memref<2x50xf64>, %record: memref<20xi64>) attributes {weft.guarded} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c50 step %c1 {
    %x = memref.load %table[%c0, %i] : memref<2x50xf64>
    %bad = arith.cmpf olt, %x, %zero : f64
    scf.if %bad {
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    memref.store %x, %table[%c1, %i] : memref<2x50xf64>
  }
  return
}
func.func private @weft_exit()
