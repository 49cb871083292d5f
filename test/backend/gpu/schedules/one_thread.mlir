// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a | filecheck %s

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
