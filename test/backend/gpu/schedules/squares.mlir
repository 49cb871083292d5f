// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// The transposed operand is read along its rows to shared memory, the other one as it is.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.launch_func {{.*}} threads in (%c32, %c8, %c1)
// CHECK: gpu.func @kernel_0(%[[A:.*]]: memref<64x128xf32> {{.*}}workgroup(%[[SQUARE:.*]] : memref<32x33xf32
// CHECK-SAME: "squares: rows are read that lie across those of the result; 1 by way of shared memory"
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[SQUARE]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SQUARE]]
func.func private @kernel_0(%a: memref<64x128xf32>, %b: memref<128x64xf32>, %c: memref<128x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<64x128xf32>, memref<128x64xf32>) outs(%c : memref<128x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// So few rows are not worth it.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: "points: no point needs another
func.func private @kernel_1(%a: memref<4x128xf32>, %c: memref<128x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x128xf32>) outs(%c : memref<128x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}
