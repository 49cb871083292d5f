// RUN: weft-opt %s --target=sm_90a --pass-tensor-maps | filecheck %s

// The driver copies a tensor map with the launch, and the kernel takes its address.
// CHECK: llvm.func @f(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
gpu.module @m {
  llvm.func @f(%x: !llvm.ptr {llvm.noalias}, %map: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, weft.tensor_maps = array<i64: 1>} {
    llvm.return
  }
}
