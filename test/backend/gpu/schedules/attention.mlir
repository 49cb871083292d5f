// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// One launch: neither scores nor sums of rows are in memory of the device.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: gpu.alloc
// CHECK-COUNT-1: gpu.launch_func {{.*}} blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-NOT: gpu.launch_func
// CHECK: "attention: scores stay with their threads; 64 rows and 64 keys at a time"
// CHECK: scf.for
// CHECK: math.fma
// CHECK: arith.select
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
// CHECK: ex2.approx.ftz.f32
// CHECK: math.fma
// CHECK: arith.divf
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<100x8xf32>, %arg1: memref<200x8xf32>, %arg2: memref<100x200xi8>, %arg3: memref<200x8xf32>, %arg4: memref<100x8xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %c0_i8 = arith.constant 0 : i8
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() : memref<100x200xf32>
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<100x8xf32>, memref<200x8xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %arg2 : memref<100x200xf32>, memref<100x200xi8>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: i8, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %1 = arith.cmpi ne, %in_5, %c0_i8 : i8
    %2 = arith.select %1, %0, %cst_0 : f32
    linalg.yield %2 : f32
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
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg4 : memref<100x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map8, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloc, %arg3 : memref<100x200xf32>, memref<200x8xf32>) outs(%arg4 : memref<100x8xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Scores that somebody asks for are in memory: a product, rows and a product.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-3: gpu.launch_func
// CHECK: weft.schedule = "products:
// CHECK: weft.schedule = "rows:
// CHECK: weft.schedule = "products:
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_1(%arg0: memref<100x8xf32>, %arg1: memref<200x8xf32>, %arg2: memref<100x200xi8>, %arg3: memref<200x8xf32>, %arg4: memref<100x8xf32>, %arg5: memref<100x200xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %c0_i8 = arith.constant 0 : i8
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg5 : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<100x8xf32>, memref<200x8xf32>) outs(%arg5 : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5, %arg2 : memref<100x200xf32>, memref<100x200xi8>) outs(%arg5 : memref<100x200xf32>) {
  ^bb0(%in: f32, %in_5: i8, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %1 = arith.cmpi ne, %in_5, %c0_i8 : i8
    %2 = arith.select %1, %0, %cst_0 : f32
    linalg.yield %2 : f32
  }
  %alloc_3 = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst_0 : f32) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%arg5 : memref<100x200xf32>) outs(%alloc_3 : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5, %alloc_3 : memref<100x200xf32>, memref<100xf32>) outs(%arg5 : memref<100x200xf32>) {
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
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%arg5 : memref<100x200xf32>) outs(%alloc_4 : memref<100xf64>) {
  ^bb0(%in: f32, %out: f64):
    %0 = arith.extf %in : f32 to f64
    %1 = arith.addf %out, %0 {weft.rounded} : f64
    linalg.yield %1 : f64
  }
  linalg.generic {indexing_maps = [#map7, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc_4, %arg5 : memref<100xf64>, memref<100x200xf32>) outs(%arg5 : memref<100x200xf32>) {
  ^bb0(%in: f64, %in_5: f32, %out: f32):
    %0 = arith.truncf %in : f64 to f32
    %1 = arith.divf %in_5, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg4 : memref<100x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map8, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg5, %arg3 : memref<100x200xf32>, memref<200x8xf32>) outs(%arg4 : memref<100x8xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Few rows and many keys: three blocks share the keys, and leave the largest score, the sum of weights and that of
// values; a second kernel merges them.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-DAG: %[[LARGEST:.*]] = gpu.alloc () : memref<3x9xf32>
// CHECK-DAG: %[[TOTALS:.*]] = gpu.alloc () : memref<3x9xf64>
// CHECK-DAG: %[[SUMS:.*]] = gpu.alloc () : memref<3x9x8xf32>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_parts blocks in (%c1, %c3, %c1)
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%c1, %c1, %c1)
// CHECK: 16 rows and 64 keys at a time, in 3 pieces"
// CHECK: gpu.block_id y
// CHECK-NOT: arith.divf
// CHECK: "attention: scores stay with their threads: the pieces, in their order"
// CHECK: arith.maximumf
// CHECK: ex2.approx.ftz.f32
// CHECK: arith.divf
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<9x8xf32>, %arg1: memref<700x8xf32>, %arg2: memref<9x700xi8>, %arg3: memref<700x8xf32>, %arg4: memref<9x8xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %c0_i8 = arith.constant 0 : i8
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() : memref<9x700xf32>
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%alloc : memref<9x700xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<9x8xf32>, memref<700x8xf32>) outs(%alloc : memref<9x700xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %arg2 : memref<9x700xf32>, memref<9x700xi8>) outs(%alloc : memref<9x700xf32>) {
  ^bb0(%in: f32, %in_5: i8, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %1 = arith.cmpi ne, %in_5, %c0_i8 : i8
    %2 = arith.select %1, %0, %cst_0 : f32
    linalg.yield %2 : f32
  }
  %alloc_3 = memref.alloc() : memref<9xf32>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst_0 : f32) outs(%alloc_3 : memref<9xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<9x700xf32>) outs(%alloc_3 : memref<9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_3 : memref<9x700xf32>, memref<9xf32>) outs(%alloc : memref<9x700xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.subf %in, %in_5 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  %alloc_4 = memref.alloc() : memref<9xf64>
  linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst : f64) outs(%alloc_4 : memref<9xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  }
  linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<9x700xf32>) outs(%alloc_4 : memref<9xf64>) {
  ^bb0(%in: f32, %out: f64):
    %0 = arith.extf %in : f32 to f64
    %1 = arith.addf %out, %0 {weft.rounded} : f64
    linalg.yield %1 : f64
  }
  linalg.generic {indexing_maps = [#map7, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc_4, %alloc : memref<9xf64>, memref<9x700xf32>) outs(%alloc : memref<9x700xf32>) {
  ^bb0(%in: f64, %in_5: f32, %out: f32):
    %0 = arith.truncf %in : f64 to f32
    %1 = arith.divf %in_5, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : f32) outs(%arg4 : memref<9x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#map2, #map8, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloc, %arg3 : memref<9x700xf32>, memref<700x8xf32>) outs(%arg4 : memref<9x8xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %0 = arith.mulf %in, %in_5 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
