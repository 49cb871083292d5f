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
