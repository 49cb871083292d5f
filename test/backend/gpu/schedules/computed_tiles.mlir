// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// One launch, of a block for 64 rows: the matrix is in no memory of the device, and rows are multiplied on.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: gpu.alloc
// CHECK-COUNT-1: gpu.launch_func {{.*}} blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-NOT: gpu.launch_func
// CHECK: "computed tiles: elements are made where they are summed; 64 rows and 64 elements of them at a time"
// CHECK: scf.for
// CHECK: math.fma
// CHECK: math.exp
// CHECK: math.fma
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
func.func private @kernel_0(%x: memref<100x8xf32>, %y: memref<200x8xf32>, %v: memref<200x8xf32>, %r: memref<100x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<100x200xf32>
  linalg.generic {indexing_maps = [#none, #both], iterator_types = ["parallel", "parallel"]} ins(%zero : f32) outs(%m : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#iz, #jz, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<100x8xf32>, memref<200x8xf32>) outs(%m : memref<100x200xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%m : memref<100x200xf32>) outs(%m : memref<100x200xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#none, #both], iterator_types = ["parallel", "parallel"]} ins(%zero : f32) outs(%r : memref<100x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#iz, #zj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %v : memref<100x200xf32>, memref<200x8xf32>) outs(%r : memref<100x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %m : memref<100x200xf32>
  return
}

// -----

// The rows of a matrix are combined, by the 16 threads that share them.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: "computed tiles:
// CHECK: math.fma
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
#point = affine_map<(i) -> (i)>
#nowhere = affine_map<(i) -> ()>
func.func private @kernel_1(%x: memref<100x8xf32>, %y: memref<200x8xf32>, %r: memref<100xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %m = memref.alloc() : memref<100x200xf32>
  linalg.generic {indexing_maps = [#none, #both], iterator_types = ["parallel", "parallel"]} ins(%zero : f32) outs(%m : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#iz, #jz, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<100x8xf32>, memref<200x8xf32>) outs(%m : memref<100x200xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#nowhere, #point], iterator_types = ["parallel"]} ins(%least : f32) outs(%r : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]} ins(%m : memref<100x200xf32>) outs(%r : memref<100xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %m : memref<100x200xf32>
  return
}

// -----

// The matrix is asked for: it is what the caller gave.
// CHECK-LABEL: func.func private @kernel_2
// CHECK-NOT: "computed tiles
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
#point = affine_map<(i) -> (i)>
#nowhere = affine_map<(i) -> ()>
func.func private @kernel_2(%x: memref<100x8xf32>, %y: memref<200x8xf32>, %r: memref<100xf32>, %m: memref<100x200xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#none, #both], iterator_types = ["parallel", "parallel"]} ins(%zero : f32) outs(%m : memref<100x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#iz, #jz, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<100x8xf32>, memref<200x8xf32>) outs(%m : memref<100x200xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#nowhere, #point], iterator_types = ["parallel"]} ins(%zero : f32) outs(%r : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]} ins(%m : memref<100x200xf32>) outs(%r : memref<100xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}
