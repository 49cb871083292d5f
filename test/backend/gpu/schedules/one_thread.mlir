// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --split-input-file | filecheck %s

// What is computed of an element that the kernel overwrites stands behind the load.
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: weft.schedule = "one thread:
// CHECK: %[[NUMBER:.*]] = memref.load
// CHECK: %[[ELEMENT:.*]] = memref.load
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[NUMBER]], %[[ELEMENT]]
// CHECK: memref.store %[[QUOTIENT]]
func.func private @kernel_0(%number: memref<f64>, %i: index, %j: index, %x: memref<8x8xf64>) attributes {weft.side = "device"} {
  %0 = memref.load %number[] : memref<f64>
  %1 = memref.load %x[%j, %j] : memref<8x8xf64>
  %2 = arith.divf %0, %1 : f64
  memref.store %2, %x[%i, %j] : memref<8x8xf64>
  return
}

// -----

// Steps that follow each other are one launch; a nest between them has its own.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-3: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: weft.schedule = "one thread: memref.store and scf.for is one step after the other"
func.func private @kernel_1(%a: f32, %x: memref<16xf32>, %y: memref<16xf32>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  memref.store %a, %x[%c0] : memref<16xf32>
  scf.for %i = %c0 to %c15 step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %next = arith.addi %i, %c1 : index
    memref.store %0, %x[%next] : memref<16xf32>
  }
  memref.store %a, %x[%c1] : memref<16xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  }
  memref.store %a, %y[%c1] : memref<16xf32>
  return
}
