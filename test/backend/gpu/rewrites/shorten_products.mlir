// RUN: weft-opt %s --shorten-products --target=sm_90a+bf16 --split-input-file | filecheck %s
// RUN: weft-opt %s --shorten-products --target=sm_90a --split-input-file | filecheck %s --check-prefix=NONE

// Factors are rounded once, also where a product reads them transposed, or does not know how many there are.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:.*]]: tensor<64x?xf32>, %[[Y:.*]]: tensor<?x64xf32>
// CHECK-DAG: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<64x?xf32>) outs({{.*}} : tensor<64x?xbf16>)
// CHECK-DAG: %[[B:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<?x64xf32>) outs({{.*}} : tensor<?x64xbf16>)
// CHECK-NOT: linalg.generic
// CHECK: linalg.contract {{.*}} ins(%[[A]], %[[B]] : tensor<64x?xbf16>, tensor<?x64xbf16>) outs({{.*}} : tensor<64x64xf32>)
// CHECK: linalg.contract {{.*}} ins(%[[A]], %[[A]] : tensor<64x?xbf16>, tensor<64x?xbf16>) outs({{.*}} : tensor<64x64xf32>)
// NONE-LABEL: func.func @shared
// NONE-NOT: bf16
func.func @shared(%x: tensor<64x?xf32>, %y: tensor<?x64xf32>, %z: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<64x?xf32>, tensor<?x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %x : tensor<64x?xf32>, tensor<64x?xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// What is made of a factor before is rounded where it is made.
// CHECK-LABEL: func.func @computed
// CHECK: math.exp
// CHECK-NEXT: arith.truncf
// CHECK: linalg.contract {{.*}} ins({{.*}} : tensor<64x64xbf16>, tensor<64x64xbf16>)
#id = affine_map<(i, j) -> (i, j)>
func.func @computed(%x: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = math.exp %in : f32
    linalg.yield %d : f32
  } -> tensor<64x64xf32>
  %2 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// One row reads each number of the matrix once; and other numbers than float32 stay what they are.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: bf16
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
func.func @left_alone(%x: tensor<4x64xf32>, %y: tensor<64x64xf32>, %z: tensor<4x64xf32>, %a: tensor<64x64xf64>) -> (tensor<4x64xf32>, tensor<64x64xf64>) {
  %0 = linalg.contract indexing_maps = [#left, #right, #result]
      ins(%x, %y : tensor<4x64xf32>, tensor<64x64xf32>) outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = linalg.contract indexing_maps = [#left, #right, #result]
      ins(%a, %a : tensor<64x64xf64>, tensor<64x64xf64>) outs(%a : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %0, %1 : tensor<4x64xf32>, tensor<64x64xf64>
}
