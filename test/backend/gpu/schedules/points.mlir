// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// Points next to each other are read and written by 16 bytes, where they start at multiples of that; the rest one by one.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: linalg.generic
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%c256
// CHECK: gpu.func @kernel_0(%[[X:.*]]: memref<f32> {llvm.noalias, llvm.readonly}, %[[Y:.*]]: memref<f32> {llvm.noalias}, %[[N:.*]]: index) kernel
// CHECK-SAME: weft.schedule = "points: no point needs another; 4 points a thread"
// CHECK: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 256]
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: else
// CHECK: memref.load
// CHECK: memref.store
func.func private @kernel_0(%a: memref<?x256xf32>, %b: memref<?x256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Rows that are no multiple of 16 bytes are written one by one.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: weft.schedule = "points: no point needs another"
// CHECK-NOT: vector.
func.func private @kernel_1(%a: memref<64x33xf32>, %b: memref<33xf32>, %c: memref<64x33xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<64x33xf32>, memref<33xf32>) outs(%c : memref<64x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// A kernel that returns numbers stays with the host.
// CHECK-LABEL: func.func private @kernel_2
// CHECK-SAME: weft.reason = "it returns numbers", weft.side = "host"
// CHECK-NOT: gpu.launch_func
func.func private @kernel_2(%a: memref<f32>) -> f32 {
  %0 = memref.load %a[] : memref<f32>
  return %0 : f32
}

// -----

// A loop of which each iteration needs the last is for one thread.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: gpu.launch_func {{.*}} blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
// CHECK: weft.schedule = "one thread: scf.for is one step after the other"
// CHECK: scf.for
func.func private @kernel_3(%a: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %x = memref.load %a[%i] : memref<16xf32>
    %next = arith.addi %i, %c1 : index
    %y = memref.load %a[%next] : memref<16xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %a[%next] : memref<16xf32>
  }
  return
}

// -----

// What a number is computed of is read where it is read: memory that the kernel writes.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: "one thread: memref.store is one step after the other"
// CHECK: memref.load
// CHECK: arith.mulf
// CHECK: memref.store
func.func private @kernel_4(%a: memref<16xf32>, %i: index, %j: index) {
  %half = arith.constant 0.5 : f32
  %x = memref.load %a[%i] : memref<16xf32>
  %y = arith.mulf %x, %half : f32
  memref.store %y, %a[%j] : memref<16xf32>
  return
}

// -----

// Rows that an index tells are read by neighbours, too, where all of them begin at such addresses.
// CHECK-LABEL: func.func private @kernel_5
// CHECK: gpu.func {{.*}}"points: no point needs another; 4 points a thread, of rows that an index tells"
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<100x16xf32>, vector<4xf32>
// CHECK: vector.store
// CHECK: else
// CHECK-NOT: vector.load
// CHECK: memref.load %{{.*}} : memref<100x16xf32>
func.func private @kernel_5(%i: memref<50xi64>, %x: memref<100x16xf32>, %y: memref<50x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<50xi64>) outs(%y : memref<50x16xf32>) {
  ^bb0(%a: i64, %o: f32):
    %0 = linalg.index 1 : index
    %2 = arith.index_cast %a : i64 to index
    %1 = memref.load %x[%2, %0] : memref<100x16xf32>
    linalg.yield %1 : f32
  }
  return
}

// -----

// Not where each point has an index of its own, nor where rows are no multiple of vectors.
// CHECK-LABEL: func.func private @kernel_6
// CHECK-NOT: vector.load %{{.*}} : memref<50x100xf32>
// CHECK-NOT: vector.load %{{.*}} : memref<100x15xf32>
func.func private @kernel_6(%i: memref<50x16xi32>, %j: memref<50xi64>, %x: memref<50x100xf32>, %z: memref<100x15xf32>, %y: memref<50x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%i, %j : memref<50x16xi32>, memref<50xi64>) outs(%y : memref<50x16xf32>) {
  ^bb0(%a: i32, %b: i64, %o: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %a : i32 to index
    %3 = memref.load %x[%0, %2] : memref<50x100xf32>
    %6 = arith.index_cast %b : i64 to index
    %4 = memref.load %z[%6, %1] : memref<100x15xf32>
    %5 = arith.addf %3, %4 : f32
    linalg.yield %5 : f32
  }
  return
}

// -----

// How many rows a view has is known without the view, which lies where the device says, and which the host cannot make.
// CHECK-LABEL: func.func private @kernel_7
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK-NOT: memref.load
// CHECK-NOT: memref.subview
// CHECK: arith.addi %[[N]], %{{.*}} : index
// CHECK: gpu.launch_func @kernel_7_device::@kernel_7
func.func private @kernel_7(%x: memref<?x?xi32>, %i: memref<i64>, %n: index, %y: memref<?xi32>) {
  %0 = memref.load %i[] : memref<i64>
  %1 = arith.index_cast %0 : i64 to index
  %row = memref.subview %x[%1, 0] [1, %n] [1, 1] : memref<?x?xi32> to memref<?xi32, strided<[1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%row : memref<?xi32, strided<[1], offset: ?>>) outs(%y : memref<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %2 = arith.addi %a, %a : i32
    linalg.yield %2 : i32
  }
  return
}

// -----

// Where rows are of unknown length, the host computes what a division by that length is a multiplication with, for rows
// by 16 bytes and by elements. It is 0 where there are 2^31 points or more, which are divided. Extents are passed once.
// CHECK-LABEL: func.func private @kernel_8
// CHECK: arith.cmpi ult, %{{.*}}, %c2147483648
// CHECK: math.ctlz
// CHECK: arith.divui
// CHECK: %[[WORD:.*]] = arith.select
// CHECK: %[[OTHER:.*]] = arith.select
// CHECK: gpu.launch_func {{.*}} args({{.*}} : memref<f32>, %{{.*}} : memref<f32>, %{{.*}} : memref<f32>, %{{.*}} : i64, %{{.*}} : i64, %{{.*}} : index, %{{.*}} : index)
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.call_intrinsic "llvm.nvvm.mulhi.ui"
// CHECK: else
// CHECK-NEXT: arith.divui
func.func private @kernel_8(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// By a length that is known is divided as LLVM does it.
// CHECK-LABEL: func.func private @kernel_9
// CHECK-NOT: math.ctlz
// CHECK-NOT: mulhi
// CHECK: arith.divui
func.func private @kernel_9(%a: memref<?x36xf32>, %b: memref<36xf32>, %c: memref<?x36xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?x36xf32>, memref<36xf32>) outs(%c : memref<?x36xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}
