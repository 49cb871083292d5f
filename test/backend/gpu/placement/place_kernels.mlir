// RUN: weft-opt %s --place-kernels | filecheck %s

// What it returns, the host needs.
// CHECK: @kernel_0({{.*}} attributes {weft.accesses = ["r", "w"], weft.reason = "it returns numbers that the host needs", weft.side = "host"}
func.func private @kernel_0(%x: memref<4xf64>, %y: memref<4xf64>) -> i64 {
  %tensor = bufferization.to_tensor %x restrict : memref<4xf64> to tensor<4xf64>
  bufferization.materialize_in_destination %tensor in restrict writable %y : (tensor<4xf64>, memref<4xf64>) -> ()
  %c7 = arith.constant 7 : i64
  return %c7 : i64
}

// CHECK: @kernel_1({{.*}} attributes {weft.accesses = ["rw", ""], weft.reason = "all that it uses is there", weft.side = "device"}
func.func private @kernel_1(%x: memref<4xf64>, %n: index) {
  %tensor = bufferization.to_tensor %x restrict writable : memref<4xf64> to tensor<4xf64>
  bufferization.materialize_in_destination %tensor in restrict writable %x : (tensor<4xf64>, memref<4xf64>) -> ()
  return
}

// What raises, raises on the device; other functions are the host's.
// CHECK: @kernel_2({{.*}}weft.side = "device"}
func.func private @kernel_2(%x: memref<4xf64>, %record: memref<20xi64>) {
  func.call @weft_exit() : () -> ()
  return
}

// CHECK: @kernel_3({{.*}}weft.reason = "it calls functions of the host", weft.side = "host"}
func.func private @kernel_3(%x: memref<4xf64>) {
  func.call @other() : () -> ()
  return
}

// Sorts are the device's where rows lie behind each other.
// CHECK: @kernel_4({{.*}}weft.reason = "all that it uses is there", weft.side = "device"}
func.func private @kernel_4(%x: memref<8xi32>, %y: memref<8xi32>) {
  %tensor = bufferization.to_tensor %x restrict : memref<8xi32> to tensor<8xi32>
  %sorted = "weft.sort"(%tensor) {axis = 0 : i64, descending = false} : (tensor<8xi32>) -> tensor<8xi32>
  bufferization.materialize_in_destination %sorted in restrict writable %y : (tensor<8xi32>, memref<8xi32>) -> ()
  return
}

// CHECK: @kernel_5({{.*}}weft.reason = "it sorts what lies in memory with gaps", weft.side = "host"}
func.func private @kernel_5(%x: memref<8xi32, strided<[2]>>, %y: memref<8xi32>) {
  %tensor = bufferization.to_tensor %x restrict : memref<8xi32, strided<[2]>> to tensor<8xi32>
  %sorted = "weft.sort"(%tensor) {axis = 0 : i64, descending = false} : (tensor<8xi32>) -> tensor<8xi32>
  bufferization.materialize_in_destination %sorted in restrict writable %y : (tensor<8xi32>, memref<8xi32>) -> ()
  return
}

// A library of the device does what it can.
// CHECK: @kernel_6({{.*}}weft.reason = "a library of the device does it", weft.side = "library"}
func.func private @kernel_6(%x: memref<4x4xf64>) {
  %0 = bufferization.to_tensor %x restrict writable : memref<4x4xf64> to tensor<4x4xf64>
  %1:2 = "weft.call_library"(%0) {routine = "cusolver.cholesky_lo", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i64>)
  bufferization.materialize_in_destination %1#0 in restrict writable %x : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func private @weft_exit()
func.func private @other()

// Functions that are no kernels stay as they are.
// CHECK: func.func @f()
// CHECK-NOT: weft.side
func.func @f() {
  return
}
