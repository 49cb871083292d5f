// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s
// RUN: weft-opt %s --schedule-device-kernels --target=sm_80 --split-input-file | filecheck %s --check-prefix=OLD
// OLD-NOT: nvgpu.tma
// OLD-NOT: wgmma

// A thread brings boxes while others multiply those that have come. Where arrays begin, the host looks.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ALIGNED]]
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c64, %c64] {{.*}}swizzle = swizzle_128b
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c64, %c64]
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%c6, %c1, %c1) threads in (%c256, %c1, %c1) dynamic_shared_memory_size
// CHECK: } else {
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_anywhere
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: weft.schedule = "warpgroups: halves are added up in f32; 64 by 64 by 64, 4 steps in shared memory", weft.shared_bytes = 65600 : i64, weft.tensor_maps = array<i64: {{.*}}>
// CHECK-COUNT-8: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive %
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: arith.maximumf
func.func private @kernel_0(%a: memref<128x320xbf16>, %b: memref<320x136xbf16>, %c: memref<128x136xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<128x136xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%p : memref<128x136xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x320xbf16>, memref<320x136xbf16>) outs(%p : memref<128x136xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %l = arith.extf %x : bf16 to f32
    %r = arith.extf %y : bf16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<128x136xf32>) outs(%c : memref<128x136xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.maximumf %x, %zero : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Rows that do not begin at multiples of 16 bytes are for tensor cores without boxes.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-NOT: nvgpu.tma
// CHECK: "tensor cores:
func.func private @kernel_1(%a: memref<128x316xbf16>, %b: memref<316x136xbf16>, %c: memref<128x136xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x316xbf16>, memref<316x136xbf16>) outs(%c : memref<128x136xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %l = arith.extf %x : bf16 to f32
    %r = arith.extf %y : bf16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Of unknown extents, the host looks at where arrays and rows begin, and whether there are enough for a tile. The maps
// and the steps are of the extents that there are.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: arith.cmpi uge, %{{.*}}, %c64
// CHECK: scf.if
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c128, %c64]
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2 blocks in (%{{[0-9]+}}, %c1, %c1) threads in (%c384, %c1, %c1)
// CHECK: } else {
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_anywhere
// CHECK: "warpgroups: halves are added up in f32; 128 by 128 by 64, 4 steps in shared memory"
// CHECK: %[[STEPS:.*]] = arith.divui %{{.*}}, %c64
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]]
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: "tensor cores: arrays begin anywhere; 128 by 128 by 32, 8 by 8 a thread"
func.func private @kernel_2(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
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

// A tile has 8 by 8 places of images, which boxes bring from where the window lies, for each place in the window; with a
// stride, every second one.
// CHECK-LABEL: func.func private @kernel_20
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c1, %c16, %c16, %c64] {weft.steps = array<i64: 1, 2, 2, 1>}
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c1, %c1, %c64, %c64] :
// CHECK: "warpgroups: halves are added up in f32; 64 by 64 by 64, 4 steps in shared memory"
// CHECK: nvvm.cp.async.bulk.tensor
func.func private @kernel_20(%x: memref<1x17x17x64xf16>, %w: memref<3x3x64x64xf16>, %y: memref<1x8x8x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, 2 * h + i, 2 * w + j, c)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<1x17x17x64xf16>, memref<3x3x64x64xf16>) outs(%y : memref<1x8x8x64xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %l = arith.extf %a : f16 to f32
    %r = arith.extf %b : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Boxes take two elements for each that is read at most, and images of 5 by 5 would fill them by less than a half.
// CHECK-LABEL: func.func private @kernel_21
// CHECK-NOT: nvgpu.tma
// CHECK: "tensor cores: halves are added up in f32
func.func private @kernel_21(%x: memref<1x81x81x64xf16>, %w: memref<3x3x64x64xf16>, %y: memref<1x9x9x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, 9 * h + i, 9 * w + j, c)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<1x81x81x64xf16>, memref<3x3x64x64xf16>) outs(%y : memref<1x9x9x64xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %l = arith.extf %a : f16 to f32
    %r = arith.extf %b : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func private @kernel_22
// CHECK-NOT: nvgpu.tma
// CHECK: "tensor cores: halves are added up in f32
func.func private @kernel_22(%x: memref<1x7x7x64xf16>, %w: memref<3x3x64x64xf16>, %y: memref<1x5x5x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<1x7x7x64xf16>, memref<3x3x64x64xf16>) outs(%y : memref<1x5x5x64xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %l = arith.extf %a : f16 to f32
    %r = arith.extf %b : f16 to f32
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
