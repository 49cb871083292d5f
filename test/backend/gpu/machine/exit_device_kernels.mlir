// RUN: weft-opt %s --exit-device-kernels | filecheck %s

// CHECK: gpu.module @kernel_0_device
// CHECK-NOT: @weft_exit
// CHECK-LABEL: llvm.func @kernel_0(
// CHECK: ^bb1:
// CHECK-NEXT: llvm.return
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: llvm.return
gpu.module @kernel_0_device {
  llvm.func @weft_exit()
  llvm.func @kernel_0(%condition: i1) attributes {nvvm.kernel} {
    llvm.cond_br %condition, ^failed, ^rest
  ^failed:
    llvm.call @weft_exit() : () -> ()
    llvm.br ^rest
  ^rest:
    llvm.return
  }
}
