// RUN: weft-opt %s --widen-in-products --split-input-file | filecheck %s

// CHECK-LABEL: func.func @of_bfloats
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xbf16>, %[[Y:.*]]: tensor<16x8xbf16>
// CHECK-NOT: linalg.generic
// CHECK: linalg.contract {{.*}} ins(%[[X]], %[[Y]] : tensor<8x16xbf16>, tensor<16x8xbf16>)
#id = affine_map<(i, j) -> (i, j)>
func.func @of_bfloats(%x: tensor<8x16xbf16>, %y: tensor<16x8xbf16>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c16 = arith.constant 16 : i32
  %0 = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xbf16>) outs(%0 : tensor<8x16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %a = arith.bitcast %in : bf16 to i16
    %b = arith.extui %a : i16 to i32
    %c = arith.shli %b, %c16 : i32
    %d = arith.bitcast %c : i32 to f32
    linalg.yield %d : f32
  } -> tensor<8x16xf32>
  %2 = tensor.empty() : tensor<16x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x8xbf16>) outs(%2 : tensor<16x8xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %d = arith.extf %in : bf16 to f32
    linalg.yield %d : f32
  } -> tensor<16x8xf32>
  %4 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %3 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// What is scaled, too, is no half any more; and factors of two types there are no instructions for.
// CHECK-LABEL: func.func @not_of_halves
// CHECK: arith.mulf
// CHECK: linalg.contract {{.*}} : tensor<8x16xf32>, tensor<16x8xf32>)
#id = affine_map<(i, j) -> (i, j)>
func.func @not_of_halves(%x: tensor<8x16xf16>, %y: tensor<16x8xf16>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf16>) outs(%0 : tensor<8x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %d = arith.extf %in : f16 to f32
    %e = arith.mulf %d, %d : f32
    linalg.yield %e : f32
  } -> tensor<8x16xf32>
  %2 = tensor.empty() : tensor<16x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x8xf16>) outs(%2 : tensor<16x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %d = arith.extf %in : f16 to f32
    linalg.yield %d : f32
  } -> tensor<16x8xf32>
  %4 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %3 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// What is transposed on the way is read so.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: func.func @transposed(%[[X:.*]]: tensor<8x16xf16>, %[[Y:.*]]: tensor<4x16xf16>
// CHECK-NOT: linalg.generic
// CHECK: linalg.contract indexing_maps = [#[[ROWS]], #[[COLUMNS]], #{{.*}}] ins(%[[X]], %[[Y]] : tensor<8x16xf16>, tensor<4x16xf16>)
func.func @transposed(%x: tensor<8x16xf16>, %y: tensor<4x16xf16>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %a = tensor.empty() : tensor<8x16xf32>
  %b = tensor.empty() : tensor<16x4xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf16>) outs(%a : tensor<8x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<8x16xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x16xf16>) outs(%b : tensor<16x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<16x4xf32>
  %r = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%u, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// A factor that is made of its places, and of nothing wider.
// CHECK-LABEL: func.func @of_places
// CHECK: linalg.index
// CHECK: linalg.contract {{.*}} : tensor<8x16xf32>, tensor<16x8xf32>)
#id = affine_map<(i, j) -> (i, j)>
func.func @of_places(%x: tensor<8x16xf16>, %y: tensor<16x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf16>) outs(%0 : tensor<8x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i32
    %b = arith.sitofp %a : i32 to f32
    linalg.yield %b : f32
  } -> tensor<8x16xf32>
  %2 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %y : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Bytes are read as such, whether they have signs; where only one has, the product says it of each.
// CHECK-LABEL: func.func @of_bytes
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xi8>, %[[Y:.*]]: tensor<16x8xi8>
// CHECK: linalg.contract {{.*}}#linalg.type_fn<cast_unsigned>{{.*}} ins(%[[X]], %[[Y]] : tensor<8x16xi8>, tensor<16x8xi8>)
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[Y]] : tensor<8x16xi8>, tensor<16x8xi8>)
// CHECK: arith.extui
// CHECK: arith.extsi
#id = affine_map<(i, j) -> (i, j)>
func.func @of_bytes(%x: tensor<8x16xi8>, %y: tensor<16x8xi8>, %z: tensor<8x8xi32>) -> (tensor<8x8xi32>, tensor<8x8xi32>) {
  %0 = tensor.empty() : tensor<8x16xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xi8>) outs(%0 : tensor<8x16xi32>) {
  ^bb0(%in: i8, %out: i32):
    %d = arith.extui %in : i8 to i32
    linalg.yield %d : i32
  } -> tensor<8x16xi32>
  %2 = tensor.empty() : tensor<16x8xi32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x8xi8>) outs(%2 : tensor<16x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %d = arith.extui %in : i8 to i32
    linalg.yield %d : i32
  } -> tensor<16x8xi32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x8xi8>) outs(%2 : tensor<16x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %d = arith.extsi %in : i8 to i32
    linalg.yield %d : i32
  } -> tensor<16x8xi32>
  %5 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %3 : tensor<8x16xi32>, tensor<16x8xi32>) outs(%z : tensor<8x8xi32>) -> tensor<8x8xi32>
  %6 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %4 : tensor<8x16xi32>, tensor<16x8xi32>) outs(%z : tensor<8x8xi32>) -> tensor<8x8xi32>
  return %5, %6 : tensor<8x8xi32>, tensor<8x8xi32>
}

// -----

// One factor that is no byte keeps the other one wide.
// CHECK-LABEL: func.func @not_of_bytes
// CHECK: linalg.contract {{.*}} : tensor<8x16xi32>, tensor<16x8xi32>)
#id = affine_map<(i, j) -> (i, j)>
func.func @not_of_bytes(%x: tensor<8x16xi8>, %y: tensor<16x8xi32>, %z: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %0 = tensor.empty() : tensor<8x16xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xi8>) outs(%0 : tensor<8x16xi32>) {
  ^bb0(%in: i8, %out: i32):
    %d = arith.extsi %in : i8 to i32
    linalg.yield %d : i32
  } -> tensor<8x16xi32>
  %4 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%1, %y : tensor<8x16xi32>, tensor<16x8xi32>) outs(%z : tensor<8x8xi32>) -> tensor<8x8xi32>
  return %4 : tensor<8x8xi32>
}
