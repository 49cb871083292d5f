// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// Keys and values of rows that are multiples of 16 bytes are copied ahead: a tile is waited for, another one is begun, and
// squares are loaded, those of values turned.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: "half attention: {{.*}} 64 keys at a time
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.ldmatrix {{.*}}#nvvm.mma_layout<row>
// CHECK: llvm.nvvm.mma.m16n8k16
// CHECK-NOT: gpu.barrier
// CHECK: ex2.approx.ftz.f32
// CHECK: nvvm.ldmatrix {{.*}}#nvvm.mma_layout<col>
// CHECK: llvm.nvvm.mma.m16n8k16
// CHECK: arith.divf {{.*}} {weft.approximate}
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<100x64xbf16>, %arg1: memref<200x64xbf16>, %arg2: memref<200x64xbf16>, %arg3: memref<100x64xf32>) {
  %c32704_i32 = arith.constant 32704 : i32
  %c32767_i32 = arith.constant 32767 : i32
  %c1_i32 = arith.constant 1 : i32
  %c16_i32 = arith.constant 16 : i32
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() : memref<100x200xf32>
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<100x64xbf16>, memref<200x64xbf16>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %in_5 : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    linalg.yield %0 : f32
  }
  %alloc_3 = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst_0 : f32) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<100x200xf32>) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_3 : memref<100x200xf32>, memref<100xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.subf %in, %in_5 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  %alloc_4 = memref.alloc() : memref<100xf64>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst : f64) outs(%alloc_4 : memref<100xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<100x200xf32>) outs(%alloc_4 : memref<100xf64>) {
  ^bb0(%in: f32, %out: f64):
    %0 = arith.extf %in : f32 to f64
    %1 = arith.addf %out, %0 {weft.rounded} : f64
    linalg.yield %1 : f64
  }
  linalg.generic {indexing_maps = [#map7, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc_4, %alloc : memref<100xf64>, memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f64, %in_5: f32, %out: f32):
    %0 = arith.truncf %in : f64 to f32
    %1 = arith.divf %in_5, %0 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %3 = arith.shrui %2, %c16_i32 : i32
    %4 = arith.andi %3, %c1_i32 : i32
    %5 = arith.addi %4, %c32767_i32 : i32
    %6 = arith.addi %2, %5 : i32
    %7 = arith.shrui %6, %c16_i32 : i32
    %8 = arith.cmpf une, %1, %1 : f32
    %9 = arith.select %8, %c32704_i32, %7 : i32
    %10 = arith.trunci %9 : i32 to i16
    %11 = arith.extui %10 : i16 to i32
    %12 = arith.shli %11, %c16_i32 : i32
    %13 = arith.bitcast %12 : i32 to f32
    linalg.yield %13 : f32
  }
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg3 : memref<100x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map8, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloc, %arg2 : memref<100x200xf32>, memref<200x64xbf16>) outs(%arg3 : memref<100x64xf32>) {
  ^bb0(%in: f32, %in_5: bf16, %out: f32):
    %0 = arith.extf %in_5 : bf16 to f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Of other rows, threads load elements and store them.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: "half attention:
// CHECK-NOT: nvvm.cp.async
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.nvvm.mma.m16n8k16
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_1(%arg0: memref<100x44xbf16>, %arg1: memref<200x44xbf16>, %arg2: memref<200x44xbf16>, %arg3: memref<100x44xf32>) {
  %c32704_i32 = arith.constant 32704 : i32
  %c32767_i32 = arith.constant 32767 : i32
  %c1_i32 = arith.constant 1 : i32
  %c16_i32 = arith.constant 16 : i32
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() : memref<100x200xf32>
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<100x44xbf16>, memref<200x44xbf16>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %in_5 : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    linalg.yield %0 : f32
  }
  %alloc_3 = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst_0 : f32) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<100x200xf32>) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_3 : memref<100x200xf32>, memref<100xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.subf %in, %in_5 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  %alloc_4 = memref.alloc() : memref<100xf64>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst : f64) outs(%alloc_4 : memref<100xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<100x200xf32>) outs(%alloc_4 : memref<100xf64>) {
  ^bb0(%in: f32, %out: f64):
    %0 = arith.extf %in : f32 to f64
    %1 = arith.addf %out, %0 {weft.rounded} : f64
    linalg.yield %1 : f64
  }
  linalg.generic {indexing_maps = [#map7, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc_4, %alloc : memref<100xf64>, memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f64, %in_5: f32, %out: f32):
    %0 = arith.truncf %in : f64 to f32
    %1 = arith.divf %in_5, %0 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %3 = arith.shrui %2, %c16_i32 : i32
    %4 = arith.andi %3, %c1_i32 : i32
    %5 = arith.addi %4, %c32767_i32 : i32
    %6 = arith.addi %2, %5 : i32
    %7 = arith.shrui %6, %c16_i32 : i32
    %8 = arith.cmpf une, %1, %1 : f32
    %9 = arith.select %8, %c32704_i32, %7 : i32
    %10 = arith.trunci %9 : i32 to i16
    %11 = arith.extui %10 : i16 to i32
    %12 = arith.shli %11, %c16_i32 : i32
    %13 = arith.bitcast %12 : i32 to f32
    linalg.yield %13 : f32
  }
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg3 : memref<100x44xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map8, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloc, %arg2 : memref<100x200xf32>, memref<200x44xbf16>) outs(%arg3 : memref<100x44xf32>) {
  ^bb0(%in: f32, %in_5: bf16, %out: f32):
    %0 = arith.extf %in_5 : bf16 to f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
