// RUN: weft-opt %s --recompute-products --target=sm_90a --split-input-file | filecheck %s
// RUN: weft-opt %s --recompute-products --outline-kernels --target=sm_90a --split-input-file | filecheck %s --check-prefix=KERNELS

// Each of the sums has a copy of the product and of what becomes of it, and is a kernel with it.
// CHECK-LABEL: func.func @two_sums
// CHECK: linalg.contract {{.*}}weft.joins
// CHECK: linalg.generic {{.*}}weft.joins
// CHECK: linalg.contract
// CHECK-NOT: weft.joins
// CHECK-SAME: -> tensor<400x8xf32>
// CHECK: linalg.contract {{.*}}weft.joins
// CHECK: linalg.generic {{.*}}weft.joins
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @two_sums
// KERNELS-NOT: tensor<400x300xf32>
// KERNELS-COUNT-2: call @kernel
// KERNELS: return
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @two_sums(%x: tensor<400x8xf32>, %y: tensor<300x8xf32>, %v: tensor<300x8xf32>) -> (tensor<400x8xf32>, tensor<400xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<400x300xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<400x300xf32>) -> tensor<400x300xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%x, %y : tensor<400x8xf32>, tensor<300x8xf32>) outs(%00 : tensor<400x300xf32>) -> tensor<400x300xf32>
  %weights = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<400x300xf32>) outs(%0 : tensor<400x300xf32>) {
  ^bb0(%s: f32, %o: f32):
    %1 = math.exp %s : f32
    linalg.yield %1 : f32
  } -> tensor<400x300xf32>
  %3 = tensor.empty() : tensor<400x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<400x8xf32>) -> tensor<400x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%weights, %v : tensor<400x300xf32>, tensor<300x8xf32>) outs(%4 : tensor<400x8xf32>) -> tensor<400x8xf32>
  %5 = tensor.empty() : tensor<400xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<400xf32>) -> tensor<400xf32>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<400x300xf32>) outs(%6 : tensor<400xf32>) {
  ^bb0(%w: f32, %o: f32):
    %1 = arith.addf %o, %w : f32
    linalg.yield %1 : f32
  } -> tensor<400xf32>
  return %out, %total : tensor<400x8xf32>, tensor<400xf32>
}

// -----

// Somebody else asks for the matrix.
// CHECK-LABEL: func.func @returned
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @returned
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @returned(%x: tensor<400x8xf32>, %y: tensor<300x8xf32>, %v: tensor<300x8xf32>) -> (tensor<400x8xf32>, tensor<400x300xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<400x300xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<400x300xf32>) -> tensor<400x300xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%x, %y : tensor<400x8xf32>, tensor<300x8xf32>) outs(%00 : tensor<400x300xf32>) -> tensor<400x300xf32>
  %3 = tensor.empty() : tensor<400x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<400x8xf32>) -> tensor<400x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%scores, %v : tensor<400x300xf32>, tensor<300x8xf32>) outs(%4 : tensor<400x8xf32>) -> tensor<400x8xf32>
  return %out, %scores : tensor<400x8xf32>, tensor<400x300xf32>
}

// -----

// The factors have as many columns as the product: nothing is saved.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @wide
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @wide(%x: tensor<40x80xf32>, %y: tensor<30x80xf32>, %v: tensor<30x8xf32>) -> tensor<40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<40x30xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<40x30xf32>) -> tensor<40x30xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%x, %y : tensor<40x80xf32>, tensor<30x80xf32>) outs(%00 : tensor<40x30xf32>) -> tensor<40x30xf32>
  %3 = tensor.empty() : tensor<40x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<40x8xf32>) -> tensor<40x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%scores, %v : tensor<40x30xf32>, tensor<30x8xf32>) outs(%4 : tensor<40x8xf32>) -> tensor<40x8xf32>
  return %out : tensor<40x8xf32>
}
