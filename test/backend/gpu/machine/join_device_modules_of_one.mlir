// RUN: weft-opt %s --join-device-modules | filecheck %s

// There is nothing to join.
// CHECK: gpu.launch_func @kernel_3_device::@kernel_3 blocks
// CHECK: gpu.module @kernel_3_device
// CHECK-NEXT: gpu.func @kernel_3(
module attributes {gpu.container_module} {
  func.func @kernel_3() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernel_3_device::@kernel_3 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernel_3_device {
    gpu.func @kernel_3() kernel { gpu.return }
  }
}
