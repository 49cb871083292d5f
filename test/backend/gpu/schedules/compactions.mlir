// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// Blocks count, and then write behind each other; the last one stores how many there are.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.alloc () : memref<132xi64>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_counts blocks in (%c13, %c1, %c1)
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%c13, %c1, %c1)
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: "compactions: what is kept lies behind what was kept before; slices, behind those before them"
// CHECK: gpu.shuffle up
// CHECK: linalg.generic
func.func private @kernel_0(%flags: memref<50000xi8>, %out: memref<50000xi64>, %total: memref<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50000 : index
  %none = arith.constant 0 : i8
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %c0) -> (index) {
    %f = memref.load %flags[%i] : memref<50000xi8>
    %keeps = arith.cmpi ne, %f, %none : i8
    %place = arith.index_cast %i : index to i64
    memref.store %place, %out[%kept] : memref<50000xi64>
    %one = arith.index_castui %keeps : i1 to index
    %next = arith.addi %kept, %one : index
    scf.yield %next : index
  }
  %word = arith.index_cast %count : index to i64
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%word : i64) outs(%total : memref<i64>) {
  ^bb0(%a: i64, %o: i64):
    linalg.yield %a : i64
  }
  return
}

// -----

// A few are one block's.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: "compactions: what is kept lies behind what was kept before; one block"
// What asks how many are kept so far, or counts by more than one, is no compaction.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: "one thread:
// CHECK-LABEL: func.func private @kernel_3
// CHECK: "one thread:
func.func private @kernel_1(%flags: memref<500xi1>, %x: memref<500xf32>, %out: memref<500xf32>, %total: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %c0) -> (index) {
    %keeps = memref.load %flags[%i] : memref<500xi1>
    %a = memref.load %x[%i] : memref<500xf32>
    memref.store %a, %out[%kept] : memref<500xf32>
    %one = arith.index_castui %keeps : i1 to index
    %next = arith.addi %kept, %one : index
    scf.yield %next : index
  }
  memref.store %count, %total[] : memref<index>
  return
}
func.func private @kernel_2(%flags: memref<500xi1>, %x: memref<500xf32>, %out: memref<500xf32>, %total: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %c0) -> (index) {
    %keeps = memref.load %flags[%i] : memref<500xi1>
    %a = memref.load %x[%kept] : memref<500xf32>
    memref.store %a, %out[%kept] : memref<500xf32>
    %one = arith.index_castui %keeps : i1 to index
    %next = arith.addi %kept, %one : index
    scf.yield %next : index
  }
  memref.store %count, %total[] : memref<index>
  return
}
func.func private @kernel_3(%flags: memref<500xi8>, %x: memref<500xf32>, %out: memref<500xf32>, %total: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %c0) -> (index) {
    %number = memref.load %flags[%i] : memref<500xi8>
    %a = memref.load %x[%i] : memref<500xf32>
    memref.store %a, %out[%kept] : memref<500xf32>
    %some = arith.index_castui %number : i8 to index
    %next = arith.addi %kept, %some : index
    scf.yield %next : index
  }
  memref.store %count, %total[] : memref<index>
  return
}
