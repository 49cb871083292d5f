// RUN: weft-opt %s --turn-factors --target=sm_80 --split-input-file | filecheck %s
// RUN: weft-opt %s --turn-factors --target=sm_75 --split-input-file | filecheck %s --check-prefix=OLD
// OLD-NOT: linalg.generic

// What is summed lies side by side in the first factor; the second is turned.
// CHECK-LABEL: func.func @by_rows
// CHECK-SAME: (%[[X:.*]]: tensor<128x256xi8>, %[[Y:.*]]: tensor<256x64xi8>
// CHECK: %[[TURNED:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<256x64xi8>) outs(%{{.*}} : tensor<64x256xi8>)
// CHECK: linalg.contract indexing_maps = [#[[LEFT:.*]], #[[RIGHT:.*]], #{{.*}}] ins(%[[X]], %[[TURNED]] : tensor<128x256xi8>, tensor<64x256xi8>)
func.func @by_rows(%x: tensor<128x256xi8>, %y: tensor<256x64xi8>, %z: tensor<128x64xi8>) -> tensor<128x64xi8> {
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<128x256xi8>, tensor<256x64xi8>) outs(%z : tensor<128x64xi8>) -> tensor<128x64xi8>
  return %0 : tensor<128x64xi8>
}

// -----

// Batches stay in front, and extents may be unknown.
// CHECK-LABEL: func.func @of_batches
// CHECK: %[[ROWS:.*]] = tensor.dim
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x?x128xi8>) outs(%{{.*}} : tensor<4x128x?xi8>)
// CHECK: linalg.contract {{.*}} tensor<4x128x?xi8>, tensor<4x96x?xi8>)
func.func @of_batches(%x: tensor<4x?x128xi8>, %y: tensor<4x96x?xi8>, %z: tensor<4x128x96xi32>) -> tensor<4x128x96xi32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, k, i)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>]
      ins(%x, %y : tensor<4x?x128xi8>, tensor<4x96x?xi8>) outs(%z : tensor<4x128x96xi32>) -> tensor<4x128x96xi32>
  return %0 : tensor<4x128x96xi32>
}

// -----

// Small products, and those of halves, read their factors where they are.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @left_alone(%x: tensor<32x256xi8>, %y: tensor<256x64xi8>, %z: tensor<32x64xi8>,
                      %p: tensor<128x256xf16>, %q: tensor<256x64xf16>, %r: tensor<128x64xf32>) -> (tensor<32x64xi8>, tensor<128x64xf32>) {
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<32x256xi8>, tensor<256x64xi8>) outs(%z : tensor<32x64xi8>) -> tensor<32x64xi8>
  %1 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%p, %q : tensor<128x256xf16>, tensor<256x64xf16>) outs(%r : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %0, %1 : tensor<32x64xi8>, tensor<128x64xf32>
}
