// RUN: weft-opt %s --schedule-device-kernels --target=sm_80 --canonicalize --cse --split-input-file | filecheck %s

// Tiles of halves come asynchronously: two steps ahead, with one wait and one barrier a step, and the next copies begin
// behind them. The second factor has what is summed in lines of its own, so that its squares are turned.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size
// CHECK: "tensor cores: halves are added up in f32; 128 by 128 by 32, 8 by 8 a thread"
// CHECK: scf.for
// CHECK-COUNT-4: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>{{.*}}num = 4
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.nvvm.mma
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @kernel_0(%a: memref<2048x2048xf16>, %b: memref<2048x2048xf16>, %c: memref<2048x2048xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2048x2048xf16>, memref<2048x2048xf16>) outs(%c : memref<2048x2048xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Rows of 2041 halves begin anywhere: they come by registers.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-NOT: nvvm.cp.async
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma
func.func private @kernel_1(%a: memref<2041x2041xf16>, %b: memref<2041x2041xf16>, %c: memref<2041x2041xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2041x2041xf16>, memref<2041x2041xf16>) outs(%c : memref<2041x2041xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A convolution is a product whose copies begin at computed addresses.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: "tensor cores: halves are added up in f32; 128 by 128 by 32, 8 by 8 a thread"
// CHECK-COUNT-8: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: gpu.return
func.func private @kernel_2(%a: memref<130x130x64xf16>, %b: memref<3x3x64x128xf16>, %c: memref<128x128x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(h, w, n, i, j, k) -> (h + i, w + j, k)>, affine_map<(h, w, n, i, j, k) -> (i, j, k, n)>, affine_map<(h, w, n, i, j, k) -> (h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : memref<130x130x64xf16>, memref<3x3x64x128xf16>) outs(%c : memref<128x128x128xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Where extents are not known, the host looks whether rows are multiples of 16 bytes, and there are two kernels.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: %[[REST:.*]] = arith.ori
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[EVEN]]
// CHECK: gpu.launch_func {{.*}}::@kernel_3 blocks
// CHECK: } else {
// CHECK: gpu.launch_func {{.*}}::@kernel_3_anywhere
// CHECK: gpu.func @kernel_3(
// CHECK: nvvm.cp.async.shared.global
// CHECK: gpu.func @kernel_3_anywhere(
// CHECK-NOT: nvvm.cp.async
// CHECK: gpu.return
func.func private @kernel_3(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Rows that lie anywhere apart are not looked at.
// CHECK-LABEL: func.func private @kernel_4
// CHECK-NOT: _anywhere
// CHECK-NOT: nvvm.cp.async
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma
func.func private @kernel_4(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
