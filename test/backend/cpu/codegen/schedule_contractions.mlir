// RUN: weft-opt %s --target=x86-64-v4 --buffers-to-loops | filecheck %s

// Complex numbers are multiplied as their parts, twice per element of the left operand, and joined at the end.
// CHECK-LABEL: func.func private @complex
// CHECK-NOT: complex.mul
// CHECK: builtin.unrealized_conversion_cast {{.*}} to memref<32x16xf64
// CHECK: vector.fma
// CHECK-NOT: complex.mul
// CHECK: arith.negf
// CHECK: vector.shuffle
// CHECK: vector.store
func.func private @complex(%x: memref<32x32xcomplex<f64>>, %y: memref<32x8xcomplex<f64>>, %o: memref<32x8xcomplex<f64>>) {
  %zero = complex.constant [0.0, 0.0] : complex<f64>
  linalg.fill ins(%zero : complex<f64>) outs(%o : memref<32x8xcomplex<f64>>)
  linalg.matmul ins(%x, %y : memref<32x32xcomplex<f64>>, memref<32x8xcomplex<f64>>)
      outs(%o : memref<32x8xcomplex<f64>>)
  return
}

// Bytes are multiplied and added up in words, and cut off at the end.
// CHECK-LABEL: func.func private @bytes
// CHECK: arith.extsi {{.*}}xi8> to vector<{{.*}}xi16>
// CHECK: arith.muli {{.*}} : vector<{{.*}}xi16>
// CHECK: arith.trunci {{.*}}xi16> to vector<{{.*}}xi8>
func.func private @bytes(%x: memref<32x32xi8>, %y: memref<32x64xi8>, %o: memref<32x64xi8>) {
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%o : memref<32x64xi8>)
  linalg.matmul ins(%x, %y : memref<32x32xi8>, memref<32x64xi8>) outs(%o : memref<32x64xi8>)
  return
}

// Wider integers are not: their products wrap in themselves.
// CHECK-LABEL: func.func private @words
// CHECK-NOT: arith.extsi
// CHECK: arith.muli {{.*}} : vector<{{.*}}xi16>
// CHECK-NOT: arith.trunci
// CHECK: return
func.func private @words(%x: memref<32x32xi16>, %y: memref<32x64xi16>, %o: memref<32x64xi16>) {
  %zero = arith.constant 0 : i16
  linalg.fill ins(%zero : i16) outs(%o : memref<32x64xi16>)
  linalg.matmul ins(%x, %y : memref<32x32xi16>, memref<32x64xi16>) outs(%o : memref<32x64xi16>)
  return
}

// A left operand that does not fit the cache is used in blocks of rows and of products; the sums of later blocks are
// added to what is there.
// CHECK-LABEL: func.func @blocks.loop_1
// CHECK: memref.prefetch %[[RESULT:arg[0-9]+]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.fma
// CHECK: vector.maskedload %[[RESULT]]
// CHECK: arith.addf
// CHECK: vector.{{store|maskedstore}} {{.*}}%[[RESULT]]
// CHECK-LABEL: func.func private @blocks(
// CHECK: scf.for {{.*}} step %c563
// CHECK: call @blocks.loop_1.parallel
func.func private @blocks(%x: memref<1024x2250xf64>, %y: memref<2250x64xf64>, %o: memref<1024x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<1024x64xf64>)
  linalg.matmul ins(%x, %y : memref<1024x2250xf64>, memref<2250x64xf64>) outs(%o : memref<1024x64xf64>)
  return
}

// A smaller one is not, and the result is written once.
// CHECK-LABEL: func.func private @no_blocks(
// CHECK-NOT: memref.prefetch
// CHECK-NOT: vector.{{load|maskedload}} %arg2
// CHECK: vector.{{store|maskedstore}} {{.*}}%arg2
// CHECK-NOT: vector.{{load|maskedload}} %arg2
// CHECK: return
func.func private @no_blocks(%x: memref<32x32xf64>, %y: memref<32x64xf64>, %o: memref<32x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<32x64xf64>)
  linalg.matmul ins(%x, %y : memref<32x32xf64>, memref<32x64xf64>) outs(%o : memref<32x64xf64>)
  return
}

// A right operand that the first-level cache does not hold is copied while the first rows are multiplied with it; the
// others read the copy.
// CHECK-LABEL: func.func private @packed_on_the_way(
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<128x32xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[VECTOR:.*]] = vector.load %arg1
// CHECK: vector.store %[[VECTOR]], %[[PANEL]]
// CHECK: memref.prefetch %arg1
// CHECK: vector.fma %{{.*}}, %[[VECTOR]]
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: load %arg1
// CHECK: vector.load %[[PANEL]]
// CHECK-NOT: load %arg1
// CHECK: return
func.func private @packed_on_the_way(%x: memref<20x128xf32>, %y: memref<128x128xf32>, %o: memref<20x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<20x128xf32>)
  linalg.matmul ins(%x, %y : memref<20x128xf32>, memref<128x128xf32>) outs(%o : memref<20x128xf32>)
  return
}

// What all rows of a tile need once is not copied.
// CHECK-LABEL: func.func private @one_tile(
// CHECK-NOT: memref.alloca
// CHECK: vector.fma
// CHECK: return
func.func private @one_tile(%x: memref<10x128xf32>, %y: memref<128x128xf32>, %o: memref<10x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<10x128xf32>)
  linalg.matmul ins(%x, %y : memref<10x128xf32>, memref<128x128xf32>) outs(%o : memref<10x128xf32>)
  return
}

// Some rows are multiplied with blocks of rows of a large matrix, which are asked for before: its rows are so long that
// panels of it are slow to read. The sums go on from what is in the result, and threads share the panels.
// CHECK-LABEL: func.func @streamed.loop_0(
// CHECK: scf.for {{.*}} step %c32
// CHECK: scf.for
// CHECK: vector.load %[[RESULT:.*]][%c0, %{{.*}}] : memref<8x1024xf32
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.prefetch %[[MATRIX:.*]][{{.*}}], read, locality<2>, data : memref<512x1024xf32
// CHECK: vector.load %[[MATRIX]]
// CHECK: vector.fma
// CHECK: vector.store %{{.*}}, %[[RESULT]]
// CHECK-LABEL: func.func private @streamed(
// CHECK-NOT: memref.alloca
// CHECK: return
func.func private @streamed(%x: memref<8x512xf32>, %y: memref<512x1024xf32>, %o: memref<8x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<8x1024xf32>)
  linalg.matmul ins(%x, %y : memref<8x512xf32>, memref<512x1024xf32>) outs(%o : memref<8x1024xf32>)
  return
}

// More rows are multiplied with fewer columns at a time, so that their sums stay in the cache; many are not.
// CHECK-LABEL: func.func @more_rows.loop_0(
// CHECK: locality<2>, data : memref<512x4096xf32
// CHECK-LABEL: func.func private @more_rows(
// CHECK: call @more_rows.loop_0
// CHECK-LABEL: func.func {{.*}}@eighty_rows
// CHECK-NOT: locality<2>
// CHECK: vector.fma
func.func private @more_rows(%x: memref<48x512xf32>, %y: memref<512x4096xf32>, %o: memref<48x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<48x4096xf32>)
  linalg.matmul ins(%x, %y : memref<48x512xf32>, memref<512x4096xf32>) outs(%o : memref<48x4096xf32>)
  return
}
func.func private @eighty_rows(%x: memref<80x512xf32>, %y: memref<512x4096xf32>, %o: memref<80x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<80x4096xf32>)
  linalg.matmul ins(%x, %y : memref<80x512xf32>, memref<512x4096xf32>) outs(%o : memref<80x4096xf32>)
  return
}

// Shorter rows are read ahead by the processor, panel after panel.
// CHECK-LABEL: func.func {{.*}}@short_rows
// CHECK-NOT: locality<2>
// CHECK: vector.fma
// CHECK-NOT: locality<2>
func.func private @short_rows(%x: memref<8x2048xf32>, %y: memref<2048x256xf32>, %o: memref<8x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<8x256xf32>)
  linalg.matmul ins(%x, %y : memref<8x2048xf32>, memref<2048x256xf32>) outs(%o : memref<8x256xf32>)
  return
}

// Of a symmetric product, tiles that begin behind the panel on the diagonal are left out; squares of the others are
// copied, transposed.
// CHECK-LABEL: func.func {{.*}}@symmetric
// CHECK: vector.fma
// CHECK: arith.minsi
// CHECK: vector.fma
// CHECK: vector.load %[[RESULT:.*]][%{{.*}}] : memref<300x300xf32>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store {{.*}}%[[RESULT]]
#results = affine_map<(i, j, k) -> (i, j)>
#down = affine_map<(i, j, k) -> (k, i)>
#across = affine_map<(i, j, k) -> (k, j)>
func.func private @symmetric(%x: memref<200x300xf32>, %o: memref<300x300xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<300x300xf32>)
  linalg.contract indexing_maps = [#down, #across, #results]
      ins(%x, %x : memref<200x300xf32>, memref<200x300xf32>) outs(%o : memref<300x300xf32>)
  return
}

// Two matrices are multiplied as a whole, whatever they hold.
// CHECK-LABEL: func.func {{.*}}@not_symmetric
// CHECK: vector.fma
// CHECK-NOT: vector.load %{{.*}} : memref<300x300xf32>
// CHECK-LABEL: func.func private @long_sums(
func.func private @not_symmetric(%x: memref<200x300xf32>, %y: memref<200x300xf32>, %o: memref<300x300xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<300x300xf32>)
  linalg.contract indexing_maps = [#down, #across, #results]
      ins(%x, %y : memref<200x300xf32>, memref<200x300xf32>) outs(%o : memref<300x300xf32>)
  return
}

// Few long sums run along the vectors, and lanes are added up at the end.
// CHECK-NOT: vector.broadcast
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load %arg0
// CHECK: vector.fma
// CHECK: vector.shuffle
// CHECK: arith.addf
// CHECK: vector.store
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (j, k)>
func.func private @long_sums(%x: memref<4x512xf64>, %y: memref<4x512xf64>, %o: memref<4x4xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<4x4xf64>)
  linalg.contract indexing_maps = [#rows, #columns, #results]
      ins(%x, %y : memref<4x512xf64>, memref<4x512xf64>) outs(%o : memref<4x4xf64>)
  return
}

// Short ones do not.
// CHECK-LABEL: func.func private @short_sums(
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.broadcast
// CHECK: vector.fma
func.func private @short_sums(%x: memref<8x16xf64>, %y: memref<16x16xf64>, %o: memref<8x16xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<8x16xf64>)
  linalg.contract indexing_maps = [#rows, #columns, #results]
      ins(%x, %y : memref<8x16xf64>, memref<16x16xf64>) outs(%o : memref<8x16xf64>)
  return
}

// A large image is read once: all filters are applied to a row of it.
// CHECK-LABEL: func.func @image.loop_0
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c192 step %c48
// CHECK: vector.fma
func.func private @image(%x: memref<1x102x102x32xf32>, %w: memref<3x3x32x192xf32>, %o: memref<1x100x100x192xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<1x100x100x192xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x102x102x32xf32>, memref<3x3x32x192xf32>) outs(%o : memref<1x100x100x192xf32>)
  return
}

// A small one is read for every panel of filters, which is read once.
// CHECK-LABEL: func.func @small_image.loop_0
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c48
// CHECK: scf.for %{{.*}} = %c0 to %c20 step %c1
// CHECK: vector.fma
func.func private @small_image(%x: memref<1x22x22x32xf32>, %w: memref<3x3x32x192xf32>, %o: memref<1x20x20x192xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<1x20x20x192xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x22x22x32xf32>, memref<3x3x32x192xf32>) outs(%o : memref<1x20x20x192xf32>)
  return
}

// A product with few columns is computed transposed where the left operand is contiguous along the rows, then copied.
// CHECK-LABEL: func.func private @few_columns(
// CHECK: %[[BUFFER:.*]] = memref.alloc
// CHECK: vector.load %arg0
// CHECK: vector.{{store|maskedstore}} {{.*}}%[[BUFFER]]
// CHECK: scf.for
// CHECK: load %[[BUFFER]]
// CHECK: store {{.*}}%arg2
#left_columns = affine_map<(i, j, k) -> (k, i)>
#right_rows = affine_map<(i, j, k) -> (k, j)>
func.func private @few_columns(%x: memref<100x160xf32>, %y: memref<100x4xf32>, %o: memref<160x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<160x4xf32>)
  linalg.contract indexing_maps = [#left_columns, #right_rows, #results]
      ins(%x, %y : memref<100x160xf32>, memref<100x4xf32>) outs(%o : memref<160x4xf32>)
  return
}

// With many it is not.
// CHECK-LABEL: func.func private @many_columns(
// CHECK-NOT: memref.alloc
// CHECK: vector.fma
// CHECK: return
func.func private @many_columns(%x: memref<100x160xf32>, %y: memref<100x32xf32>, %o: memref<160x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<160x32xf32>)
  linalg.contract indexing_maps = [#left_columns, #right_rows, #results]
      ins(%x, %y : memref<100x160xf32>, memref<100x32xf32>) outs(%o : memref<160x32xf32>)
  return
}

// A vector is computed from the rows of the matrix as they are, without a buffer; its stack, too.
// CHECK-LABEL: func.func private @vectors(
// CHECK-NOT: memref.alloc
// CHECK: vector.load
// CHECK: vector.fma
// CHECK-NOT: memref.alloc
// CHECK: return
#stacked = affine_map<(b, i, j, k) -> (b, i, k)>
#vector = affine_map<(b, i, j, k) -> (k, j)>
#stacked_results = affine_map<(b, i, j, k) -> (b, i, j)>
func.func private @vectors(%x: memref<4x50x40xf32>, %y: memref<40x1xf32>, %o: memref<4x50x1xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<4x50x1xf32>)
  linalg.contract indexing_maps = [#stacked, #vector, #stacked_results]
      ins(%x, %y : memref<4x50x40xf32>, memref<40x1xf32>) outs(%o : memref<4x50x1xf32>)
  return
}

// Two products with one matrix are one loop over blocks of its rows: products of these rows, then their sum, with what
// was made of the products.
// CHECK-LABEL: func.func private @both_sides(
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c400 step %c16 {
// CHECK: vector.load %arg0[%[[ROW]],
// CHECK: vector.fma
// CHECK: vector.store {{.*}}%arg2[%[[ROW]]]
// CHECK: memref.load %arg2[%[[ROW]]]
// CHECK: vector.load %arg3
// CHECK: vector.load %arg0[%[[ROW]],
// CHECK: vector.fma
// CHECK: vector.store {{.*}}%arg3
#matrix = affine_map<(i, k) -> (i, k)>
#turned_matrix = affine_map<(i, k) -> (k, i)>
#factor = affine_map<(i, k) -> (k)>
#sums = affine_map<(i, k) -> (i)>
func.func private @both_sides(%a: memref<403x300xf32>, %x: memref<300xf32>, %u: memref<403xf32>, %v: memref<300xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%u : memref<403xf32>)
  linalg.contract indexing_maps = [#matrix, #factor, #sums]
      ins(%a, %x : memref<403x300xf32>, memref<300xf32>) outs(%u : memref<403xf32>)
  linalg.fill ins(%zero : f32) outs(%v : memref<300xf32>)
  linalg.contract indexing_maps = [#turned_matrix, #factor, #sums]
      ins(%a, %u : memref<403x300xf32>, memref<403xf32>) outs(%v : memref<300xf32>)
  return
}

// Many rows are in parts, whose sums are added up at the end.
// CHECK-LABEL: func.func @many_rows.loop_0(
// CHECK-LABEL: func.func private @many_rows(
// CHECK: %[[PARTS:.*]] = memref.alloc() {{.*}}: memref<8x3000xf32>
// CHECK: call @many_rows.loop_0.parallel
// CHECK: vector.load %[[PARTS]][%c0,
// CHECK: arith.addf
// CHECK: vector.store {{.*}}%arg3
func.func private @many_rows(%a: memref<4003x3000xf32>, %x: memref<3000xf32>, %u: memref<4003xf32>, %v: memref<3000xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%u : memref<4003xf32>)
  linalg.contract indexing_maps = [#matrix, #factor, #sums]
      ins(%a, %x : memref<4003x3000xf32>, memref<3000xf32>) outs(%u : memref<4003xf32>)
  linalg.fill ins(%zero : f32) outs(%v : memref<3000xf32>)
  linalg.contract indexing_maps = [#turned_matrix, #factor, #sums]
      ins(%a, %u : memref<4003x3000xf32>, memref<4003xf32>) outs(%v : memref<3000xf32>)
  return
}

// A product that needs all sums before is none of a pair.
// CHECK-LABEL: func.func private @needs_all(
// CHECK: vector.store {{.*}}%arg3
// CHECK: vector.load %arg3
// CHECK-NOT: memref.load %arg2
// CHECK: return
func.func private @needs_all(%a: memref<40x32xf32>, %x: memref<40xf32>, %u: memref<40xf32>, %v: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%v : memref<32xf32>)
  linalg.contract indexing_maps = [#turned_matrix, #factor, #sums]
      ins(%a, %x : memref<40x32xf32>, memref<40xf32>) outs(%v : memref<32xf32>)
  linalg.fill ins(%zero : f32) outs(%u : memref<40xf32>)
  linalg.contract indexing_maps = [#matrix, #factor, #sums]
      ins(%a, %v : memref<40x32xf32>, memref<32xf32>) outs(%u : memref<40xf32>)
  return
}

// Of a table with far more rows than columns, a stretch of rows is read once, and the sums of all columns with each
// other go on.
// CHECK-LABEL: func.func private @table(
// CHECK: scf.for {{.*}} step %c672
// CHECK: memref.prefetch %[[RESULT:arg[0-9]+]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.fma
// CHECK: vector.maskedload %[[RESULT]]
// CHECK: arith.addf
// CHECK: return
#left = affine_map<(i, j, k) -> (k, i)>
#right = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
func.func private @table(%x: memref<100000x64xf64>, %o: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<64x64xf64>)
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : memref<100000x64xf64>, memref<100000x64xf64>) outs(%o : memref<64x64xf64>) {
    ^bb0(%a: f64, %b: f64, %c: f64):
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      linalg.yield %s : f64
  }
  return
}

// One that the cache holds is summed in one go.
// CHECK-LABEL: func.func private @small_table(
// CHECK-NOT: step %c672
// CHECK-NOT: vector.maskedload %arg1
// CHECK: return
func.func private @small_table(%x: memref<2000x64xf64>, %o: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<64x64xf64>)
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : memref<2000x64xf64>, memref<2000x64xf64>) outs(%o : memref<64x64xf64>) {
    ^bb0(%a: f64, %b: f64, %c: f64):
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      linalg.yield %s : f64
  }
  return
}
