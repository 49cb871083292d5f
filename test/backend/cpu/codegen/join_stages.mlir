// RUN: weft-opt %s --target=x86-64-v3 --join-stages --outline-kernels | filecheck %s --check-prefix=JOINED
// RUN: weft-opt %s --target=x86-64-v3 --linalg-to-kernels --kernels-to-buffers --buffers-to-loops | filecheck %s

#id = affine_map<(i, j) -> (i, j)>

// The first differences of a product, which is read at two places: 8 MB that one kernel computes tile by tile, a row of
// each more than the tile has. Tiles are whole along the last axis.
// JOINED-LABEL: func.func @differences
// JOINED: call @kernel_0
// JOINED-NOT: call
// CHECK-LABEL: func.func {{.*}}@kernel_0.loop_0(
// CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[START:.*]] = arith.minsi %[[TILE]], %{{.*}}
// CHECK: memref.subview %{{.*}}[%[[START]], 0] [65, 1000] [1, 1]
// CHECK: memref.subview %{{.*}}[%[[START]], 0] [64, 1000] [1, 1]
// CHECK: arith.mulf
// CHECK: arith.subf
func.func @differences(%x: tensor<1001x1000xf64>) -> tensor<1000x1000xf64> {
  %e = tensor.empty() : tensor<1001x1000xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1001x1000xf64>) outs(%e : tensor<1001x1000xf64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = arith.mulf %a, %a : f64
    linalg.yield %0 : f64
  } -> tensor<1001x1000xf64>
  %after = tensor.extract_slice %p[1, 0] [1000, 1000] [1, 1] : tensor<1001x1000xf64> to tensor<1000x1000xf64>
  %before = tensor.extract_slice %p[0, 0] [1000, 1000] [1, 1] : tensor<1001x1000xf64> to tensor<1000x1000xf64>
  %f = tensor.empty() : tensor<1000x1000xf64>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%after, %before : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%f : tensor<1000x1000xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %0 = arith.subf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<1000x1000xf64>
  return %d : tensor<1000x1000xf64>
}

// What is returned, too, is computed once.
// JOINED-LABEL: func.func @returned
// JOINED-COUNT-2: call @kernel
func.func @returned(%x: tensor<1001x1000xf64>) -> (tensor<1001x1000xf64>, tensor<1000x1000xf64>) {
  %e = tensor.empty() : tensor<1001x1000xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1001x1000xf64>) outs(%e : tensor<1001x1000xf64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = arith.mulf %a, %a : f64
    linalg.yield %0 : f64
  } -> tensor<1001x1000xf64>
  %after = tensor.extract_slice %p[1, 0] [1000, 1000] [1, 1] : tensor<1001x1000xf64> to tensor<1000x1000xf64>
  %before = tensor.extract_slice %p[0, 0] [1000, 1000] [1, 1] : tensor<1001x1000xf64> to tensor<1000x1000xf64>
  %f = tensor.empty() : tensor<1000x1000xf64>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%after, %before : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%f : tensor<1000x1000xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %0 = arith.subf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<1000x1000xf64>
  return %p, %d : tensor<1001x1000xf64>, tensor<1000x1000xf64>
}

// What the second-level cache holds as it is, is left there.
// JOINED-LABEL: func.func @small
// JOINED-COUNT-2: call @kernel
func.func @small(%x: tensor<11x10xf64>) -> tensor<10x10xf64> {
  %e = tensor.empty() : tensor<11x10xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<11x10xf64>) outs(%e : tensor<11x10xf64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = arith.mulf %a, %a : f64
    linalg.yield %0 : f64
  } -> tensor<11x10xf64>
  %after = tensor.extract_slice %p[1, 0] [10, 10] [1, 1] : tensor<11x10xf64> to tensor<10x10xf64>
  %before = tensor.extract_slice %p[0, 0] [10, 10] [1, 1] : tensor<11x10xf64> to tensor<10x10xf64>
  %f = tensor.empty() : tensor<10x10xf64>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%after, %before : tensor<10x10xf64>, tensor<10x10xf64>) outs(%f : tensor<10x10xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %0 = arith.subf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<10x10xf64>
  return %d : tensor<10x10xf64>
}
