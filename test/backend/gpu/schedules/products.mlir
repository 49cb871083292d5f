// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// What follows is computed before the result is stored, and the product itself is not. A step has one barrier, as the
// next tiles come to the other half of the shared memory; what the thread stores is where its number says, which it
// asks for again. Each four neighbours are stored once, by one access or by four.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: gpu.alloc
// CHECK-COUNT-1: gpu.launch_func {{.*}} blocks in (%c256, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: workgroup(%{{.*}} : memref<2x8x132xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: "products: tiles in shared memory; 128 by 128 by 8, 8 by 8 a thread"
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load %arg0
// CHECK-COUNT-512: math.fma
// CHECK-NOT: math.fma
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: llvm.inline_asm{{.*}}%tid.x
// CHECK-COUNT-64: arith.maximumf
// CHECK-NOT: arith.maximumf
func.func private @kernel_0(%a: memref<2048x512xf32>, %b: memref<512x2048xf32>, %c: memref<2048x2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<2048x2048xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%p : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2048x512xf32>, memref<512x2048xf32>) outs(%p : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<2048x2048xf32>) outs(%c : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.maximumf %x, %zero : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// What asks for other elements of the result waits for all of it.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: gpu.alloc () : memref<64x64xf32>
// CHECK: gpu.launch_func
// CHECK: gpu.launch_func
// CHECK: "products:
// CHECK: weft.schedule = "
func.func private @kernel_1(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  %p = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%p : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// Small products, of which there may be many, have a thread for each element, and no tiles.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: gpu.launch_func {{.*}} blocks in (%c63, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-NOT: workgroup
// CHECK: "sums: a thread for each"
func.func private @kernel_2(%a: memref<1000x4x5xf32>, %b: memref<1000x5x4xf32>, %c: memref<1000x4x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1000x4x5xf32>, memref<1000x5x4xf32>) outs(%c : memref<1000x4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Many squares of 16 by 16 have a block each, in which every thread has something to do.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: gpu.launch_func {{.*}} blocks in (%c1000, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: "products: tiles in shared memory; 16 by 16 by 16, 1 by 1 a thread"
func.func private @kernel_3(%a: memref<1000x16x16xf32>, %b: memref<1000x16x16xf32>, %c: memref<1000x16x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1000x16x16xf32>, memref<1000x16x16xf32>) outs(%c : memref<1000x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Tiles at an edge begin where they still fit, and store what no tile before does. The first step of the sum has what
// the others leave over, behind zeros, so that they ask for no ends. No address has a limit of its own.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: "products: tiles in shared memory; 32 by 32 by 16, 2 by 2 a thread"
// CHECK-COUNT-2: arith.minsi %{{.*}}, %c98
// CHECK-NOT: arith.minsi
// CHECK: arith.cmpi sge
// CHECK: scf.for
// CHECK-COUNT-1: arith.minsi %{{.*}}, %c24
// CHECK-NOT: arith.minsi
// CHECK-NOT: arith.cmpi sge
// CHECK: gpu.barrier
func.func private @kernel_4(%a: memref<130x40xf32>, %b: memref<40x130xf32>, %c: memref<130x130xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<130x40xf32>, memref<40x130xf32>) outs(%c : memref<130x130xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Where there are too few squares of 128 for all multiprocessors, tiles are half of one: a thread reads 8 rows and 4
// columns, by 3 loads for 32 products.
// CHECK-LABEL: func.func private @kernel_5
// CHECK: gpu.launch_func {{.*}} blocks in (%c128, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: workgroup({{.*}} : memref<2x16x132xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, {{.*}} : memref<2x16x68xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: "products: tiles in shared memory; 128 by 64 by 16, 8 by 4 a thread"
// CHECK: scf.for
// CHECK-COUNT-512: math.fma
// CHECK-NOT: math.fma
func.func private @kernel_5(%a: memref<1024x512xf32>, %b: memref<512x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1024x512xf32>, memref<512x1024xf32>) outs(%c : memref<1024x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Tiles are no broader than what there is of them.
// CHECK-LABEL: func.func private @kernel_6
// CHECK: "products: tiles in shared memory; 64 by 64 by 16, 4 by 4 a thread"
func.func private @kernel_6(%a: memref<25088x64xf32>, %b: memref<64x64xf32>, %c: memref<25088x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<25088x64xf32>, memref<64x64xf32>) outs(%c : memref<25088x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Rows of 7 places share tiles with those of other rows and images: 392 rows are 13 boxes, and some at edges. Rows that
// fill tiles have their own.
// CHECK-LABEL: func.func private @kernel_30
// CHECK: gpu.launch_func {{.*}} blocks in (%c14, %c1, %c1)
// CHECK: "products: tiles in shared memory; 32 by 32 by 16, 2 by 2 a thread"
func.func private @kernel_30(%x: memref<8x9x9x16xf32>, %w: memref<3x3x16x32xf32>, %y: memref<8x7x7x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>,
                                   affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x9x9x16xf32>, memref<3x3x16x32xf32>) outs(%y : memref<8x7x7x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func private @kernel_31
// CHECK: gpu.launch_func {{.*}} blocks in (%c21, %c1, %c1)
func.func private @kernel_31(%x: memref<3x7x32x16xf32>, %w: memref<16x32xf32>, %y: memref<3x7x32x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, c) -> (n, h, w, c)>,
                                   affine_map<(n, h, w, f, c) -> (c, f)>,
                                   affine_map<(n, h, w, f, c) -> (n, h, w, f)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<3x7x32x16xf32>, memref<16x32xf32>) outs(%y : memref<3x7x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
