// RUN: weft-opt %s --interleave-searches | filecheck %s

// Each round of the inner loop reads where the one before said: LLVM is told to work on several elements.
// CHECK-DAG: #[[I:.*]] = #llvm.loop_interleave<count = 8 : i32>
// CHECK-DAG: #[[A:.*]] = #llvm.loop_annotation<{{.*}}interleave = #[[I]]
// CHECK-LABEL: func.func @search(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: memref.store
// CHECK-NEXT: } {loop_annotation = #[[A]]}
func.func @search(%keys: memref<100xf64>, %values: memref<?xf64>, %places: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %values[%i] : memref<?xf64>
    %place = scf.for %step = %c0 to %c7 step %c1 iter_args(%start = %c0) -> (index) {
      %next = arith.addi %start, %c1 : index
      %key = memref.load %keys[%next] : memref<100xf64>
      %is_after = arith.cmpf olt, %key, %value : f64
      %chosen = arith.select %is_after, %next, %start : index
      scf.yield %chosen : index
    }
    memref.store %place, %places[%i] : memref<?xindex>
  }
  return
}

// What is read does not depend on what was read; the number of rounds is not known; the outer loop carries something.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: loop_annotation
func.func @others(%keys: memref<100xf64>, %places: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %sum = scf.for %step = %c0 to %c7 step %c1 iter_args(%start = %zero) -> (f64) {
      %key = memref.load %keys[%step] : memref<100xf64>
      %next = arith.addf %start, %key : f64
      scf.yield %next : f64
    }
    memref.store %sum, %keys[%i] : memref<100xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %place = scf.for %step = %c0 to %n step %c1 iter_args(%start = %i) -> (index) {
      %next = memref.load %places[%start] : memref<?xindex>
      scf.yield %next : index
    }
    memref.store %place, %places[%i] : memref<?xindex>
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (index) {
    %place = scf.for %step = %c0 to %c7 step %c1 iter_args(%start = %before) -> (index) {
      %next = memref.load %places[%start] : memref<?xindex>
      scf.yield %next : index
    }
    scf.yield %place : index
  }
  return %last : index
}
