// RUN: weft-opt %s --split-products --target=sm_90a --split-input-file | filecheck %s

// Each multiprocessor has a part of what is summed; the parts are added to what the product starts from.
// CHECK-LABEL: func.func @long_sums
// CHECK-SAME: %[[X:.*]]: tensor<64x8192xf32>, %[[Y:.*]]: tensor<80x8192xf32>, %[[START:.*]]: tensor<64x80xf32>
// CHECK-DAG: %[[LEFT:.*]] = tensor.expand_shape %[[X]] {{.}}[0], [1, 2]{{.}} {{.*}} into tensor<64x16x512xf32>
// CHECK-DAG: %[[RIGHT:.*]] = tensor.expand_shape %[[Y]] {{.}}[0], [1, 2]{{.}} {{.*}} into tensor<80x16x512xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<16x64x80xf32>
// CHECK: %[[PARTS:.*]] = linalg.contract
// CHECK-SAME: ins(%[[LEFT]], %[[RIGHT]] : {{.*}}) outs(%[[ZEROS]] :
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "parallel"]
// CHECK-SAME: ins(%[[PARTS]] : tensor<16x64x80xf32>) outs(%[[START]] : tensor<64x80xf32>)
// CHECK: arith.addf
// CHECK: return %[[SUM]]
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @long_sums(%x: tensor<64x8192xf32>, %y: tensor<80x8192xf32>, %start: tensor<64x80xf32>) -> tensor<64x80xf32> {
  %0 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%x, %y : tensor<64x8192xf32>, tensor<80x8192xf32>) outs(%start : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %0 : tensor<64x80xf32>
}

// -----

// Integers are added as such, and products in stacks are split as well; the parts have whole steps.
// CHECK-LABEL: func.func @integers
// CHECK: linalg.contract {{.*}} -> tensor<5x3x8x12xi32>
// CHECK: arith.addi
#left = affine_map<(b, i, j, k) -> (b, i, k)>
#right = affine_map<(b, i, j, k) -> (b, k, j)>
#out = affine_map<(b, i, j, k) -> (b, i, j)>
func.func @integers(%x: tensor<3x8x10000xi32>, %y: tensor<3x10000x12xi32>, %start: tensor<3x8x12xi32>) -> tensor<3x8x12xi32> {
  %0 = linalg.contract indexing_maps = [#left, #right, #out]
      ins(%x, %y : tensor<3x8x10000xi32>, tensor<3x10000x12xi32>) outs(%start : tensor<3x8x12xi32>) -> tensor<3x8x12xi32>
  return %0 : tensor<3x8x12xi32>
}

// -----

// Not split: sums that are short, or no multiple of steps, tiles for all multiprocessors, one row, and unknown extents.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.expand_shape
// CHECK-COUNT-5: linalg.contract
// CHECK-NOT: linalg.generic
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @others(%a: tensor<64x1984xf32>, %b: tensor<64x8191xf32>, %c: tensor<1024x2048xf32>, %d: tensor<1x8192xf32>, %e: tensor<?x8192xf32>,
    %a0: tensor<64x64xf32>, %b0: tensor<64x64xf32>, %c0: tensor<1024x1024xf32>, %d0: tensor<1x1xf32>, %e0: tensor<?x?xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1024x1024xf32>, tensor<1x1xf32>, tensor<?x?xf32>) {
  %0 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%a, %a : tensor<64x1984xf32>, tensor<64x1984xf32>) outs(%a0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%b, %b : tensor<64x8191xf32>, tensor<64x8191xf32>) outs(%b0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%c, %c : tensor<1024x2048xf32>, tensor<1024x2048xf32>) outs(%c0 : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %3 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%d, %d : tensor<1x8192xf32>, tensor<1x8192xf32>) outs(%d0 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %4 = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%e, %e : tensor<?x8192xf32>, tensor<?x8192xf32>) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2, %3, %4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<1024x1024xf32>, tensor<1x1xf32>, tensor<?x?xf32>
}

// -----

// Half of the multiprocessors would have nothing to do, of which no smaller tile of warpgroups is for: two parts are, if
// they are long. Of float32, there are smaller tiles.
// CHECK-LABEL: func.func @two_parts
// CHECK: linalg.contract {{.*}} -> tensor<2x512x512xf32>
// CHECK: linalg.contract {{.*}} ins(%{{.*}} : tensor<512x4096xf16>, tensor<512x4096xf16>)
// CHECK: linalg.contract {{.*}} ins(%{{.*}} : tensor<512x8192xf32>, tensor<512x8192xf32>)
#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @two_parts(%x: tensor<512x8192xf16>, %p: tensor<512x4096xf16>, %q: tensor<512x8192xf32>,
                     %z: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
  %0 = linalg.contract indexing_maps = [#ik, #jk, #ij]
      ins(%x, %x : tensor<512x8192xf16>, tensor<512x8192xf16>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = linalg.contract indexing_maps = [#ik, #jk, #ij]
      ins(%p, %p : tensor<512x4096xf16>, tensor<512x4096xf16>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = linalg.contract indexing_maps = [#ik, #jk, #ij]
      ins(%q, %q : tensor<512x8192xf32>, tensor<512x8192xf32>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0, %1, %2 : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
}
