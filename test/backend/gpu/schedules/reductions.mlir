// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// All elements: blocks store what they have, and one block combines that; the fill is where it starts.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: %[[PARTS:.*]] = gpu.alloc () : memref<528xf32>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_parts
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%c1, %c1, %c1)
// CHECK: gpu.dealloc %[[PARTS]]
// CHECK: gpu.func @kernel_0_parts({{.*}}weft.schedule = "whole: all elements make one number: the shares of blocks"
// CHECK: vector.load
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: gpu.func @kernel_0({{.*}}"whole: all elements make one number: what blocks have, in their order"
func.func private @kernel_0(%a: memref<?xf32>, %b: memref<f32>) {
  %low = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%low : f32) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<?xf32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Rows: what is divided by the sum is in registers, and the sum itself never in memory; what is computed is written
// once, whether or not rows are aligned.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-NOT: gpu.alloc
// CHECK: gpu.launch_func {{.*}} threads in (%c256, %c1, %c1) args(%{{.*}} : memref<64x256xf32>, %{{.*}} : memref<64x256xf32>)
// CHECK: "rows: what is asked for lies in one row; a warp a row, 2 times 4 columns in registers"
// CHECK-NOT: memref.store
// CHECK: vector.load
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-8: arith.divf {{.*}} {weft.approximate}
// CHECK-NOT: arith.divf
// CHECK: vector.store
// CHECK-NOT: arith.divf
// CHECK: memref.store
func.func private @kernel_1(%a: memref<64x256xf32>, %b: memref<64x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%s : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<64x256xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : memref<64x256xf32>, memref<64xf32>) outs(%b : memref<64x256xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Not rows: what follows asks for the sums in another order.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: gpu.alloc () : memref<64xf32>
// CHECK: gpu.launch_func
// CHECK: gpu.launch_func
// CHECK: "rows:
// CHECK: "points:
func.func private @kernel_2(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<64x64xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : memref<64x64xf32>, memref<64xf32>) outs(%b : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Columns: few of many rows are cut in slices, which a second kernel adds up.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: gpu.alloc () : memref<[[SLICES:.*]]x64xi32>
// CHECK: gpu.launch_func @kernel_3_device::@kernel_3_parts blocks in (%c2, %c64, %c1) threads in (%c32, %c8, %c1)
// CHECK: gpu.launch_func @kernel_3_device::@kernel_3
// CHECK: "columns: neighbours are added to neighbours; [[SLICES]] slices"
func.func private @kernel_3(%a: memref<4096x64xi32>, %b: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4096x64xi32>) outs(%b : memref<64xi32>) {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %y, %x : i32
    linalg.yield %z : i32
  }
  return
}

// -----

// Not rows: a vector is, but the matrix that it is multiplied with lies across.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: "columns: neighbours are added to neighbours
func.func private @kernel_4(%v: memref<512xf32>, %a: memref<512x256xf32>, %b: memref<256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%v, %a : memref<512xf32>, memref<512x256xf32>) outs(%b : memref<256xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %z = arith.addf %o, %m : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// What is made of the number is made by the kernel that has it, and the sum is not stored; somebody else reads another.
// CHECK-LABEL: func.func private @kernel_20
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @kernel_20({{.*}}memref<100xf32>{{.*}}memref<f32>
// CHECK-SAME: weft.schedule = "whole
// CHECK: %[[V:.*]] = math.sqrt
// CHECK: memref.store %[[V]]
// CHECK-NOT: memref.store
// CHECK-LABEL: func.func private @kernel_21
// CHECK-COUNT-2: gpu.launch_func
func.func private @kernel_20(%x: memref<100xf32>, %y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%zero : f32) outs(%sum : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<100xf32>) outs(%sum : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%sum : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sqrt %a : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @kernel_21(%x: memref<100xf32>, %y: memref<f32>, %z: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%zero : f32) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<100xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%y : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sqrt %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Rows of unknown length: blocks go over several, and no warp leaves what it has of the next one while others read what
// there is of this one.
// CHECK-LABEL: func.func private @kernel_22
// CHECK: "rows: {{.*}}256 threads a row, in memory"
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @kernel_22(%a: memref<?x?xf32>, %s: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Two reductions have memory of their own: between one and its next turn, all wait for the other.
// CHECK-LABEL: func.func private @kernel_23
// CHECK: "rows: {{.*}}256 threads a row, in memory"
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @kernel_23(%a: memref<?x?xf32>, %s: memref<?xf32>, %t: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%t : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// A fill that is asked for behind the rows is done with them, and its launch stands where what it reads and writes is
// there: behind the memory of the sums, and in front of what takes numbers from what was filled.
// CHECK-LABEL: func.func private @kernel_24
// CHECK-COUNT-2: gpu.alloc
// CHECK: gpu.launch_func @kernel_24_device::@kernel_24_0
// CHECK: gpu.launch_func @kernel_24_device::@kernel_24_1
// CHECK: gpu.launch_func @kernel_24_device::@kernel_24_2
// CHECK-COUNT-2: gpu.dealloc
func.func private @kernel_24(%a: memref<8x64xf64>, %b: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  %f = memref.alloc() : memref<8xf64>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f64) outs(%f : memref<8xf64>) {
  ^bb0(%x: f64, %y: f64):
    linalg.yield %x : f64
  }
  %s = memref.alloc() : memref<8xf64>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%f : memref<8xf64>) outs(%s : memref<8xf64>) {
  ^bb0(%x: f64, %y: f64):
    linalg.yield %x : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x64xf64>) outs(%s : memref<8xf64>) {
  ^bb0(%x: f64, %y: f64):
    %z = arith.addf %y, %x : f64
    linalg.yield %z : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x64xf64>) outs(%f : memref<8xf64>) {
  ^bb0(%x: f64, %y: f64):
    %z = arith.subf %y, %x : f64
    linalg.yield %z : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%f, %s : memref<8xf64>, memref<8xf64>) outs(%b : memref<8xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %z = arith.mulf %x, %y : f64
    linalg.yield %z : f64
  }
  return
}
