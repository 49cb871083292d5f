// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// A tile whose first key is behind the last row of the block is hidden, if all values are finite: nothing is multiplied.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: "attention: scores stay with their threads; 64 rows and 64 keys at a time"
// CHECK: scf.for %[[KEY:[a-z0-9]*]] = %c0 to %c200 step %c64
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[LAST:.*]] = arith.minsi {{.*}}, %c99
// CHECK-NEXT: %[[SEEN:.*]] = arith.cmpi sle, %[[KEY]], %[[LAST]]
// CHECK: %[[HIDDEN:.*]] = scf.if %[[SEEN]] -> (i1) {
// CHECK-NEXT: scf.yield %false
// CHECK: else
// CHECK: math.fma
// CHECK: gpu.barrier
// CHECK: %{{.*}}:{{[0-9]+}} = scf.if %[[HIDDEN]]
// CHECK-NEXT: scf.yield
// CHECK: else
// CHECK: ex2.approx.ftz.f32
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<100x8xf32>, %arg1: memref<200x8xf32>, %arg3: memref<200x8xf32>, %arg4: memref<100x8xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
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
  linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %row = linalg.index 0 : index
    %key = linalg.index 1 : index
    %1 = arith.cmpi sle, %key, %row : index
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

// Of places that differ, each tile has some; and a small number may weigh something.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for %{{.*}} = %c0 to %c200 step %c64
// CHECK-NOT: scf.if {{.*}} -> (i1)
// CHECK: ex2.approx.ftz.f32
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<100x8xf32>, %arg1: memref<200x8xf32>, %arg3: memref<200x8xf32>, %arg4: memref<100x8xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
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
  linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %row = linalg.index 0 : index
    %key = linalg.index 1 : index
    %1 = arith.cmpi ne, %key, %row : index
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

// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for %{{.*}} = %c0 to %c200 step %c64
// CHECK-NOT: scf.if {{.*}} -> (i1)
// CHECK: ex2.approx.ftz.f32
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func private @kernel_0(%arg0: memref<100x8xf32>, %arg1: memref<200x8xf32>, %arg3: memref<200x8xf32>, %arg4: memref<100x8xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
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
  linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<100x200xf32>) outs(%alloc : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %cst_1 : f32
    %row = linalg.index 0 : index
    %key = linalg.index 1 : index
    %1 = arith.cmpi sle, %key, %row : index
    %2 = arith.select %1, %0, %cst_1 : f32
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
