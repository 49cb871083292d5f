// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s
// RUN: weft-opt %s --schedule-device-kernels --target=sm_80 --canonicalize --cse --split-input-file | filecheck %s --check-prefix=EIGHT
// RUN: weft-opt %s --schedule-device-kernels --target=sm_86 --canonicalize --cse --split-input-file | filecheck %s --check-prefix=NONE
// RUN: weft-opt %s --schedule-device-kernels --target=sm_80+tf32 --canonicalize --cse --split-input-file | filecheck %s --check-prefix=SHORT

// Tensor cores add products of 16 rows, or of 8 on older cards, by 8 columns, 4 deep. A step has one barrier.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.launch_func {{.*}} blocks in (%c256, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: workgroup(%{{.*}} : memref<2x8x132xf64, #gpu.address_space<workgroup>>
// CHECK-SAME: "tensor cores f64: each term is a fused multiply-add; 128 by 128 by 8, 8 by 8 a thread"
// CHECK: scf.for
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k4.row.col.f64"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// EIGHT-LABEL: func.func private @kernel_0
// EIGHT: "tensor cores f64: each term is a fused multiply-add; 128 by 128 by 8, 8 by 8 a thread"
// EIGHT-COUNT-64: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"
// EIGHT-NOT: llvm.call_intrinsic
// NONE-LABEL: func.func private @kernel_0
// NONE: "products: tiles in shared memory; 64 by 64 by 8, 4 by 4 a thread"
// NONE-NOT: llvm.call_intrinsic
func.func private @kernel_0(%a: memref<2048x512xf64>, %b: memref<512x2048xf64>, %c: memref<2048x2048xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2048x512xf64>, memref<512x2048xf64>) outs(%c : memref<2048x2048xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %m = arith.mulf %x, %y : f64
    %s = arith.addf %o, %m : f64
    linalg.yield %s : f64
  }
  return
}

// -----

// Other numbers of 8 bytes have none.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: "products: tiles in shared memory
// CHECK-NOT: llvm.call_intrinsic
func.func private @kernel_1(%a: memref<512x512xi64>, %b: memref<512x512xi64>, %c: memref<512x512xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xi64>, memref<512x512xi64>) outs(%c : memref<512x512xi64>) {
  ^bb0(%x: i64, %y: i64, %o: i64):
    %m = arith.muli %x, %y : i64
    %s = arith.addi %o, %m : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// Numbers of f32 are rounded on their way to shared memory, where tf32 is wanted.
// SHORT-LABEL: func.func private @kernel_2
// SHORT: workgroup(%{{.*}} : memref<2x16x136xi32, #gpu.address_space<workgroup>>
// SHORT-SAME: "tensor cores tf32: factors are rounded to 11 bits; 128 by 128 by 16, 8 by 8 a thread"
// SHORT: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"
// SHORT: scf.for
// SHORT-COUNT-32: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// SHORT-NOT: llvm.nvvm.mma
// SHORT: scf.yield
// CHECK-LABEL: func.func private @kernel_2
// CHECK: "products: tiles in shared memory; 128 by 128 by 8, 8 by 8 a thread"
// CHECK-NOT: llvm.call_intrinsic
func.func private @kernel_2(%a: memref<2048x512xf32>, %b: memref<512x2048xf32>, %c: memref<2048x2048xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2048x512xf32>, memref<512x2048xf32>) outs(%c : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
