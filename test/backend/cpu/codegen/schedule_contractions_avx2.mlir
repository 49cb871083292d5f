// RUN: weft-opt %s --target=x86-64-v3 --buffers-to-loops | filecheck %s

// Sums of 4 rows and 3 vectors, a row of the right operand and an element of the left one fill sixteen registers.
// CHECK-LABEL: func.func {{.*}}@fills_registers.loop_0
// CHECK: scf.for {{.*}} step %c12 {
// CHECK: scf.for %{{.*}} to %c400 step %c4
// CHECK: vector.fma {{.*}} : vector<4xf64>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#results = affine_map<(i, j, k) -> (i, j)>
func.func private @fills_registers(%x: memref<400x300xf64>, %y: memref<300x1200xf64>, %o: memref<400x1200xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<400x1200xf64>)
  linalg.contract indexing_maps = [#left, #right, #results]
      ins(%x, %y : memref<400x300xf64>, memref<300x1200xf64>) outs(%o : memref<400x1200xf64>)
  return
}

// Two vectors leave room for 6 rows, which is as much work in a step; four would for 2 only.
// CHECK-LABEL: func.func {{.*}}@two_vectors
// CHECK: scf.for {{.*}} to %c48 step %c6
// CHECK: scf.for {{.*}} to %c16 step %c8
func.func private @two_vectors(%x: memref<48x30xf64>, %y: memref<30x16xf64>, %o: memref<48x16xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%o : memref<48x16xf64>)
  linalg.contract indexing_maps = [#left, #right, #results]
      ins(%x, %y : memref<48x30xf64>, memref<30x16xf64>) outs(%o : memref<48x16xf64>)
  return
}

// Panels of three vectors take as many steps here as those of two, but load fewer vectors for each product.
// CHECK-LABEL: func.func {{.*}}@fewer_loads
// CHECK: scf.for {{.*}} to %c48 step %c4
// CHECK: scf.for {{.*}} to %c48 step %c24
func.func @fewer_loads(%x: tensor<48x16xf32>, %y: tensor<16x48xf32>) -> tensor<48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x48xf32>) -> tensor<48x48xf32>
  %r = linalg.matmul ins(%x, %y : tensor<48x16xf32>, tensor<16x48xf32>) outs(%f : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %r : tensor<48x48xf32>
}

// Panels of a convolution that are larger than the second-level cache, but not by much, are all read for one row of
// the image after the other; larger ones are read one by one for all rows.
// CHECK-LABEL: func.func {{.*}}@panels_for_a_row
// CHECK: memref.alloc() {{.*}} : memref<10080x24xf32>
// CHECK-LABEL: func.func {{.*}}@rows_for_a_panel
// CHECK: memref.alloc() {{.*}} : memref<2880x24xf32>
func.func @panels_for_a_row(%x: tensor<1x60x60x160xf32>, %k: tensor<3x3x160x160xf32>) -> tensor<1x58x58x160xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x58x58x160xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x58x58x160xf32>) -> tensor<1x58x58x160xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x60x60x160xf32>, tensor<3x3x160x160xf32>) outs(%f : tensor<1x58x58x160xf32>) -> tensor<1x58x58x160xf32>
  return %r : tensor<1x58x58x160xf32>
}

func.func @rows_for_a_panel(%x: tensor<1x60x60x320xf32>, %k: tensor<3x3x320x320xf32>) -> tensor<1x58x58x320xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x58x58x320xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x58x58x320xf32>) -> tensor<1x58x58x320xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x60x60x320xf32>, tensor<3x3x320x320xf32>) outs(%f : tensor<1x58x58x320xf32>) -> tensor<1x58x58x320xf32>
  return %r : tensor<1x58x58x320xf32>
}
