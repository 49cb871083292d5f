// RUN: weft-opt %s --join-device-modules | filecheck %s

// Launches of all kernels name the first module; what several kernels have is there once.
// CHECK-LABEL: func.func @kernel_0
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_rest blocks
// CHECK: gpu.module @kernel_0_device
// CHECK: memref.global "private" constant @weft_table : memref<2xf32>
// CHECK: gpu.func @kernel_0(
// CHECK: gpu.func @kernel_0_rest(
// CHECK-NOT: @weft_table
// CHECK: memref.global "private" constant @weft_other_table : memref<2xf32>
// CHECK: gpu.func @kernel_1(
// CHECK-LABEL: func.func @kernel_1
// CHECK: gpu.launch_func @kernel_0_device::@kernel_1 blocks
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  func.func @kernel_0() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernel_0_device::@kernel_0_rest blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernel_0_device {
    memref.global "private" constant @weft_table : memref<2xf32> = dense<[1.0, 2.0]>
    gpu.func @kernel_0() kernel { gpu.return }
    gpu.func @kernel_0_rest() kernel { gpu.return }
  }
  func.func @kernel_1() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernel_1_device::@kernel_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernel_1_device {
    memref.global "private" constant @weft_table : memref<2xf32> = dense<[1.0, 2.0]>
    memref.global "private" constant @weft_other_table : memref<2xf32> = dense<[3.0, 4.0]>
    gpu.func @kernel_1() kernel { gpu.return }
  }
}
